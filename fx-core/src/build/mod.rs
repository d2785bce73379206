//! Models that are captured when a program is built: the build script captures and writes, the program includes.
//!
//! | file | holds |
//! |---|---|
//! | `emit` | the source and the weights in `OUT_DIR` |
//! | `script` | the `main` of a build script, whose errors are cargo's |
//!
//! A build script captures a model, changes it, and leaves two files in `OUT_DIR`: the source, which the program
//! includes, and the weights, which it loads or holds. All of it:
//!
//! ```no_run
//! # fn capture() -> Result<fx_core::module::GraphModule, fx_core::trace::TraceError> {
//! #     fx_core::trace::Tracer::new().trace_fn(|inputs| inputs.tensor("x")?.relu())
//! # }
//! use fx_core::build::{Emit, run};
//!
//! fn main() -> std::process::ExitCode {
//!     run(|| {
//!         let module = capture()?;
//!         Emit::new("model").module(&module).write()?;
//!         Ok(())
//!     })
//! }
//! ```
//!
//! Invariant: what the program is built of names candle alone; nothing of fx is in its dependencies.

mod emit;
mod script;

pub use emit::{BuildError, Emit, Written};
pub use script::run;
