//! Rust source of a graph: the method that a person would have written.
//!
//! Steps, each in a file: literals of plain data, names of values, expressions of calls, the method around them, and its
//! source, which is formatted by prettyplease. `folder` writes a whole crate of the same expressions, and `format` lays it out
//! as rustfmt does.
//!
//! Invariant: no step edits Rust as text; a verified graph never makes code generation fail.

mod call;
mod folder;
mod format;
mod identifier;
mod literal;
mod method;
mod names;
mod place;
mod size;
mod source;
mod typed;

pub use folder::{Crate, Folder, FolderError, Unwritable};
pub use source::{Code, CodeError, CodeGen, Statement};
