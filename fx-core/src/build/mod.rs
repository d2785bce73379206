//! Models that are captured when a program is built: the build script captures and writes, the program includes.
//!
//! | file | holds |
//! |---|---|
//! | `emit` | the source and the weights in `OUT_DIR` |
//! | `script` | the `main` of a build script, whose errors are cargo's |
//!
//! Invariant: what the program is built of names candle alone; nothing of fx is in its dependencies.

mod emit;
mod script;

pub use emit::{BuildError, Emit, Written};
pub use script::run;
