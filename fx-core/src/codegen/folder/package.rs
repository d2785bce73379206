//! The files of the crate.
//!
//! Invariant: a file is replaced by a whole one or not at all.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use candle_core::Tensor;

use crate::module::GraphModule;

use super::error::FolderError;
use super::words::snake;
use super::{Crate, Folder};

/// The version of candle that the crate is for: that of this one.
const CANDLE: &str = "0.11.1";
/// The version of `half`, whose numbers candle takes.
const HALF: &str = "2";

pub(super) fn write(
    folder: &Folder<'_>,
    module: &GraphModule,
    written: &Crate,
    directory: &Path,
) -> Result<(), FolderError> {
    let manifest = manifest(folder, module, written)?;
    let source = directory.join("src");
    fs::create_dir_all(&source).map_err(|error| FolderError::Io { path: source.clone(), error })?;
    save_weights(written, &directory.join("model.safetensors"))?;
    replace(&source.join("lib.rs"), written.code().as_str())?;
    replace(&directory.join("Cargo.toml"), &manifest)
}

fn manifest(folder: &Folder<'_>, module: &GraphModule, written: &Crate) -> Result<String, FolderError> {
    let name = folder.name.clone().unwrap_or_else(|| snake(module.class_name()));
    let is_legal = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_');
    if !is_legal {
        return Err(FolderError::Name { name });
    }
    let code = written.code().as_str();
    let mut dependencies = vec![format!("candle-core = \"{CANDLE}\"")];
    if code.contains("candle_nn::") {
        dependencies.push(format!("candle-nn = \"{CANDLE}\""));
    }
    if code.contains("half::") && !folder.dependencies.iter().any(|(krate, _)| krate == "half") {
        dependencies.push(format!("half = \"{HALF}\""));
    }
    dependencies.extend(folder.dependencies.iter().map(|(krate, requirement)| format!("{krate} = {requirement}")));
    Ok(format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n{}\n\n# A workspace of its \
         own, wherever it lies; take this out to make it a member of another.\n[workspace]\n",
        dependencies.join("\n")
    ))
}

pub(super) fn save_weights(written: &Crate, path: &Path) -> Result<(), FolderError> {
    let unfinished = unfinished(path);
    let tensors: HashMap<&str, Tensor> =
        written.weights().iter().map(|(name, tensor)| (name.as_str(), tensor.clone())).collect();
    let saved = candle_core::safetensors::save(&tensors, &unfinished)
        .and_then(|()| fs::rename(&unfinished, path).map_err(candle_core::Error::from));
    saved.map_err(|error| {
        // It may not even be there.
        let _ = fs::remove_file(&unfinished);
        FolderError::Weights { path: path.to_owned(), error }
    })
}

/// What the program is stands in its first lines, as documentation that only the first lines of a crate can have; and in a
/// crate all that is public is used.
pub(super) fn save_included(written: &Crate, path: &Path) -> Result<(), FolderError> {
    let (mut inside, model) = (false, format!("impl {} {{", written.model()));
    let lines = written.code().as_str().lines().map(|line| {
        inside |= !line.starts_with("//!");
        match line.strip_prefix("//!").filter(|_| !inside) {
            Some(rest) => format!("//{rest}\n"),
            None if line == model => format!("{UNUSED}\n{line}\n"),
            None => format!("{line}\n"),
        }
    });
    replace(path, &lines.collect::<String>())
}

/// What stands before the functions of a model that is included.
const UNUSED: &str = "#[allow(dead_code, reason = \"a program need not call all of them\")]";

fn replace(path: &Path, text: &str) -> Result<(), FolderError> {
    let unfinished = unfinished(path);
    fs::write(&unfinished, text).and_then(|()| fs::rename(&unfinished, path)).map_err(|error| {
        let _ = fs::remove_file(&unfinished);
        FolderError::Io { path: path.to_owned(), error }
    })
}

fn unfinished(path: &Path) -> PathBuf {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".unfinished");
    unfinished.into()
}
