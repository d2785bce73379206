//! [`TraceError`]: why a capture failed, where in the user's source, and what to write instead.
//!
//! Invariant: every variant that a user's line causes carries that line.

use std::fmt;
use std::panic::Location;

/// A place in the user's source.
///
/// Shown as `src/model.rs:10:23`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At(pub &'static Location<'static>);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Why a capture failed.
///
/// The model is as it was. Each message says what was met, the line in the model's source, and what to write instead.
///
/// ```
/// use fx_core::trace::{TraceError, Tracer};
///
/// let error = Tracer::new().trace_fn(|inputs| inputs.tensor("x")?.dims2()).unwrap_err();
/// assert!(matches!(&error, TraceError::Unknown { query: "dims2", node, .. } if node == "x"));
/// assert!(error.to_string().contains("give it, `Tracer::new().input(\"x\", DType::F32, (2, 3))"), "{error}");
/// ```
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// candle refuses a call, or its shape rule does.
    #[error("`{op}` is refused: {reason}\n  at {at}\n  called with {arguments}")]
    Refused {
        /// Name of the operation or layer.
        op: String,
        /// candle's reason.
        reason: String,
        /// The arguments, with shapes.
        arguments: String,
        /// The user's line.
        at: At,
    },
    /// Data of a tensor is read where there is none.
    #[error(
        "`{method}` reads the data of a tensor, {capture}\n  at {at}\n  \
         to record what reads as one node that runs each time, put it into a function of tensors with `#[fx::wrap]` \
         (`#[fx::wrap(pure)]` if calling it changes nothing); to bake the value of example inputs into the graph, capture with \
         `Tracer::new().specialize(true)`"
    )]
    DataRead {
        /// `to_scalar`, `to_vec1`, …
        method: &'static str,
        /// What the capture does about it, as a clause.
        capture: &'static str,
        /// The user's line.
        at: At,
    },
    /// The shape or dtype of a value is asked for and not known.
    #[error("`{query}` needs {what} of %{node}, which is not known{because}\n  at {at}\n  {remedy}")]
    Unknown {
        /// `dims3`, `dtype`, …
        query: &'static str,
        /// `the shape` or `the dtype`.
        what: &'static str,
        /// The node asked.
        node: String,
        /// Which input it depends on, as a clause.
        because: String,
        /// What to write instead.
        remedy: String,
        /// The user's line.
        at: At,
    },
    /// An argument was not given.
    #[error("`{method}` takes `{name}: {ty}`, which was not given: {remedy}{given}")]
    MissingArgument {
        /// The method.
        method: &'static str,
        /// The parameter.
        name: String,
        /// Its type, as the user wrote it.
        ty: String,
        /// How to give it.
        remedy: String,
        /// Arguments that were given and not yet asked for, as a clause.
        given: String,
    },
    /// A shape was given that no tensor can have.
    #[error("`{name}` is given the shape {shape}, which has more elements than can be counted")]
    TooLarge {
        /// The parameter.
        name: String,
        /// The shape.
        shape: String,
    },
    /// An argument was given as something that the parameter is not.
    #[error("`{method}` takes `{name}: {ty}`, but was given `{found}`")]
    WrongArgument {
        /// The method.
        method: &'static str,
        /// The parameter.
        name: String,
        /// Its type, as the user wrote it.
        ty: String,
        /// Type of what was given.
        found: String,
    },
    /// Arguments were given that the method does not have.
    #[error("`{method}` takes {expected}, but was also given {extra}")]
    ExtraArguments {
        /// The method.
        method: &'static str,
        /// The parameters it has.
        expected: String,
        /// The ones it was given besides.
        extra: String,
    },
    /// A tensor is made by a twin outside a capture.
    #[error("`{method}` records into a graph, but no capture is running\n  at {at}")]
    NoCapture {
        /// The method.
        method: &'static str,
        /// The user's line.
        at: At,
    },
    /// Values of two captures meet in one call.
    #[error("`{op}` is called on values of two different captures\n  at {at}")]
    TwoCaptures {
        /// Name of the operation.
        op: String,
        /// The user's line.
        at: At,
    },
    /// A tensor is written in place.
    #[error(
        "`{method}` writes into a tensor in place, which a graph of values cannot\n  at {at}\n  \
         write `x = {instead}`, or keep the tensor in one of the caches of `candle_nn::kv_cache`"
    )]
    InPlace {
        /// `slice_set`, …
        method: &'static str,
        /// The expression that gives the value instead.
        instead: &'static str,
        /// The user's line.
        at: At,
    },
    /// A custom operation of the user's.
    #[error(
        "`{method}` runs a custom operation, which the graph cannot keep or knows nothing of\n  at {at}\n  \
         make it `Clone` if it is one of your own, or put the call into a function of its own with `#[fx::wrap]`: it is \
         recorded as one node that runs each time"
    )]
    CustomOp {
        /// `apply_op1`, …
        method: &'static str,
        /// The user's line.
        at: At,
    },
    /// A layer is made of tensors that are not the model's.
    #[error(
        "a `{layer}` is made here of tensors that are computed from the inputs, and a graph holds layers of weights\n  \
         at {at}\n  call what the layer does instead, as `x.conv2d(…)` or `x.matmul(…)`"
    )]
    MadeOfInputs {
        /// Type of the layer.
        layer: &'static str,
        /// The user's line.
        at: At,
    },
    /// A field of a result is neither a tensor nor plain data.
    #[error("a field of the result is a `{found}`, which a graph cannot return")]
    NotAValue {
        /// Type of the field.
        found: String,
    },
    /// What the model keeps has changed in a way that no value can tell.
    #[error(
        "`{path}` is changed by the call, and holds a layer or data that cannot be compared, so it cannot be state of a \
         graph: keep tensors and plain data with `Debug` there"
    )]
    OpaqueState {
        /// Where it is.
        path: String,
    },
    /// A lock of the model is held while it is captured.
    #[error("`{path}` is locked or mutably borrowed: let go of it before the model is captured")]
    Locked {
        /// Where it is.
        path: String,
    },
    /// The model holds an error where a value should be.
    #[error("`{path}` of the model is an error, which has no mirror: handle it where the model is made")]
    Failed {
        /// Where it is.
        path: String,
    },
    /// A layer cannot be owned by a graph.
    #[error(
        "a `{layer}` (at `{path}`) can neither be cloned nor sent to another thread, so a graph that calls it must own \
         the model\n  at {at}\n  share the model, `fx::symbolic_trace(&Rc::new(model))`, or hold the layers in a struct \
         or a `Vec` that is annotated or can be cloned"
    )]
    NotShareable {
        /// Type of the layer.
        layer: String,
        /// Where it is.
        path: String,
        /// The user's line.
        at: At,
    },
    /// A module or function that the rules want whole returns something that a graph cannot give back.
    #[error(
        "`{path}` cannot be called whole, because a graph cannot give back a `{found}`\n  at {at}\n  \
         return tensors, tuples and vectors of them, or plain numbers"
    )]
    NotRecordable {
        /// Where it is.
        path: String,
        /// What it returns.
        found: String,
        /// The user's line.
        at: At,
    },
    /// The rules want a module whole whose `forward` a graph cannot call.
    #[error(
        "`{type_name}` (at `{path}`) cannot be called whole, as `is_leaf_module` asks: its `{method}` {reason}\n  at {at}\n  \
         change that, or let `is_leaf_module` answer `false` for it, and the capture goes through it"
    )]
    NotWhole {
        /// Name of its type.
        type_name: &'static str,
        /// Where it is.
        path: String,
        /// `forward` or `forward_t`.
        method: &'static str,
        /// What stands against it, as the rest of a sentence.
        reason: &'static str,
        /// The user's line.
        at: At,
    },
    /// The rules want a module whole that a function builds of closures.
    #[error(
        "what `{function}` builds (at `{path}`) cannot be called whole, as `is_leaf_module` asks: a capture that builds a \
         model has no other than its twin\n  let `is_leaf_module` answer `false` for it, or build the model first, hold it in \
         a struct with `#[fx::module]`, and capture that"
    )]
    BuiltNotWhole {
        /// The function.
        function: &'static str,
        /// Where the part is.
        path: String,
    },
    /// The rules want a function whole that a graph cannot call.
    #[error(
        "`{function}` cannot be called whole, as `is_leaf_function` asks: it {reason}\n  at {at}\n  \
         change that, or let `is_leaf_function` answer `false` for it, and the capture goes through it"
    )]
    FunctionNotWhole {
        /// Its path.
        function: &'static str,
        /// What stands against it, as the rest of a sentence.
        reason: &'static str,
        /// The user's line.
        at: At,
    },
    /// The capture's own rules refuse something.
    #[error("{what} is refused by the rules of the capture: {reason}{}", .at.map(|at| format!("\n  at {at}")).unwrap_or_default())]
    Vetoed {
        /// The node or module.
        what: String,
        /// The rules' reason.
        reason: String,
        /// The user's line, where there is one.
        at: Option<At>,
    },
    /// A function of the user's is named like one of candle's and not annotated.
    #[error(
        "`{function}` is called here by its bare name, and is not candle's\n  at {at}\n  annotate it with `#[fx::module]` \
         or `#[fx::wrap]`, or call candle's by its path"
    )]
    Unannotated {
        /// The function.
        function: &'static str,
        /// The user's line.
        at: At,
    },
    /// The model cannot be captured for all the sizes that were declared.
    #[error(transparent)]
    Dynamic(Box<super::dynamic::DynamicError>),
    /// The model itself returned an error.
    #[error("the model returned an error while it was captured: {0}")]
    Model(String),
    /// The model panicked.
    #[error("the model panicked while it was captured: {0}")]
    Panicked(String),
}

impl From<super::dynamic::DynamicError> for TraceError {
    fn from(error: super::dynamic::DynamicError) -> Self {
        Self::Dynamic(Box::new(error))
    }
}
