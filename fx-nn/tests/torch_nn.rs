//! PyTorch's own numbers: every file of `torch_nn/` holds the arguments, the state, the inputs and the outputs of a layer
//! of torch.nn. The variable `FX_TORCH_NN` names another folder to run instead.

mod torch;

use std::cell::RefCell;
use std::path::PathBuf;

use candle_core::{Device, Result, bail};
use fx_core::ir::Op;
use fx_core::module::GraphModule;
use fx_core::ops::OpTable;
use fx_core::value::{TensorFact, Value};
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
    for (name, expected) in &case.after {
        match state.tensors.iter().find(|(found, _)| found == name) {
            Some((_, found)) => close(&format!("{name} after the run"), found, expected, layer.tolerance)?,
            None => bail!("there is no {name}"),
        }
    }
    Ok(())
}

/// The layer is one node; captured in every way, saved and loaded, it computes the same.
fn check_capture(case: &Case) -> Result<()> {
    if !case.call.plain() {
        return Ok(());
    }
    let layer = build(&case.module, &case.arguments, case.builder())?;
    let inputs: Vec<Value> = case.call.inputs.iter().map(Value::from).collect();
    let symbolic = (layer.capture)(&case.call.inputs, How::Symbolic, case.training)?;
    let abstracted = (layer.capture)(&case.call.inputs, How::Abstract, case.training)?;
    let called = abstracted.graph().nodes().filter(|(_, node)| node.op() == Op::CallModule).count();
    if called != 1 {
        bail!("the graph has {called} calls of layers:\n{}", abstracted.graph());
    }
    let text = abstracted.graph().to_string();
    let file = std::env::temp_dir().join(format!("fx-nn-{}-{}.fxg", std::process::id(), layer.layer.type_name()));
    let saved = symbolic.save(&file).map_err(|error| error.to_string());
    let loaded = saved.and_then(|()| {
        let (ops, layers) = (OpTable::builtin(), fx_nn::layer_table());
        GraphModule::load_with(&file, ops, &layers, &Device::Cpu).map_err(|error| error.to_string())
    });
    let _ = std::fs::remove_file(&file);
    let _ = std::fs::remove_file(file.with_extension("safetensors"));
    let loaded = loaded.map_err(candle_core::Error::Msg)?;
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

/// A layer that tells what it computes can be captured through: no call of a layer is left, and the result is the layer's
/// own, to the bit.
fn check_through(case: &Case, whole: &RefCell<Vec<String>>) -> Result<()> {
    let layer = build(&case.module, &case.arguments, case.builder())?;
    if !layer.through || !case.call.plain() || case.training {
        whole.borrow_mut().push(layer.layer.type_name().to_owned());
        return Ok(());
    }
    let module = (layer.capture)(&case.call.inputs, How::Through, false)?;
    if module.graph().nodes().any(|(_, node)| node.op() == Op::CallModule) {
        bail!("a layer is called:\n{}", module.graph());
    }
    let inputs: Vec<Value> = case.call.inputs.iter().map(Value::from).collect();
    let found = module.run(&inputs).map_err(|error| candle_core::Error::Msg(error.to_string()))?;
    for (found, expected) in found.tensors().into_iter().zip((layer.run)(&case.call, false)?) {
        close("the result", found, &expected, 0.0)?;
    }
    Ok(())
}

#[test]
fn layers_that_tell_what_they_compute_are_captured_through() {
    let whole = RefCell::default();
    run_all(|case| check_through(case, &whole));
    let whole = whole.into_inner();
    let count = files().len();
    println!("captured through {} of {count}, not {}", count - whole.len(), whole.join(" "));
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
fn every_case_is_one_node_that_is_saved_and_loaded() {
    run_all(check_capture);
}

#[test]
fn every_case_computes_what_torch_computes() {
    run_all(check);
}
