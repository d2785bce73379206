//! [`SaveError`] and [`LoadModuleError`].
//!
//! Invariant: each names the file or the path in the module, and says what to do.

use std::path::PathBuf;

use crate::ir::ModulePath;
use crate::text::{ParseError, WriteError};

use super::super::check::CheckErrors;

/// A graph module that was not saved. The files are as they were before.
///
/// It names the node, layer or tensor that text and tensors cannot hold, and what to do instead.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// It is not correct, and could not be loaded.
    #[error("the module is not correct, and could not be loaded: {0}")]
    Check(#[from] CheckErrors),
    /// Its graph holds what text cannot hold.
    #[error("{0}; keep tensors as attributes of the module, or take them off the node before saving")]
    Write(#[from] WriteError),
    /// A layer does not tell what it is made of.
    #[error(
        "`{path}`, a layer of type {type_name}, does not tell what it is made of, and cannot be saved: {instead}; or use \
         the module without saving it, and capture it anew in each program (the layers that can be saved are in \
         `LayerTable::builtin()`)"
    )]
    Layer {
        /// Its path.
        path: ModulePath,
        /// Its type.
        type_name: String,
        /// What can be done about a layer of this type.
        instead: &'static str,
    },
    /// A setting of a layer that text cannot hold.
    #[error("`{path}`, a layer of type {type_name}: the setting `{option}` holds a tensor")]
    Option {
        /// Its path.
        path: ModulePath,
        /// Its type.
        type_name: String,
        /// Name of the setting.
        option: &'static str,
    },
    /// A tensor that a safetensors file cannot hold.
    #[error("the tensor `{path}` cannot be saved: {reason}")]
    Tensor {
        /// Its path.
        path: String,
        /// Why not.
        reason: String,
    },
    /// The path cannot name the file of the text.
    #[error("{} cannot be the file of the text: {reason}", file.display())]
    Name {
        /// The path.
        file: PathBuf,
        /// Why not.
        reason: &'static str,
    },
    /// A file could not be written.
    #[error("cannot write {}: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

/// A graph module that was not loaded.
///
/// Files are not trusted: whatever is in them, it is an error with a place, never a panic.
#[derive(Debug, thiserror::Error)]
pub enum LoadModuleError {
    /// A file could not be read.
    #[error("cannot read {}: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The text is not that of a saved module.
    #[error("{}, {source}", file.display())]
    Parse {
        /// The file.
        file: PathBuf,
        /// Where and why not.
        source: Box<ParseError>,
    },
    /// A layer whose type is not in the table.
    #[error(
        "`{path}` is a layer of type {type_name}, which is not in the table of layers: load it by `load_with` and a \
         `LayerTable` that has it"
    )]
    UnknownLayer {
        /// Its path.
        path: ModulePath,
        /// Its type.
        type_name: String,
    },
    /// A layer that cannot be made of what the file has.
    #[error("`{path}`, a layer of type {type_name}, cannot be made: {reason}")]
    Layer {
        /// Its path.
        path: ModulePath,
        /// Its type.
        type_name: String,
        /// Why not.
        reason: String,
    },
    /// Two attributes have one path.
    #[error("`{path}` is there twice")]
    Twice {
        /// The path.
        path: ModulePath,
    },
    /// The file of the tensors is damaged, or is something else.
    #[error("{} is not a safetensors file, or is damaged: {reason}", file.display())]
    Corrupt {
        /// The file.
        file: PathBuf,
        /// candle's reason.
        reason: String,
    },
    /// A tensor is not there.
    #[error("`{path}` needs the tensor `{key}`, which is not in {}: the two files do not belong together", file.display())]
    MissingTensor {
        /// What needs it.
        path: String,
        /// Its name in the file.
        key: String,
        /// The file.
        file: PathBuf,
    },
    /// A tensor is of another dtype or shape than the text says.
    #[error("the tensor `{key}` should be {expected}, but is {found}: the two files do not belong together")]
    WrongTensor {
        /// Its name in the file.
        key: String,
        /// What the text says.
        expected: String,
        /// What the file has.
        found: String,
    },
    /// There are tensors that nothing names.
    #[error("{} has tensors that the module does not name: {}; the two files do not belong together", file.display(), keys.join(", "))]
    ExtraTensors {
        /// The file.
        file: PathBuf,
        /// The first few names in the file.
        keys: Vec<String>,
    },
    /// A tensor could not be brought to the device.
    #[error("the tensor `{key}` cannot be loaded: {reason}")]
    Tensor {
        /// Its name in the file.
        key: String,
        /// candle's reason.
        reason: String,
    },
    /// The module is not correct.
    #[error("the module in {} is not correct: {source}", file.display())]
    Check {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        source: CheckErrors,
    },
}
