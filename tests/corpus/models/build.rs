//! Annotates candle-transformers' source, where cargo put it, into `OUT_DIR`, and writes the `mod` lines that make it
//! part of this crate.
//!
//! All modules of `models` are wanted, except those in `uncompiled.txt`; each package of this directory has its part of
//! them. `CORPUS=bert,llama` compiles only these. The copy keeps the layout of its crate, so that `crate::` and `super::`
//! mean in the copy what they mean there. Nothing of it is stored in the repository.

#[path = "closure.rs"]
mod closure;
#[path = "locate.rs"]
mod locate;
#[path = "wanted.rs"]
mod wanted;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    for file in ["build.rs", "closure.rs", "locate.rs", "wanted.rs", "uncompiled.txt"] {
        println!("cargo::rerun-if-changed=../{file}");
    }
    if let Err(error) = run() {
        println!("cargo::error=candle-transformers could not be annotated: {error}");
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let root = locate::package("candle-transformers")?;
    let source = root.join("src");
    println!("cargo::rerun-if-changed={}", source.display());
    println!("cargo::rustc-env=CANDLE_TRANSFORMERS={}", root.display());

    let package = std::env::var("CARGO_PKG_NAME")?;
    let wanted = wanted::compiled(&source, Path::new("../uncompiled.txt"))?;
    let wanted = wanted.iter().filter(|name| wanted::package(name) == package);
    let mut paths: Vec<_> = wanted.map(|name| format!("models::{name}")).collect();
    // What the cases make quantized weights with.
    paths.push("quantized_var_builder".to_owned());
    let mut units = closure::closure(&source, paths.iter().map(String::as_str))?;
    // A module that no model names may still have methods of a model's type: it comes along where all that it uses is.
    for name in wanted::NO_MODELS {
        let beside = closure::closure(&source, std::iter::once(format!("models::{name}").as_str()))?;
        let known = |unit: &closure::Unit| units.iter().any(|other| other.path == unit.path);
        if beside.iter().filter(|unit| unit.path.last().is_none_or(|last| last != name)).all(known) {
            units.extend(beside.into_iter().filter(|unit| unit.path.last().is_some_and(|last| last == name)));
        }
    }
    units.sort_by(|a, b| a.path.cmp(&b.path));
    units.dedup_by(|a, b| a.path == b.path);

    // Only what is needed is annotated; all of it together, because types refer to each other across files.
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let plain = out.join("plain");
    if plain.exists() {
        fs::remove_dir_all(&plain)?;
    }
    for unit in &units {
        copy(&source, &plain, &unit.file)?;
    }
    let annotated = out.join("annotated");
    let summary = fx_annotate::annotate(&plain, &annotated)?;
    if let Some((path, reason)) = summary.unparsed.first() {
        return Err(format!("{} does not parse: {reason}", path.display()).into());
    }
    write_modules(&annotated, &out, &units)
}

/// Copies a file or directory, given relative to `from`, to the same place in `to`.
fn copy(from: &Path, to: &Path, path: &Path) -> std::io::Result<()> {
    let source = from.join(path);
    if source.is_dir() {
        for entry in fs::read_dir(&source)? {
            copy(from, to, &path.join(entry?.file_name()))?;
        }
        return Ok(());
    }
    let target = to.join(path);
    fs::create_dir_all(target.parent().unwrap_or(to))?;
    // The registry's copy may be read-only, and so would be a copy that keeps permissions.
    fs::write(target, fs::read(source)?)
}

/// Writes `modules.rs`, to be included at the root of the crate.
fn write_modules(annotated: &Path, out: &Path, units: &[closure::Unit]) -> Result<(), Box<dyn Error>> {
    let mut models = String::new();
    let mut modules = String::new();
    for unit in units {
        match &unit.path[..] {
            [name] => modules.push_str(&module_line(annotated, unit, name)),
            [_, name] => models.push_str(&module_line(annotated, unit, name)),
            _ => return Err(format!("`{}` is neither a module nor one of `models`", unit.path.join("::")).into()),
        }
    }
    modules.push_str(&format!("/// The models.\npub mod models {{\n{models}}}\n"));
    Ok(fs::write(out.join("modules.rs"), modules)?)
}

/// The source is as its authors left it: our lints are not for it.
const ALLOW: &str = "#[allow(warnings, clippy::all, rustdoc::all, reason = \"not our source\")]";

fn module_line(annotated: &Path, unit: &closure::Unit, name: &str) -> String {
    let file = annotated.join(&unit.file);
    let file = if file.is_dir() { file.join("mod.rs") } else { file };
    format!("{ALLOW}\n#[path = {:?}]\npub mod {name};\n", file.display().to_string())
}
