//! Inputs and options that are not those of a case: one size changed, one dimension more or less, another type; an option
//! that is nothing, one more, or negative.
//!
//! Invariant: nothing panics; what a run accepts, a capture accepts, with the same shape.

use std::panic::{AssertUnwindSafe, catch_unwind};

use candle_core::{DType, Result, Tensor, bail};
use candle_nn::VarBuilder;
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::build::build;
use super::called::{Built, How};
use super::case::Case;

/// `run`, or what it panicked with.
fn unless_it_panics<T>(what: &str, run: impl FnOnce() -> Result<T>) -> Result<Result<T>> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => Ok(result),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            bail!("{what}: it panics: {}", text.unwrap_or_default())
        }
    }
}

/// Others in place of a tensor, and what was done to it.
fn others(tensor: &Tensor) -> Result<Vec<(String, Tensor)>> {
    let mut others = Vec::new();
    for (dim, size) in tensor.dims().iter().enumerate() {
        others.push((format!("dimension {dim} longer"), tensor.pad_with_zeros(dim, 0, 1)?));
        if *size > 0 {
            others.push((format!("dimension {dim} shorter"), tensor.narrow(dim, 0, size - 1)?));
            others.push((format!("dimension {dim} empty"), tensor.narrow(dim, 0, 0)?));
            others.push((format!("without dimension {dim}"), tensor.narrow(dim, 0, 1)?.squeeze(dim)?));
        }
    }
    others.push(("a dimension before".to_owned(), tensor.unsqueeze(0)?));
    others.push(("a dimension after".to_owned(), tensor.unsqueeze(tensor.rank())?));
    for dtype in [DType::F64, DType::F32, DType::BF16, DType::I64, DType::U32, DType::U8] {
        if dtype != tensor.dtype() {
            others.push((format!("of {dtype:?}"), tensor.to_dtype(dtype)?));
        }
    }
    if tensor.dtype().is_int() {
        others.push(("of numbers that are too large".to_owned(), tensor.ones_like()?.affine(100.0, 0.0)?));
        if tensor.dtype() == DType::I64 {
            others.push(("of negative numbers".to_owned(), tensor.ones_like()?.affine(-7.0, 0.0)?));
        }
    }
    Ok(others)
}

/// The layer of a case, called with one input changed.
pub(crate) fn check_inputs(case: &Case) -> Result<()> {
    let layer = build(&case.module, &case.arguments, case.builder())?;
    let inputs = case.call.parameters();
    for (i, (name, input)) in inputs.iter().enumerate() {
        for (change, other) in others(input)? {
            let what = format!("`{name}` {change}, {:?} {:?}", other.dims(), other.dtype());
            let mut changed: Vec<Tensor> = inputs.iter().map(|(_, input)| input.clone()).collect();
            changed[i] = other;
            check_call(&what, case, &layer, &changed)?;
        }
    }
    Ok(())
}

fn check_call(what: &str, case: &Case, layer: &Built, inputs: &[Tensor]) -> Result<()> {
    let call = || case.call.with(inputs);
    let run = unless_it_panics(what, || (layer.run)(&call(), case.training))?;
    let captured =
        unless_it_panics(&format!("{what}, captured"), || (layer.capture)(&call(), How::Abstract, case.training))?;
    match (&run, captured) {
        (Ok(found), Ok(module)) => {
            let graph = module.graph().to_string();
            for found in found {
                let fact = fx_core::value::TensorFact::new(found.shape(), found.dtype()).to_string();
                if !graph.contains(&fact) {
                    bail!("{what}: the result is {fact}, but the graph is\n{graph}");
                }
            }
        }
        (Ok(_), Err(error)) => bail!("{what}: it runs, but is not captured: {error}"),
        (Err(error), _) => {
            if std::env::var_os("FX_TORCH_NN_ERRORS").is_some() {
                let error = error.to_string();
                println!("{}: {what}: {}", case.module, error.split("\n   0: ").next().unwrap_or(&error));
            }
        }
    }
    Ok(())
}

/// Others in place of an argument.
fn other_values(value: &Value) -> Vec<Value> {
    match value {
        Value::Number(number) if number.is_f64() => vec![json!(-1.5), json!(0.0)],
        Value::Number(number) => {
            let number = number.as_i64().unwrap_or(0);
            vec![json!(0), json!(number + 1), json!(-1), json!(7)]
        }
        Value::Array(items) => {
            let mut others = vec![json!([])];
            for (i, item) in items.iter().enumerate() {
                for other in other_values(item) {
                    let mut items = items.clone();
                    items[i] = other;
                    others.push(Value::Array(items));
                }
            }
            others
        }
        Value::Bool(flag) => vec![json!(!flag)],
        Value::String(_) => vec![json!("no such word")],
        Value::Null | Value::Object(_) => vec![json!(0), json!(3)],
    }
}

/// Layers of torch's arguments with one changed, called on the inputs of the case if they can be made.
pub(crate) fn check_options(case: &Case, vb: impl Fn() -> VarBuilder<'static>) -> Result<()> {
    let inputs: Vec<Tensor> = case.call.parameters().into_iter().map(|(_, input)| input).collect();
    for (changed, arguments) in case.arguments.changed(other_values) {
        let what = format!("made of {changed}");
        let Ok(layer) = unless_it_panics(&what, || build(&case.module, &arguments, vb()))? else { continue };
        check_call(&what, case, &layer, &inputs)?;
    }
    Ok(())
}

/// One argument after the other changed, with its text.
impl Arguments {
    fn changed(&self, others: impl Fn(&Value) -> Vec<Value>) -> Vec<(String, Self)> {
        let (positional, keyword) = self.given();
        let mut changed = Vec::new();
        let mut add = |positional: &[Value], keyword: &serde_json::Map<String, Value>| {
            let text = json!({"positional": positional, "keyword": keyword}).to_string();
            changed.extend(Self::new(&text).ok().map(|arguments| (text, arguments)));
        };
        for (i, value) in positional.iter().enumerate() {
            for other in others(value) {
                let mut positional = positional.to_vec();
                positional[i] = other;
                add(&positional, keyword);
            }
        }
        for (name, value) in keyword {
            for other in others(value) {
                let mut keyword = keyword.clone();
                keyword.insert(name.clone(), other);
                add(positional, &keyword);
            }
        }
        changed
    }
}
