//! [`Target`]: what a node does, and [`Op`], the opcode that can be read off it.
//!
//! Invariant: a target carries exactly what its opcode needs, so that a wrong pair cannot be written down.

use std::fmt;
use std::sync::Arc;

use super::path::ModulePath;
use crate::ops::{CallKind, OpRef};

/// What a node does.
///
/// ```
/// # use fx_core::{ir::{Graph, Op, Target}, ops::elementwise::relu};
/// let mut graph = Graph::new("g");
/// let mut cursor = graph.at_end();
/// let x = cursor.placeholder("x");
/// let y = cursor.create_node(Target::call(&relu::OP), [x.into()], [], Some("hidden"))?;
/// assert_eq!((graph.node(y).op(), graph.node(y).name()), (Op::CallMethod, "hidden"));
/// assert!(matches!(graph.node(y).target(), Target::CallMethod(op) if op.name == "relu"));
/// # Ok::<(), fx_core::ir::BindError>(())
/// ```
///
/// Two targets are equal if they do the same: operations are compared by identity, paths and names by text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// Is an input of the graph; the name of the parameter.
    Placeholder(Arc<str>),
    /// Reads a parameter or buffer of the model.
    GetAttr(ModulePath),
    /// Calls an operation that Rust writes as a function or operator.
    CallFunction(OpRef),
    /// Calls an operation that Rust writes as a method; the receiver is the first argument.
    CallMethod(OpRef),
    /// Calls `forward` of a module that stays whole.
    CallModule(ModulePath),
    /// Is the result of the graph, its one argument.
    Output,
}

impl Target {
    /// A call of an operation, by the opcode that goes with how Rust writes it.
    #[must_use]
    pub const fn call(op: OpRef) -> Self {
        match op.kind {
            CallKind::Function => Self::CallFunction(op),
            CallKind::Method => Self::CallMethod(op),
        }
    }

    /// The opcode.
    #[must_use]
    pub const fn op(&self) -> Op {
        match self {
            Self::Placeholder(_) => Op::Placeholder,
            Self::GetAttr(_) => Op::GetAttr,
            Self::CallFunction(_) => Op::CallFunction,
            Self::CallMethod(_) => Op::CallMethod,
            Self::CallModule(_) => Op::CallModule,
            Self::Output => Op::Output,
        }
    }

    /// The operation that is called, if this calls one.
    ///
    /// None of inputs, reads, calls of modules, and the output.
    #[must_use]
    pub const fn operation(&self) -> Option<OpRef> {
        match self {
            Self::CallFunction(op) | Self::CallMethod(op) => Some(op),
            _ => None,
        }
    }

    /// The path in the model that is read or called, if there is one.
    ///
    /// That is of `get_attr` and `call_module` only.
    #[must_use]
    pub const fn path(&self) -> Option<&ModulePath> {
        match self {
            Self::GetAttr(path) | Self::CallModule(path) => Some(path),
            _ => None,
        }
    }
}

/// The target's own text, without the opcode: `clamp`, `encoder.layers.0`, `x`.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Placeholder(name) => name,
            Self::GetAttr(path) | Self::CallModule(path) => path.as_str(),
            Self::CallFunction(op) | Self::CallMethod(op) => op.name,
            Self::Output => "output",
        })
    }
}

/// The six opcodes of torch.fx.
///
/// | opcode | in a graph's text | target | arguments |
/// |---|---|---|---|
/// | `placeholder` | `graph g(%x)` | the parameter's name | none |
/// | `get_attr` | `%w = get_attr head.weight()` | a path to a tensor | none |
/// | `call_function` | `%add = call_function add(%x, %w)` | an operation | those of the operation |
/// | `call_method` | `%relu = call_method relu(%add)` | an operation | those of the operation, the receiver first |
/// | `call_module` | `%head = call_module head(%relu)` | a path to a layer or child graph | the input, then options; or the child's inputs |
/// | `output` | `output %head` | none | one: a node, or a structure of nodes and plain data |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// An input.
    Placeholder,
    /// A read of a parameter or buffer.
    GetAttr,
    /// A call of a function or operator.
    CallFunction,
    /// A call of a method.
    CallMethod,
    /// A call of a module.
    CallModule,
    /// The result.
    Output,
}

impl Op {
    /// All six, in the order of torch.fx's documentation.
    pub const ALL: [Self; 6] =
        [Self::Placeholder, Self::GetAttr, Self::CallFunction, Self::CallMethod, Self::CallModule, Self::Output];

    /// torch.fx's string for it.
    ///
    /// `"call_function"`, as the graph's text has it, too.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Placeholder => "placeholder",
            Self::GetAttr => "get_attr",
            Self::CallFunction => "call_function",
            Self::CallMethod => "call_method",
            Self::CallModule => "call_module",
            Self::Output => "output",
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
