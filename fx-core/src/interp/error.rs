//! [`RunError`]: why a graph did not run.
//!
//! Invariant: an error inside a node names the node, what it calls, the shapes, and the user's line.

use crate::ir::{Argument, BindError};
use crate::module::{BindInputsError, GraphModule, MissingAttribute, ShareStateError};
use crate::value::SymError;

/// Why a graph did not run.
///
/// ```
/// use candle_core::{DType, Device, Tensor};
/// use fx_core::{interp::RunError, trace::Tracer};
///
/// let module = Tracer::new().trace_fn(|inputs| {
///     let x = inputs.tensor("x")?;
///     x.relu()?.matmul(&x)
/// })?;
/// let x = Tensor::zeros((2, 3), DType::F32, &Device::Cpu)?;
/// match module.forward(&[x]) {
///     Err(RunError::Node(error)) => assert_eq!((&*error.node, &*error.arguments), ("matmul", "f32[2, 3], f32[2, 3]")),
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A run that failed has changed nothing: the state is as it was. The message has all of it; fields are for programs
/// that tell errors apart.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Another number of inputs than the graph has placeholders.
    #[error("the graph takes {} ({names}), but was given {found}", inputs(*expected))]
    InputCount {
        /// Number of placeholders.
        expected: usize,
        /// Their names.
        names: String,
        /// Number of inputs given.
        found: usize,
    },
    /// An input is given by a name that no parameter has.
    #[error("the graph has no input `{name}`; it takes {names}")]
    UnknownInput {
        /// The name.
        name: String,
        /// Names of the parameters.
        names: String,
    },
    /// An input is given twice.
    #[error("the input `{name}` is given twice")]
    TwiceGiven {
        /// The parameter.
        name: String,
    },
    /// An input is not given, and has no default.
    #[error("the input `{name}` is not given; the graph takes {names}")]
    MissingInput {
        /// The parameter.
        name: String,
        /// Names of the parameters.
        names: String,
    },
    /// An input of another shape or dtype than the graph was captured at.
    #[error(
        "input `{input}` is {found}, but the graph was captured at {expected}: numbers that the model made of that are \
         baked in; capture with such an input again, or, if the model makes none, set the fact of the placeholder to \
         unknown"
    )]
    OtherInput {
        /// The placeholder.
        input: String,
        /// What it was captured at.
        expected: String,
        /// What was given.
        found: String,
    },
    /// Two inputs say that one size is two things.
    #[error("`{size}` is {first} by {first_place}, but {second} by {second_place}")]
    SizesDiffer {
        /// The size.
        size: String,
        /// What it is by the first input.
        first: i64,
        /// The first input, and which dimension.
        first_place: String,
        /// What it is by the second.
        second: i64,
        /// The second input, and which dimension.
        second_place: String,
    },
    /// The original takes another way than the graph at these sizes.
    #[error("the graph holds for {guard}, but here {values}{at}")]
    Guard {
        /// The condition.
        guard: String,
        /// The sizes of this run, and both sides of the condition.
        values: String,
        /// Where the model compares them, and what to do, as clauses of their own lines.
        at: String,
    },
    /// A number of a guard has no value at these sizes.
    #[error(transparent)]
    Size(#[from] SymError),
    /// An argument of a node has no value at these sizes.
    #[error("{reason}\n  in {line}")]
    NoValue {
        /// The node as the graph prints it.
        line: String,
        /// Why.
        reason: SymError,
    },
    /// A call gives something else than at the capture, and only running it tells what.
    #[error(
        "{line}\n  gave {found}, but {expected} when it was captured: what the model made of that is baked in; capture again, \
         or put what depends on it into the function"
    )]
    OtherResult {
        /// The node as the graph prints it.
        line: String,
        /// What it gave at the capture.
        expected: String,
        /// What it gives now.
        found: String,
    },
    /// candle refuses a call.
    #[error(transparent)]
    Node(Box<NodeError>),
    /// candle refuses something in a hook; a run says in which node ([`RunError::Node`]).
    #[error(transparent)]
    Candle(#[from] candle_core::Error),
    /// An input differs from the value that the graph was captured with.
    #[error(
        "`{input}` was specialised to {expected} when it was captured, but {found} was given; capture again with {found}, \
         or make `{input}` an input of the graph"
    )]
    Specialised {
        /// The parameter, or the part of it: `config.depth`.
        input: String,
        /// What it was captured with.
        expected: String,
        /// What was given.
        found: String,
    },
    /// An input is structured in another way than at the capture.
    #[error("`{input}` should be {expected}, but is {found}")]
    OtherStructure {
        /// The parameter, or the part of it: `hs[0]`.
        input: String,
        /// What it was captured with.
        expected: String,
        /// What was given.
        found: String,
    },
    /// The state is another than the graph was captured in.
    #[error(
        "state `{slot}` should be {expected}, as when the graph was captured, but is {found}: capture a second graph for \
         that state, or put back one that fits (`reset_state`, `set_state`)"
    )]
    OtherState {
        /// The part of the state, or what is in it: `cache.kvs[0]`.
        slot: String,
        /// What it was at the capture.
        expected: String,
        /// What it is.
        found: String,
    },
    /// The state has what the graph reads as a constant.
    #[error(transparent)]
    Constant(#[from] ShareStateError),
    /// An operation does not take what it is called with: the graph is not well formed.
    #[error("{reason}\n  in {line}")]
    Arguments {
        /// The node as the graph prints it.
        line: String,
        /// Why.
        reason: BindError,
    },
    /// A child graph does not take what it is called with.
    #[error("{reason}\n  in {line}")]
    Inputs {
        /// The node as the graph prints it.
        line: String,
        /// Why.
        reason: BindInputsError,
    },
    /// Graphs are nested deeper than [`GraphModule::MAX_DEPTH`].
    #[error("graphs are nested more than {} deep", GraphModule::MAX_DEPTH)]
    TooDeep,
    /// What a graph is given or gives is nested deeper than [`Argument::MAX_DEPTH`].
    #[error("a value that the graph `{graph}` is given or gives is nested more than {} deep", Argument::MAX_DEPTH)]
    ValueTooDeep {
        /// Name of the graph.
        graph: String,
    },
    /// A size or a part of the state is read from an input that was erased: the graph is not well formed.
    #[error("`{what}` is read from an input that is not in the graph any more; `graph.verify()` says more")]
    GoneInput {
        /// The size, or the part of the state.
        what: String,
    },
    /// The graph names what the module does not have.
    #[error(transparent)]
    Missing(#[from] MissingAttribute),
    /// The graph has no output node.
    #[error("the graph has no output")]
    NoOutput,
    /// A node reads a value that is not computed before it: the graph is not well formed.
    #[error("{line}\n  reads %{input}, which is not computed before it; `graph.verify()` says more")]
    NotComputed {
        /// The node as the graph prints it.
        line: String,
        /// The value it reads.
        input: String,
    },
    /// The result is not one tensor.
    #[error("the graph returns {found}, not one tensor: use `run`, which returns any value")]
    NotOneTensor {
        /// What it returns.
        found: String,
    },
}

fn inputs(count: usize) -> String {
    if count == 1 { "1 input".to_owned() } else { format!("{count} inputs") }
}

/// A node that candle refused.
///
/// It is inside of [`RunError::Node`].
#[derive(Debug, thiserror::Error)]
#[error("{line}\n  failed: {reason}\n  called with {arguments}{at}")]
pub struct NodeError {
    /// Name of the node.
    pub node: String,
    /// The node as the graph prints it.
    pub line: String,
    /// candle's reason.
    pub reason: String,
    /// The arguments, with shapes.
    pub arguments: String,
    /// The user's line, as a clause of its own line.
    pub at: String,
    /// The error itself, with its type.
    pub cause: candle_core::Error,
}

impl From<RunError> for candle_core::Error {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Candle(error) => error,
            other => Self::Msg(other.to_string()),
        }
    }
}
