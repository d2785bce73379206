//! [`Emit`]: a module as a source file and a file of weights, where a build script is to leave them.
//!
//! Invariant: both files are replaced by whole ones or not at all, and cargo is told what they depend on.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::codegen::{Folder, FolderError};
use crate::module::GraphModule;

/// Writes a captured module from a build script, for the program to `include!`.
///
/// ```no_run
/// # fn capture() -> Result<fx_core::module::GraphModule, fx_core::trace::TraceError> {
/// #     fx_core::trace::Tracer::new().trace_fn(|inputs| inputs.tensor("x")?.relu())
/// # }
/// // build.rs
/// use fx_core::build::{Emit, run};
///
/// fn main() -> std::process::ExitCode {
///     run(|| {
///         let module = capture()?;
///         Emit::new("model").module(&module).watch("model.safetensors").write()?;
///         Ok(())
///     })
/// }
/// ```
///
/// The program then has the module's type, with `load`, `new` and `forward`:
///
/// ```rs
/// mod model {
///     include!(concat!(env!("OUT_DIR"), "/model.rs"));
/// }
///
/// let model = model::Mlp::load(concat!(env!("OUT_DIR"), "/model.safetensors"), &Device::Cpu)?;
/// ```
///
/// That is a path in the directory that the program was built in. A program that is moved elsewhere takes the weights along, and
/// gives `load` their place, or holds them itself:
///
/// ```rs
/// let model = model::Mlp::from_bytes(include_bytes!(concat!(env!("OUT_DIR"), "/model.safetensors")), &Device::Cpu)?;
/// ```
///
/// It depends on `candle-core` and `candle-nn`; this crate and the model's are build dependencies. A change of the model's crate
/// makes cargo run the script again, because the script is built of it; files it reads must be [watched](Self::watch).
#[must_use]
pub struct Emit<'a> {
    name: String,
    module: Option<&'a GraphModule>,
    folder: Folder<'a>,
    watched: Vec<PathBuf>,
    out_dir: Option<PathBuf>,
}

/// The files that a build script left.
///
/// What [`Emit::write`] returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The source, to be included in a module of its own.
    pub source: PathBuf,
    /// The weights, which the model's `load` reads.
    pub weights: PathBuf,
}

/// Why a build script wrote nothing.
///
/// [`run`](super::run) shows it as an error of the package.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// There is no module to be written.
    #[error("there is no module to be written as `{name}`; give it: `Emit::new(\"{name}\").module(&module)`")]
    NoModule {
        /// Name of the files.
        name: String,
    },
    /// The name is not one of a file.
    #[error("`{name}` cannot name the files: letters, digits, `_` and `-`, at least one")]
    Name {
        /// The name.
        name: String,
    },
    /// It is not known where the files go.
    #[error("`OUT_DIR` is not set: write from a build script, or say where, `Emit::new(…).out_dir(\"…\")`")]
    NoOutDir,
    /// What cargo would take for the end of a line.
    #[error("{path:?} cannot be watched: cargo reads one path a line")]
    Watched {
        /// The path.
        path: PathBuf,
    },
    /// The module cannot be written as source, or the files cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Cargo cannot be told.
    #[error("cargo cannot be told what was written: {0}")]
    Output(#[from] io::Error),
}

impl<'a> Emit<'a> {
    /// Will write `<name>.rs` and `<name>.safetensors`.
    ///
    /// The name is that of both files.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), module: None, folder: Folder::new(), watched: Vec::new(), out_dir: None }
    }

    /// What is written.
    ///
    /// It has to be given.
    pub fn module(mut self, module: &'a GraphModule) -> Self {
        self.module = Some(module);
        self
    }

    /// How it is written: with comments, explained errors or changed statements.
    ///
    /// Without it, as [`GraphModule::to_folder`] writes.
    pub fn folder(mut self, folder: Folder<'a>) -> Self {
        self.folder = folder;
        self
    }

    /// A file or directory that the capture reads, such as a checkpoint: when it changes, the script runs again. Relative
    /// to the package of the script.
    pub fn watch(mut self, path: impl Into<PathBuf>) -> Self {
        self.watched.push(path.into());
        self
    }

    /// Where the files go, instead of `OUT_DIR`.
    ///
    /// For scripts that write elsewhere, and for tests.
    pub fn out_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(directory.into());
        self
    }

    /// Writes both files and tells cargo what they depend on.
    ///
    /// # Errors
    /// [`BuildError`]. Files of an earlier run stay then as they were.
    pub fn write(self) -> Result<Written, BuildError> {
        let out_dir = std::env::var_os("OUT_DIR");
        self.write_and_tell(out_dir, &mut io::stdout().lock())
    }

    fn write_and_tell(self, out_dir: Option<OsString>, cargo: &mut impl Write) -> Result<Written, BuildError> {
        // First of all: if what follows fails, a mended file is what the script is to run again for.
        tell(cargo, Path::new("build.rs"))?;
        self.watched.iter().try_for_each(|path| tell(cargo, path))?;
        let legal = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
        if self.name.is_empty() || !self.name.chars().all(legal) {
            return Err(BuildError::Name { name: self.name });
        }
        let Some(module) = self.module else { return Err(BuildError::NoModule { name: self.name }) };
        let directory = self.out_dir.or(out_dir.map(PathBuf::from)).ok_or(BuildError::NoOutDir)?;
        let program = self.folder.write(module)?;
        let source = directory.join(format!("{}.rs", self.name));
        let weights = directory.join(format!("{}.safetensors", self.name));
        program.save_weights(&weights)?;
        program.save_included(&source)?;
        Ok(Written { source, weights })
    }
}

fn tell(cargo: &mut impl Write, path: &Path) -> Result<(), BuildError> {
    let text = path.to_str().filter(|text| !text.contains(['\n', '\r']));
    let Some(text) = text else { return Err(BuildError::Watched { path: path.to_owned() }) };
    Ok(writeln!(cargo, "cargo::rerun-if-changed={text}")?)
}

#[cfg(test)]
mod tests {
    use candle_core::{DType, Device, Tensor};

    use crate::trace::Tracer;

    use super::*;

    fn module() -> GraphModule {
        let linear = candle_nn::Linear::new(Tensor::ones((2, 3), DType::F32, &Device::Cpu).unwrap(), None);
        let tracer = Tracer::new().input("x", DType::F32, (4, 3));
        tracer.trace_with(&linear, |linear, inputs| linear.forward(&inputs.tensor("x")?)?.relu()).unwrap()
    }

    fn written(emit: Emit<'_>, out_dir: Option<&Path>) -> (Result<Written, BuildError>, String) {
        let mut cargo = Vec::new();
        let result = emit.write_and_tell(out_dir.map(|path| path.as_os_str().to_owned()), &mut cargo);
        (result, String::from_utf8(cargo).unwrap())
    }

    #[test]
    fn two_files_and_what_they_depend_on() {
        let directory = tempfile::tempdir().unwrap();
        let module = module();
        let emit = || Emit::new("my-model").module(&module).watch("weights").watch("../shared.json");
        let (result, told) = written(emit(), Some(directory.path()));
        let files = result.unwrap();
        let lines = ["build.rs", "weights", "../shared.json"].map(|path| format!("cargo::rerun-if-changed={path}\n"));
        assert_eq!(told, lines.concat());
        let source = std::fs::read_to_string(&files.source).unwrap();
        assert!(source.contains("pub fn forward") && files.source.ends_with("my-model.rs"), "{source}");
        // `include!` takes no inner attributes, and documentation at the top of a file is one.
        assert!(source.starts_with("// ") && !source.contains("//!") && !source.contains("#!["), "{source}");
        let names: Vec<_> = candle_core::safetensors::load(&files.weights, &Device::Cpu).unwrap().into_keys().collect();
        assert_eq!(names, ["weight"]);
        // The same module, the same files.
        let elsewhere = tempfile::tempdir().unwrap();
        let again = written(emit().out_dir(elsewhere.path()), Some(directory.path())).0.unwrap();
        assert_eq!(std::fs::read_to_string(again.source).unwrap(), source);
    }

    #[test]
    fn what_is_missing_is_said() {
        let module = module();
        let refused = |emit: Emit<'_>, out_dir: Option<&Path>| {
            let (result, told) = written(emit, out_dir);
            assert!(told.starts_with("cargo::rerun-if-changed=build.rs\n"), "{told}");
            result.unwrap_err().to_string()
        };
        let here = tempfile::tempdir().unwrap();
        let messages = [
            refused(Emit::new("model"), Some(here.path())),
            refused(Emit::new("a/b").module(&module), Some(here.path())),
            refused(Emit::new("").module(&module), Some(here.path())),
            refused(Emit::new("model").module(&module), None),
            refused(Emit::new("model").module(&module).watch("a\nb"), Some(here.path())),
        ];
        insta::assert_snapshot!(messages.join("\n"), @r#"
        there is no module to be written as `model`; give it: `Emit::new("model").module(&module)`
        `a/b` cannot name the files: letters, digits, `_` and `-`, at least one
        `` cannot name the files: letters, digits, `_` and `-`, at least one
        `OUT_DIR` is not set: write from a build script, or say where, `Emit::new(…).out_dir("…")`
        "a\nb" cannot be watched: cargo reads one path a line
        "#);
        assert_eq!(std::fs::read_dir(here.path()).unwrap().count(), 0);
        let nowhere = here.path().join("not").join("there");
        assert!(refused(Emit::new("model").module(&module), Some(&nowhere)).contains("not/there"));
    }
}
