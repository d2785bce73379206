//! PyTorch's own numbers: every file of `torch_nn/` holds the arguments, the state, the inputs and the outputs of a layer
//! of torch.nn. The variable `FX_TORCH_NN` names another folder to run instead.

mod torch;

use std::path::PathBuf;

use candle_core::{Result, bail};
use torch::build::build;
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

#[test]
fn every_case_computes_what_torch_computes() {
    let files = files();
    let mut failed = Vec::new();
    for path in &files {
        let result = Case::read(path).and_then(|case| check(&case));
        if let Err(error) = result {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            failed.push(format!("{name}: {}", error.to_string().lines().next().unwrap_or_default()));
        }
    }
    println!("passed {} of {}", files.len() - failed.len(), files.len());
    assert!(!files.is_empty(), "no cases in {}", folder().display());
    assert!(failed.is_empty(), "{} cases fail:\n{}", failed.len(), failed.join("\n"));
}
