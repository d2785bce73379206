//! Running a graph module on candle.
//!
//! | file | holds |
//! |---|---|
//! | `plan`, `run` | the quick way: by a plan made once for each revision of the graph |
//! | `processing` | calling a graph as the original was called |
//! | `environment`, `place`, `interpreter`, `execution` | node by node, with hooks, and who looks on |
//! | `shape_prop`, `observers` | looking on |
//! | `transformer` | making another graph, node by node |
//!
//! Invariant: results equal the original's bit for bit; a value is dropped after its last use.

mod environment;
mod error;
mod execution;
mod interpreter;
mod observers;
mod place;
mod plan;
mod processing;
mod run;
mod shape_prop;
mod sizes;
mod transformer;

pub use environment::Environment;
pub use error::{NodeError, RunError};
pub use execution::{Execution, Observer};
pub use interpreter::{Fetched, Interpreter, Running};
pub use observers::{Activations, Profiler};
pub use processing::{process_inputs, process_outputs};
pub use shape_prop::ShapeProp;
pub use transformer::{Emit, TransformError, Transformer};
