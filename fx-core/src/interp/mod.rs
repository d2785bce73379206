//! Running a graph module on candle.
//!
//! | file | holds |
//! |---|---|
//! | `plan`, `run` | the quick way: by a plan made once for each revision of the graph |
//! | `constant` | what a call gives that needs no inputs |
//! | `processing` | calling a graph as the original was called |
//! | `environment`, `place`, `interpreter`, `execution` | node by node, with hooks, and who looks on |
//! | `shape_prop`, `observers` | looking on |
//! | `transformer` | making another graph, node by node |
//!
//! There are two ways to run a graph, with equal results.
//! [`GraphModule::forward`](crate::module::GraphModule::forward), [`GraphModule::run`](crate::module::GraphModule::run)
//! and their like go by a plan and are what programs use. An [`Interpreter`] goes node by node, and can be overridden
//! or looked at; it is what tools use.
//!
//! | to | use |
//! |---|---|
//! | run | [`GraphModule::forward`](crate::module::GraphModule::forward), [`run`](crate::module::GraphModule::run), [`run_named`](crate::module::GraphModule::run_named) |
//! | ask whether the graph is for these inputs | [`GraphModule::accepts`](crate::module::GraphModule::accepts) |
//! | compute something else for some nodes | [`Interpreter`], one hook for each opcode |
//! | start in the middle, keep all values | [`Execution`] |
//! | look on | [`Observer`]; ready ones are [`Activations`], [`Profiler`] and [`ShapeProp`] |
//! | make another graph, hook by hook | [`Transformer`] |
//!
//! A run takes the values of the graph's parameters and gives back what the original would. It is refused if an input
//! has another shape or dtype than the graph was captured at, because numbers made of those are in the graph.
//!
//! Invariant: results equal the original's bit for bit; a value is dropped after its last use.

mod constant;
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

pub(crate) use constant::{Constants, constant};
pub use environment::Environment;
pub use error::{NodeError, RunError};
pub use execution::{Execution, Observer};
pub use interpreter::{Fetched, Interpreter, Running};
pub use observers::{Activations, Profiler};
pub use processing::{process_inputs, process_outputs};
pub use shape_prop::ShapeProp;
pub use transformer::{Emit, TransformError, Transformer};
