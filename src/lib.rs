//! torch.fx for Rust: capture candle models as graphs, transform them, and write them back as Rust source.
//!
//! Put [`module`](macro@module) on a candle model and its impls, and capture it with [`symbolic_trace`], [`trace`](fn@trace) or
//! a [`Tracer`]. The result is a [`GraphModule`]: it prints ([`GraphModule::graph`]), runs ([`GraphModule::forward`]) and
//! is written back as Rust ([`GraphModule::code`]).
//!
//! This crate only gathers names; the work is done in `candle-fx-core`, whose crate page is the map.

pub use fx_core::build;
pub use fx_core::codegen;
pub use fx_core::compile;
pub use fx_core::compile::{Compiled, compile};
pub use fx_core::interp::{self, Interpreter, RunError, Transformer};
pub use fx_core::ir::{self, Argument, Cursor, Graph, ModulePath, Node, NodeId, Op, Target};
pub use fx_core::meta;
pub use fx_core::module::{Attribute, Attributes, GraphModule, LayerModule, LayerState, LayerTable, State};
pub use fx_core::ops::{self, OpDef, OpRef};
pub use fx_core::passes::{self, replace_pattern};
pub use fx_core::summary::{self, Summary};
pub use fx_core::symbolic;
pub use fx_core::trace::{
    Inputs, ModuleCall, NewNode, PH, PHWithMeta, Proxy, Scope, Symbolic, ToOutput, TraceError, Traceable, Tracer,
    TracerRules, symbolic_trace, trace,
};
pub use fx_core::value::{self, Fact, Sizes, SymFloat, SymInt, SymNumber, TensorFact, Value};
pub use fx_macros::{constant, module, op_of, wrap};
pub use fx_nn as nn;

/// What the attributes' output names. Not for users.
#[doc(hidden)]
pub mod __private {
    pub use fx_core::private::*;
}

/// The README's code blocks, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
