//! Rust source of a graph: what a person would have written.
//!
//! Steps, each in a file: literals of plain data, names of values, expressions of calls; `format` lays them out as rustfmt
//! does. `folder` writes a whole crate of them, or the function of the graph alone, which `source` gives.
//!
//! | to write | use |
//! |---|---|
//! | the `forward` of a graph, to be read | [`GraphModule::code`](crate::module::GraphModule::code); with comments or changes [`CodeGen`] |
//! | a crate that computes it, with its weights | [`GraphModule::to_folder`](crate::module::GraphModule::to_folder); with comments, dependencies or changes [`Folder`] |
//! | the same without files | [`Folder::write`], which gives a [`Crate`] |
//! | what a program includes that captures a model when it is built | [`build`](mod@crate::build) |
//!
//! Names are those of the source program, values are dropped after their last use, and equal modules are written once.
//! The text depends on the module alone. Of each line it is known which node it is of ([`Code::node_at`]).
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
