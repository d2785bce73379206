//! Which of candle-transformers' models there are, which of them are compiled, and in which package.
//!
//! Shared by the build scripts of the packages with the models and of the one with the cases.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::Path;

/// Modules of `models` that hold no forward.
pub(crate) const NO_MODELS: [&str; 3] = ["llama2_c_weights", "persimmon", "with_tracing"];

/// All models: the modules of candle-transformers' `models` that hold a forward.
pub(crate) fn models(source: &Path) -> Result<BTreeSet<String>, Box<dyn Error>> {
    let mut models = BTreeSet::new();
    for entry in fs::read_dir(source.join("models"))? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if name != "mod" && !NO_MODELS.contains(&&*name) {
            models.insert(name);
        }
    }
    Ok(models)
}

/// The models that compile, with the choice that the variable `CORPUS` makes.
pub(crate) fn compiled(source: &Path, uncompiled: &Path) -> Result<BTreeSet<String>, Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=CORPUS");
    let mut models = models(source)?;
    for line in fs::read_to_string(uncompiled)?.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let name = line.split(':').next().unwrap_or(line);
        if !models.remove(name) {
            return Err(format!("uncompiled.txt: there is no model `{name}`").into());
        }
    }
    if let Ok(chosen) = std::env::var("CORPUS") {
        let chosen: Vec<_> = chosen.split(',').collect();
        models.retain(|name| chosen.contains(&&**name));
    }
    Ok(models)
}

/// The package that a model is compiled in: a quantized model in that of the one it shares types with.
pub(crate) fn package(model: &str) -> &'static str {
    if model.strip_prefix("quantized_").unwrap_or(model) < "mimi" {
        "corpus-models-first"
    } else {
        "corpus-models-second"
    }
}
