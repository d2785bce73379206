//! Rust source of a graph: the method that a person would have written.
//!
//! Steps, each in a file: literals of plain data, names of values, expressions of calls, the method around them, and its
//! source, which is formatted by prettyplease.
//!
//! Invariant: no step edits Rust as text; a verified graph never makes code generation fail.

mod call;
mod identifier;
mod literal;
mod method;
mod names;
mod place;
mod size;
mod source;
mod typed;

pub use source::{Code, CodeError, CodeGen, Statement};
