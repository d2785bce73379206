//! Functions that are recorded whole, with every kind of parameter and result: what the interpreter computes and what
//! the generated source computes is what the functions compute.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::too_many_arguments,
    clippy::cloned_ref_to_slice_refs,
    reason = "the functions have every kind of parameter, and are called by generated source"
)]

use candle_core::{DType, Device, Result, Tensor};
use fx::interp::Running;
use fx::{Interpreter, OpRef, RunError, Value};

// Generated source calls functions by their paths from outside.
extern crate self as wrapped;

mod functions {
    use super::*;

    #[fx::wrap]
    pub(crate) fn tensors(x: &Tensor, owned: Tensor, some: Option<&Tensor>, none: Option<&Tensor>) -> Result<Tensor> {
        let sum = (x + owned)?;
        let sum = some.map_or(Ok(sum.clone()), |some| &sum + some)?;
        none.map_or(Ok(sum.clone()), |none| &sum - none)
    }

    #[fx::wrap]
    pub(crate) fn lists(
        xs: &[Tensor],
        refs: &[&Tensor],
        owned: Vec<Tensor>,
        dims: &[usize],
        more: Vec<usize>,
    ) -> Result<Tensor> {
        let sum =
            refs.iter().chain(owned.iter().collect::<Vec<_>>().iter()).try_fold(xs[0].clone(), |sum, x| sum + *x)?;
        sum * (dims.iter().chain(&more).sum::<usize>() as f64)
    }

    #[fx::wrap]
    pub(crate) fn numbers(
        x: &Tensor,
        a: usize,
        c: f32,
        d: f64,
        e: Option<usize>,
        f: Option<f32>,
        g: bool,
    ) -> Result<Tensor> {
        let factor = a as f64 + f64::from(c.min(8.0)) + d + e.unwrap_or(0) as f64;
        x * if g && f.is_none() { factor } else { 0.0 }
    }

    #[fx::wrap]
    pub(crate) fn others(
        x: &Tensor,
        name: &str,
        owned: String,
        dtype: DType,
        device: &Device,
        pair: (usize, f64),
    ) -> Result<Tensor> {
        let x = x.to_dtype(dtype)?.to_device(device)?;
        x * (name.len() as f64 + owned.len() as f64 + pair.0 as f64 * pair.1)
    }

    #[fx::wrap]
    pub(crate) fn array(x: &Tensor, scales: [f64; 3], names: &[&str], device: Device) -> Result<Tensor> {
        x.to_device(&device)? * (scales.iter().sum::<f64>() + names.len() as f64)
    }

    /// Without a `Result`.
    #[fx::wrap]
    pub(crate) fn infallible(x: &Tensor) -> Tensor {
        x.clone()
    }

    /// Several results.
    #[fx::wrap]
    pub(crate) fn both(x: &Tensor) -> Result<(Tensor, Tensor)> {
        Ok((x.neg()?, x.abs()?))
    }
}

use functions::{array, both, infallible, lists, numbers, others, tensors};

#[fx::module]
struct Calls {
    w: Tensor,
}

#[fx::module]
impl Calls {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let a = tensors(x, self.w.clone(), Some(&self.w), None)?;
        let b = lists(std::slice::from_ref(x), &[x, &a], vec![a.clone()], &[1, 2], vec![3])?;
        let c = numbers(&b, 2, f32::INFINITY, 1.0, Some(4), None, true)?;
        let d = others(&c, "two \"words\"", "three".to_string(), DType::F32, &Device::Cpu, (2, 0.5))?;
        let e = array(&d, [0.5, 1.0, 2.0], &["a", "b"], Device::Cpu)?;
        let (f, g) = both(&infallible(&e))?;
        (f * 2.0)? + g
    }
}

#[allow(unreachable_pub, reason = "generated code is checked for what it computes")]
mod generated {
    use candle_core::{DType, Result, Tensor};

    pub(crate) struct Calls {
        pub(crate) w: Tensor,
    }

    include!("generated/wrapped.rs");
}

#[test]
fn every_kind_of_parameter_runs_and_is_written_back() {
    let tensor = |data: [f32; 3]| Tensor::new(&data, &Device::Cpu).expect("a tensor");
    let (model, x) = (Calls { w: tensor([0.5, -1.0, 2.0]) }, tensor([1.0, 2.0, -3.0]));
    let captured = fx::trace(&model, (&x,)).expect("captured");

    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/generated/wrapped.rs");
    let code = captured.code();
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::write(file, &code).expect("the repository can be written");
    }
    let kept = include_str!("generated/wrapped.rs");
    assert_eq!(
        code, kept,
        "tests/generated/wrapped.rs is stale: UPDATE_GENERATED=1 cargo test --workspace --test wrapped"
    );

    let data = |tensor: Result<Tensor>| tensor.and_then(|tensor| tensor.to_vec1::<f32>()).expect("three numbers");
    let expected = data(model.forward(&x));
    assert_eq!(expected, data(Ok(captured.forward(&[&x]).expect("runs"))));
    assert_eq!(expected, data(generated::Calls { w: model.w.clone() }.forward(&x)));
    assert!(expected.iter().all(|number| number.is_finite() && *number != 0.0), "{expected:?}");
}

mod effects {
    use super::*;

    #[fx::wrap(pure)]
    pub(crate) fn pure(x: &Tensor) -> Result<Tensor> {
        x.neg()
    }

    #[fx::wrap]
    pub(crate) fn logged(x: &Tensor) -> Result<Tensor> {
        x.abs()
    }
}

/// What a function does besides its result is not known, unless its author says that it is nothing.
#[test]
fn only_what_is_said_to_be_pure_is_dead_code() {
    let captured = fx::Tracer::new().input("x", DType::F32, 3).trace_fn(|inputs| {
        let x = inputs.tensor("x")?;
        effects::pure(&x)?;
        effects::logged(&x)?;
        x.relu()
    });
    let mut module = captured.expect("captured");
    assert_eq!(module.graph().len(), 5);
    assert!(!module.eliminate_dead_code().is_empty());
    let left: Vec<&str> = module.graph().nodes().map(|(_, node)| node.name()).collect();
    assert_eq!(left, ["x", "logged", "relu", "output"]);
}

mod data_dependent {
    use super::*;

    /// As many as there are positive numbers.
    #[fx::wrap]
    pub(crate) fn positive(x: &Tensor) -> Result<Tensor> {
        let kept: Vec<f32> = x.to_vec1::<f32>()?.into_iter().filter(|number| *number > 0.0).collect();
        Tensor::new(kept, x.device())
    }

    #[fx::wrap]
    pub(crate) fn rows(x: &Tensor) -> Result<Vec<Tensor>> {
        positive(x)?.to_vec1::<f32>()?.into_iter().map(|row| Tensor::new(row, x.device())).collect()
    }
}

struct Unchecked;

impl Interpreter for Unchecked {
    fn call_function(&mut self, at: Running<'_>, op: OpRef, args: &[&Value]) -> std::result::Result<Value, RunError> {
        at.call(op, args)
    }
}

/// What the model made of the size of a result holds for that size: another one is refused, not computed wrongly.
#[test]
fn results_of_other_sizes_are_refused() {
    let tensor = |data: [f32; 3]| Tensor::new(&data, &Device::Cpu).expect("a tensor");
    let (two, three) = (tensor([1.0, -2.0, 3.0]), tensor([1.0, 2.0, 3.0]));
    let mean = fx::Tracer::new().example("x", &two).trace_fn(|inputs| {
        let kept = data_dependent::positive(&inputs.tensor("x")?)?;
        let count = kept.dim(0)?;
        kept.sum_all()? / count as f64
    });
    let mean = mean.expect("captured");
    assert_eq!(mean.forward(&[&two]).expect("runs").to_scalar::<f32>().expect("one"), 2.0);
    assert!(().run(&mean, &[two.clone().into()]).is_ok());
    let errors = [mean.run(&[three.clone().into()]), ().run(&mean, &[three.clone().into()])];
    for error in errors.map(|run| run.expect_err("three are positive").to_string()) {
        assert!(error.contains("gave f32[3], but f32[2] when it was captured"), "{error}");
    }
    // A hook that computes something else answers for that itself.
    assert!(Unchecked.run(&mean, &[three.clone().into()]).is_ok());

    let sum = fx::Tracer::new().example("x", &two).trace_fn(|inputs| {
        let rows = data_dependent::rows(&inputs.tensor("x")?)?;
        rows.into_iter().reduce(|sum, row| (sum + row).expect("scalars")).ok_or(candle_core::Error::Msg("none".into()))
    });
    assert!(sum.expect("captured").forward(&[&three]).is_err());

    // Captured without data nothing is known of the result, and nothing can have been made of it.
    let free = fx::Tracer::new()
        .input("x", DType::F32, 3)
        .trace_fn(|inputs| data_dependent::positive(&inputs.tensor("x")?)?.neg());
    assert_eq!(free.expect("captured").forward(&[&three]).expect("runs").dims(), [3]);
}

pub mod results {
    use super::*;

    #[fx::wrap]
    pub fn array(x: &Tensor) -> Result<[Tensor; 2]> {
        Ok([x.neg()?, x.abs()?])
    }

    #[fx::wrap]
    pub fn bare_array(x: &Tensor) -> [Tensor; 1] {
        [x.clone()]
    }

    #[fx::wrap]
    pub fn option(x: &Tensor, some: bool) -> Option<Tensor> {
        some.then(|| x.clone())
    }

    #[fx::wrap]
    pub fn several(x: &Tensor) -> (Tensor, Vec<Tensor>) {
        (x.clone(), vec![x.clone(); 3])
    }

    #[fx::wrap]
    pub fn list(x: &Tensor) -> Vec<Tensor> {
        vec![x.clone(); 2]
    }
}

#[fx::module]
struct Results;

#[fx::module]
impl Results {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let [a, b] = results::array(x)?;
        let [c] = results::bare_array(&a);
        let d = match (results::option(&b, true), results::option(&b, false)) {
            (Some(d), None) => d,
            _ => candle_core::bail!("another"),
        };
        let (e, f) = results::several(&c);
        let g = results::list(&d);
        let sum = (e + &f[2])?;
        ((sum * 3.0)? + &g[1])? + d.sqr()
    }
}

/// Arrays, options, tuples and vectors of tensors, with a `Result` and without.
#[test]
fn every_kind_of_result_is_given_back() {
    let x = Tensor::new(&[1.0f32, 2.0, -3.0], &Device::Cpu).expect("a tensor");
    let captured = fx::trace(&Results, (&x,)).expect("captured");
    let data = |tensor: Result<Tensor>| tensor.and_then(|tensor| tensor.to_vec1::<f32>()).expect("three numbers");
    assert_eq!(data(Results.forward(&x)), data(Ok(captured.forward(&[&x]).expect("runs"))));
    // How many there are of an array is known without data.
    let captured = fx::Tracer::new().trace_fn(|inputs| results::array(&inputs.tensor("x")?)).expect("captured");
    assert!(captured.check().is_ok(), "{}", captured.graph());
    let both = captured.run(&[(&x).into()]).expect("runs");
    assert!(matches!(both, fx::Value::List(both) if both.len() == 2));
    // Whether there is an optional one is not.
    let error = fx::symbolic_trace(&Results).expect_err("unknown");
    assert!(matches!(error, fx::TraceError::Unknown { .. }), "{error}");
}

/// A graph that calls the user's functions is read by a program that has them.
#[test]
fn a_saved_graph_is_loaded_with_the_functions_it_calls() {
    use fx::LayerTable;
    use fx::ops::OpTable;
    let x = Tensor::new(&[1.0f32, 2.0, -3.0], &Device::Cpu).expect("a tensor");
    let captured = fx::Tracer::new()
        .example("x", &x)
        .trace_fn(|inputs| effects::logged(&both(&infallible(&inputs.tensor("x")?))?.0))
        .expect("captured");
    let folder = std::env::temp_dir().join(format!("fx-wrapped-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("model.fx");
    captured.save(&file).expect("saved");

    let ops = OpTable::builtin().clone().with(&[
        fx::op_of!(functions::both),
        fx::op_of!(crate::functions::infallible),
        fx::op_of!(effects::logged),
    ]);
    let loaded = fx::GraphModule::load_with(&file, &ops, LayerTable::builtin(), &Device::Cpu);
    let unknown = fx::GraphModule::load(&file, &Device::Cpu);
    std::fs::remove_dir_all(&folder).expect("the folder can go");

    let data = |module: &fx::GraphModule| module.forward(&[&x]).and_then(|y| Ok(y.to_vec1::<f32>()?)).expect("runs");
    let loaded = loaded.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(data(&captured), data(&loaded));
    assert_eq!(captured.graph().to_string(), loaded.graph().to_string());
    let message = unknown.expect_err("nobody knows the functions").to_string();
    assert!(message.contains("load_with") && message.contains("fx::op_of!"), "{message}");
    assert_eq!(fx::op_of!(functions::both).name, "wrapped::functions::both");
}
