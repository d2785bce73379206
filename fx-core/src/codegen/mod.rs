//! Rust source of a graph: the method that a person would have written.
//!
//! Steps, each in a file: literals of plain data, names of values, expressions of calls, and the method around them,
//! which is formatted by prettyplease.
//!
//! Invariant: no step edits text; a verified graph never makes code generation fail.

mod call;
mod identifier;
mod literal;
mod method;
mod names;
mod place;
