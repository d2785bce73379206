//! PyTorch's own numbers: every file of `torch_nn/` holds the arguments, the state, the inputs and the outputs of a layer
//! of torch.nn. The variable `FX_TORCH_NN` names another folder to run instead.

mod torch;

use std::path::PathBuf;

use candle_core::{DType, Device, Result, bail};
use candle_nn::{VarBuilder, VarMap};
use fx_core::ir::Op;
use fx_core::module::GraphModule;
use fx_core::value::{TensorFact, Value};
use torch::arguments::Arguments;
use torch::build::build;
use torch::called::How;
use torch::case::{Case, close};

fn folder() -> PathBuf {
    match std::env::var_os("FX_TORCH_NN") {
        Some(folder) => folder.into(),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/torch_nn"),
    }
}

fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("the folder of cases");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "safetensors"));
    files.sort();
    files
}

fn check(case: &Case) -> Result<()> {
    let layer = build(&case.module, &case.arguments, case.builder())?;
    let outputs = (layer.run)(&case.call, case.training)?;
    case.call.finish()?;
    if outputs.len() != case.outputs.len() {
        bail!("{} outputs instead of {}", outputs.len(), case.outputs.len());
    }
    for (i, (found, expected)) in outputs.iter().zip(&case.outputs).enumerate() {
        close(&format!("output {i}"), found, expected, layer.tolerance)?;
    }
    let Some(state) = layer.layer.state() else { bail!("{} does not tell its state", layer.text) };
    let mut names: Vec<&str> = state.tensors.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    let expected: Vec<&str> = case.state.keys().map(String::as_str).collect();
    if names != expected {
        bail!("the state is {names:?} instead of {expected:?}");
    }
    for name in case.after.keys() {
        if !case.state.contains_key(name) {
            bail!("there is no {name}");
        }
    }
    for (name, found) in &state.tensors {
        let (expected, tolerance) = match case.after.get(*name) {
            Some(after) => (after, layer.tolerance),
            // It stays as it was.
            None => (&case.state[*name], 0.0),
        };
        close(&format!("{name} after the run"), found, expected, tolerance)?;
    }
    Ok(())
}

/// Saved, and loaded again.
fn reloaded(module: &GraphModule, name: &str) -> Result<GraphModule> {
    let file = std::env::temp_dir().join(format!("fx-nn-{}-{name}.fxg", std::process::id()));
    let saved = module.save(&file).map_err(|error| error.to_string());
    let loaded = saved.and_then(|()| {
        let (ops, layers) = (fx_nn::op_table(), fx_nn::layer_table());
        GraphModule::load_with(&file, &ops, &layers, &Device::Cpu).map_err(|error| error.to_string())
    });
    let _ = std::fs::remove_file(&file);
    let _ = std::fs::remove_file(file.with_extension("safetensors"));
    loaded.map_err(candle_core::Error::Msg)
}

/// The layer is one node; captured in every way, saved and loaded, it computes the same.
fn check_capture(case: &Case) -> Result<()> {
    let layer = build(&case.module, &case.arguments, case.builder())?;
    let inputs = inputs(case);
    let symbolic = (layer.capture)(&case.call, How::Symbolic, case.training)?;
    let abstracted = (layer.capture)(&case.call, How::Abstract, case.training)?;
    let called = abstracted.graph().nodes().filter(|(_, node)| node.op() == Op::CallModule).count();
    if called != 1 {
        bail!("the graph has {called} calls of layers:\n{}", abstracted.graph());
    }
    let text = abstracted.graph().to_string();
    let loaded = reloaded(&symbolic, layer.layer.type_name())?;
    // What changes in training is the same after each of them.
    for (name, module) in [("symbolic", &symbolic), ("abstract", &abstracted), ("loaded", &loaded)] {
        let found = module.run(&inputs).map_err(|error| candle_core::Error::Msg(error.to_string()))?;
        let found = found.tensors();
        if found.len() != case.outputs.len() {
            bail!("{name}: {} outputs instead of {}", found.len(), case.outputs.len());
        }
        for (i, (found, expected)) in found.into_iter().zip(&case.outputs).enumerate() {
            close(&format!("{name} output {i}"), found, expected, layer.tolerance)?;
            let fact = TensorFact::new(found.shape(), found.dtype()).to_string();
            if !text.contains(&fact) {
                bail!("the result is {fact}, but the graph is\n{text}");
            }
        }
    }
    Ok(())
}

/// Every layer can be captured through, in training too: no call of a layer is left, and the result is the layer's own, to
/// the bit. What it keeps from call to call is state of the graph. Saved and loaded, it computes the same.
fn check_through(case: &Case) -> Result<()> {
    let layer = build(&case.module, &case.arguments, case.builder())?;
    if !layer.through {
        bail!("it cannot be entered");
    }
    let module = (layer.capture)(&case.call, How::Through, case.training)?;
    if module.graph().nodes().any(|(_, node)| node.op() == Op::CallModule) {
        bail!("a layer is called:\n{}", module.graph());
    }
    let loaded = reloaded(&module, &format!("{}-through", layer.layer.type_name()))?;
    let inputs = inputs(case);
    let outputs = (layer.run)(&case.call, case.training)?;
    for (name, module) in [("through", &module), ("through and loaded", &loaded)] {
        let found = module.run(&inputs).map_err(|error| candle_core::Error::Msg(error.to_string()))?;
        for (i, (found, expected)) in found.tensors().into_iter().zip(&outputs).enumerate() {
            close(&format!("{name} output {i}"), found, expected, 0.0)?;
        }
        for (path, expected) in &case.after {
            match module.state().get(&format!("0.{path}")).and_then(Value::as_tensor) {
                Some(found) => close(&format!("{name}, state {path}"), found, expected, layer.tolerance)?,
                None => bail!("{name}: `{path}` is no state"),
            }
        }
    }
    Ok(())
}

#[test]
fn every_case_is_captured_through_saved_and_loaded() {
    run_all(check_through);
}

/// What `repr` of Python says of layers: `repr.json` has their arguments and these texts.
#[test]
fn every_layer_prints_as_torch_does() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/torch_nn/repr.json");
    let cases: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("the table")).expect("it is JSON");
    let cases = cases.as_array().expect("a list");
    let mut failed = Vec::new();
    for case in cases {
        let (class, expected) = (case["module"].as_str().expect("a name"), case["repr"].as_str().expect("a text"));
        let vb = VarBuilder::from_varmap(&VarMap::new(), DType::F32, &Device::Cpu);
        let built = Arguments::new(&case["args"].to_string()).and_then(|arguments| build(class, &arguments, vb));
        match built {
            Ok(layer) if layer.text == expected => {}
            Ok(layer) => failed.push(format!("{}\n  instead of\n{expected}", layer.text)),
            Err(error) => failed.push(format!("{expected}: {error}")),
        }
    }
    assert!(cases.len() > 200, "{} cases", cases.len());
    assert!(failed.is_empty(), "{} of {} differ:\n{}", failed.len(), cases.len(), failed.join("\n\n"));
}

/// What a layer is made of has as many parameters and multiply-accumulates as it has whole.
fn check_costs(case: &Case) -> Result<()> {
    let layer = build(&case.module, &case.arguments, case.variables()?)?;
    let capture = |how| (layer.capture)(&case.call, how, case.training);
    let (whole, through) = (capture(How::Abstract)?, capture(How::Through)?);
    let (whole, summary) = (whole.summary(), through.summary());
    let (whole, entered) = (whole.totals(), summary.totals());
    // A table whose rows are shortened is state of the graph. Where nothing is a variable, nothing says what a parameter is.
    let comparable = through.state().is_empty() && whole.trainable > 0;
    if comparable && entered.parameters != whole.parameters {
        bail!("{} parameters instead of {}", entered.parameters, whole.parameters);
    }
    // candle convolves with one stride for all dimensions: what is left out of the result is computed, too.
    let more = case.module.starts_with("Conv") && entered.macs > whole.macs;
    if entered.macs != whole.macs && !more {
        bail!("{} multiply-accumulates instead of {}", entered.macs, whole.macs);
    }
    Ok(())
}

#[test]
fn every_case_costs_the_same_entered() {
    run_all(check_costs);
}

/// How tensors begin: `init.json` has mean, spread and greatest number of what PyTorch makes, for layers of many numbers.
#[test]
fn tensors_begin_as_torch_s() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/torch_nn/init.json");
    let cases: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("the table")).expect("it is JSON");
    let mut failed = Vec::new();
    let mut check = |case: &serde_json::Value| -> Result<()> {
        let class = case["module"].as_str().expect("a name");
        let vb = VarBuilder::from_varmap(&VarMap::new(), DType::F32, &Device::Cpu);
        let layer = build(class, &Arguments::new(&case["args"].to_string())?, vb)?.layer;
        let state = layer.state().map_or_else(Vec::new, |state| state.tensors);
        let expected = case["tensors"].as_object().expect("by name");
        if state.len() != expected.len() {
            bail!("{class} has {} tensors instead of {}", state.len(), expected.len());
        }
        for (name, tensor) in state {
            let of = |what: &str| expected[name][what].as_f64().expect("a number");
            let numbers = tensor.to_dtype(DType::F64)?.flatten_all()?.to_vec1::<f64>()?;
            let count = numbers.len() as f64;
            let mean = numbers.iter().sum::<f64>() / count;
            let spread = (numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / count).sqrt();
            let largest = numbers.iter().fold(0f64, |largest, number| largest.max(number.abs()));
            // Random numbers of a thousand or more are as spread as torch's up to some percent; constants are the same.
            let slack = if of("std") == 0.0 { 0.0 } else { 5.0 / count.sqrt() };
            let near = |found: f64, expected: f64, slack: f64| (found - expected).abs() <= slack + 1e-9;
            let scale = of("std");
            // The greatest of normal numbers is another each time; one beyond seven deviations is not seen in a lifetime.
            let alike_at_the_end = if of("largest") > 2.5 * scale && slack > 0.0 {
                (scale..7.0 * scale).contains(&largest)
            } else {
                near(largest, of("largest"), if slack == 0.0 { 0.0 } else { 0.25 * of("largest") + slack * scale })
            };
            let alike = near(mean, of("mean"), 2.0 * slack * scale)
                && near(spread, scale, slack * scale)
                && (of("count") - count).abs() < 0.5
                && alike_at_the_end;
            if !alike {
                let found = [mean, spread, largest];
                failed
                    .push(format!("{class} {name}: mean, spread and greatest {found:?} instead of {}", expected[name]));
            }
        }
        Ok(())
    };
    for case in cases.as_array().expect("a list") {
        check(case).expect("it is built");
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn inputs(case: &Case) -> Vec<Value> {
    case.call.parameters().into_iter().map(|(_, input)| Value::from(input)).collect()
}

fn run_all(check: impl Fn(&Case) -> Result<()>) {
    let files = files();
    let mut failed = Vec::new();
    for path in &files {
        if let Err(error) = Case::read(path).and_then(|case| check(&case)) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            // Without candle's backtrace.
            let error = error.to_string();
            failed.push(format!("{name}: {}", error.split("\n   0: ").next().unwrap_or(&error)));
        }
    }
    println!("passed {} of {}", files.len() - failed.len(), files.len());
    assert!(!files.is_empty(), "no cases in {}", folder().display());
    assert!(failed.is_empty(), "{} cases fail:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn wrong_inputs_do_not_panic() {
    run_all(torch::wrong::check_inputs);
}

#[test]
fn wrong_options_are_refused() {
    run_all(|case| {
        torch::wrong::check_options(case, || VarBuilder::from_varmap(&VarMap::new(), DType::F32, &Device::Cpu))
    });
}

#[test]
fn every_case_is_one_node_that_is_saved_and_loaded() {
    run_all(check_capture);
}

#[test]
fn every_case_computes_what_torch_computes() {
    run_all(check);
}
