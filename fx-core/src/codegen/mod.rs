//! Rust source of a graph: what a person would have written.
//!
//! Steps, each in a file: literals of plain data, names of values, expressions of calls; `format` lays them out as rustfmt
//! does. `folder` writes a whole crate of them, or the function of the graph alone, which `source` gives.
//!
//! Invariant: no step edits Rust as text; a verified graph never makes code generation fail.

mod call;
mod device;
mod folder;
mod format;
mod identifier;
mod literal;
mod names;
mod place;
mod size;
mod source;
mod typed;

pub use folder::{Crate, Folder, FolderError, Unwritable};
pub use source::{Code, CodeError, CodeGen, Statement};
