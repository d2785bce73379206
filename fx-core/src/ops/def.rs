//! [`OpDef`]: everything that is known of an operation, in one place.
//!
//! Invariant: no other module names an operation. Proxies, interpreter, shape rules, code generation, the text reader,
//! docs and tests all read these fields.

use std::fmt;

use crate::value::{Fact, Value};

use super::kind::Kind;

/// How a call of the operation is written in Rust.
///
/// It decides the opcode of a call, [`Target::call`](crate::ir::Target::call): `call_method` or `call_function`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// `x.relu()`: the first argument is the receiver.
    Method,
    /// `candle_nn::ops::softmax(x, 1)`, or an operator.
    Function,
}

/// What a call does besides computing its result.
///
/// It decides what [`Graph::eliminate_dead_code`](crate::ir::Graph::eliminate_dead_code) may take away, what
/// [`CommonSubexpressions`](crate::passes::CommonSubexpressions) may merge, and which calls keep their order. Of a
/// layer, [`LayerModule::effect`](crate::module::LayerModule::effect) tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Nothing: the same arguments give the same result, and an unused call can go.
    Pure,
    /// Draws random numbers: two calls differ. An unused one stays unless whoever removes them says otherwise, because the
    /// calls after it would draw other numbers.
    Random,
    /// Something else is changed, or the call is there to fail, as an assertion is: it must stay, in its place.
    Changes,
}

/// What a call gives.
///
/// Generated source reads it to write `?` where a call can fail, and the parts of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResultKind {
    /// A tensor, in a `Result`.
    Tensor,
    /// A tensor.
    BareTensor,
    /// A `Vec` of tensors.
    Tensors,
    /// Two tensors in a tuple.
    TensorPair,
    /// Whatever a user's function gives, in a `Result`.
    Any,
    /// Whatever a user's function gives that cannot fail.
    BareAny,
}

/// A parameter of an operation.
///
/// Every parameter has exactly one argument in a graph: there are no defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    /// Its name, as candle has it.
    pub name: &'static str,
    /// Whether graphs write it by position (tensors and lists of them) or by name (everything else).
    pub positional: bool,
    /// What it takes.
    pub kind: Kind,
    /// Its type in the signature of a user's function, as Rust; empty for candle's, whose kinds say it.
    pub written: &'static str,
}

impl Param {
    /// A parameter of a user's function, by position if it takes tensors, else by name.
    ///
    /// `positional` says which. What it takes is not checked ([`Kind::Any`]).
    #[must_use]
    pub const fn new(name: &'static str, positional: bool) -> Self {
        Self { name, positional, kind: Kind::Any, written: "" }
    }

    /// A parameter of this name and kind.
    ///
    /// By position if the kind is a tensor or can be one, else by name.
    #[must_use]
    pub const fn of(name: &'static str, kind: Kind) -> Self {
        let positional = matches!(kind, Kind::Tensor | Kind::OptTensor | Kind::Tensors | Kind::Operand | Kind::List);
        Self { name, positional, kind, written: "" }
    }

    /// The same, of this type in Rust.
    #[must_use]
    pub const fn written(mut self, ty: &'static str) -> Self {
        self.written = ty;
        self
    }
}

/// The resolved arguments of a call, in the order of the parameters.
///
/// What [`OpDef::eval`] is called with. [`Args::get`] decodes one; there must be a value for each parameter.
#[derive(Clone, Copy)]
pub struct Args<'v> {
    /// The operation, for messages.
    pub op: OpRef,
    /// One value per parameter.
    pub values: &'v [&'v Value],
}

/// What is known of the arguments of a call, in the order of the parameters.
///
/// What [`OpDef::infer`], [`OpDef::decides`] and [`OpDef::macs`] are called with. [`Facts::get`] decodes one.
#[derive(Clone, Copy)]
pub struct Facts<'v> {
    /// The operation, for messages.
    pub op: OpRef,
    /// One fact per parameter.
    pub facts: &'v [&'v Fact],
}

/// Evaluates a call on candle.
///
/// It refuses what candle refuses, and arguments of another kind than the parameters take.
pub type Eval = fn(Args<'_>) -> candle_core::Result<Value>;

/// Computes what is known of the result of a call; refuses what candle would refuse.
///
/// [`Fact::Unknown`] where an argument is not known. No data is read, and no kernel runs.
pub type Infer = fn(Facts<'_>) -> Result<Fact, super::infer::InferError>;

/// The comparison by which a call decides how many dimensions or parts its result has, of what is known of its arguments; none
/// if that is always the same.
///
/// `x.squeeze(0)` takes a dimension away if its extent is 1, which is `extent == 1`. A capture for all sizes makes a guard of
/// it, as of the comparisons that a model writes.
pub type Decides = fn(Facts<'_>) -> Option<(i64, crate::value::Relation, i64)>;

/// How many numbers a call multiplies and adds up, of what is known of its arguments and its result; none if that is not
/// known.
pub type Macs = fn(Facts<'_>, &Fact) -> Option<u64>;

/// Operations of the same arguments on which an operation is tested, see [`super::sample`].
pub type Samples = fn() -> Vec<super::sample::Sample>;

/// An operation: its one description.
///
/// The built-in ones are in the modules of [`ops`](super), found by name in [`OpTable`](super::OpTable). An operation
/// of the user's is a `static` of this type:
///
/// ```
/// use candle_core::{Device, Result, Tensor};
/// use fx_core::ir::Graph;
/// use fx_core::module::{Attributes, GraphModule};
/// use fx_core::ops::{Args, OpDef, Param};
/// use fx_core::value::Value;
///
/// fn doubled(args: Args<'_>) -> Result<Value> {
///     let x: &Tensor = args.get(0)?;
///     Ok(Value::Tensor((x * 2.0)?))
/// }
/// static DOUBLED: OpDef = OpDef::wrapped("ours::doubled", &[Param::new("x", true)], doubled);
///
/// let mut graph = Graph::new("g");
/// let mut cursor = graph.at_end();
/// let x = cursor.placeholder("x");
/// let y = cursor.call(&DOUBLED, [x.into()], [])?;
/// cursor.output(y);
/// assert_eq!(graph.node(y).name(), "doubled");
///
/// let module = GraphModule::new(graph, Attributes::new())?;
/// assert_eq!(module.forward(&[Tensor::new(3f32, &Device::Cpu)?])?.to_scalar::<f32>()?, 6.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct OpDef {
    /// Unique name: `relu` for a method, the full path `candle_nn::ops::softmax` for a function.
    pub name: &'static str,
    /// How a call is written.
    pub kind: CallKind,
    /// The parameters, the receiver of a method first.
    pub params: &'static [Param],
    /// One paragraph for the docs.
    pub doc: &'static str,
    /// What a call gives.
    pub result: ResultKind,
    /// What a call does besides its result.
    pub effect: Effect,
    /// The call on candle; compiled from the same tokens as `source`.
    pub eval: Eval,
    /// The shape and dtype rule.
    pub infer: Infer,
    /// The comparison by which it decides how many dimensions or parts the result has, if it does.
    pub decides: Decides,
    /// Multiply-accumulates: those of products of matrices and of convolutions. What is done element by element, added up
    /// or moved has none.
    pub macs: Macs,
    /// The candle expression of a call, over the parameters' names; what generated code says. Empty for a plain call of
    /// the function by name.
    pub source: &'static str,
    /// Arguments to test it on.
    pub samples: Samples,
}

/// A reference to an operation. Operations are static; two references are equal if they are the same operation.
pub type OpRef = &'static OpDef;

impl OpDef {
    /// A user's function recorded as one call, what `#[fx::wrap]` makes: evaluated by calling it, of unknown shape
    /// until it runs.
    ///
    /// An unused call of it stays ([`Effect::Changes`]), it returns a `Result`, and it is called as a function.
    #[must_use]
    pub const fn wrapped(name: &'static str, params: &'static [Param], eval: Eval) -> Self {
        Self {
            name,
            kind: CallKind::Function,
            params,
            doc: "A function recorded whole by `#[fx::wrap]`.",
            result: ResultKind::Any,
            // What it does inside is not known, so an unused call is kept.
            effect: Effect::Changes,
            eval,
            infer: |_| Ok(Fact::Unknown),
            decides: |_| None,
            macs: |_, _| None,
            source: "",
            samples: Vec::new,
        }
    }

    /// Whether it is a function of the user's, of which nobody knows what it does inside.
    pub(crate) fn is_wrapped(&self) -> bool {
        self.source.is_empty()
    }

    /// The same, of a function that returns a `Result` or not.
    ///
    /// Generated source writes `?` after the call if it does.
    #[must_use]
    pub const fn fallible(mut self, fallible: bool) -> Self {
        self.result = if fallible { ResultKind::Any } else { ResultKind::BareAny };
        self
    }

    /// The same operation with another effect: what torch.fx's `has_side_effect` says of a user's function, and the
    /// contrary. A wrapped function counts as one that changes something until this says otherwise.
    ///
    /// ```
    /// use fx_core::ops::{Effect, OpDef, Param};
    ///
    /// static SCALE: OpDef = OpDef::wrapped("ours::scale", &[Param::new("x", true)], |args| {
    ///     Ok(args.values[0].clone())
    /// })
    /// .with_effect(Effect::Pure);
    /// assert_eq!(SCALE.effect, Effect::Pure);
    /// ```
    #[must_use]
    pub const fn with_effect(mut self, effect: Effect) -> Self {
        self.effect = effect;
        self
    }

    /// Last segment of the name, what nodes are named after: `softmax`.
    #[must_use]
    pub fn short_name(&self) -> &'static str {
        self.name.rsplit("::").next().unwrap_or(self.name)
    }

    /// Position of a parameter by name.
    ///
    /// Its number among [`OpDef::params`], from 0; none if there is no such parameter.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<usize> {
        self.params.iter().position(|param| param.name == name)
    }
}

impl PartialEq for OpDef {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for OpDef {}

impl std::hash::Hash for OpDef {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        std::ptr::hash(self, state);
    }
}

impl fmt::Debug for OpDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OpDef({})", self.name)
    }
}
