//! Finds the cases: every file of `src/cases` named like a model that is compiled is a module of it.
//!
//! So a model is added by adding its file, and nothing else.

#[path = "models/locate.rs"]
mod locate;
#[path = "models/wanted.rs"]
mod wanted;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    for file in ["build.rs", "models/wanted.rs", "models/locate.rs", "models/uncompiled.txt", "src/cases"] {
        println!("cargo::rerun-if-changed={file}");
    }
    if let Err(error) = run() {
        println!("cargo::error=the cases could not be listed: {error}");
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let source = locate::package("candle-transformers")?.join("src");
    let all = wanted::models(&source)?;
    let compiled = wanted::compiled(&source, Path::new("models/uncompiled.txt"))?;
    let (mut modules, mut lists) = (String::new(), String::new());
    let (mut models, mut copies) = (String::new(), String::new());
    for name in &compiled {
        let package = wanted::package(name).replace('-', "_");
        models.push_str(&format!("pub use {package}::models::{name};\n"));
        copies.push_str(&format!("pub mod {name} {{\n    pub use {package}::models::*;\n}}\n"));
    }
    let directory = std::env::current_dir()?.join("src/cases");
    for entry in fs::read_dir(&directory)? {
        let file = entry?.path();
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if name != "mod" && !all.contains(&name) {
            return Err(format!("{}: there is no model `{name}`", file.display()).into());
        }
    }
    for name in &compiled {
        let file = directory.join(name).with_extension("rs");
        if file.exists() {
            modules.push_str(&format!("#[path = {:?}]\nmod {name};\n", file.display().to_string()));
            lists.push_str(&format!("    {name}::cases(),\n"));
        }
    }
    let all: String = all.iter().map(|name| format!("    {name:?},\n")).collect();
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    fs::write(
        out.join("cases.rs"),
        format!("{modules}\nfn lists() -> Vec<Vec<Case>> {{\n    vec![\n{lists}    ]\n}}\n"),
    )?;
    fs::write(
        out.join("models.rs"),
        format!(
            "/// The annotated copies.\npub mod models {{\n{models}}}\n\n\
             /// For each model, the copies that are in one package with it, whose types are the same.\n\
             #[allow(missing_docs, reason = \"not our source\")]\npub mod copies {{\n{copies}}}\n\n\
             /// All models of candle-transformers.\npub const MODELS: &[&str] = &[\n{all}];\n"
        ),
    )?;
    Ok(())
}
