//! torch.fx for Rust: capture candle models as graphs, transform them, and write them back as Rust source.
//!
//! Put [`module`](macro@module) on a candle model and its impls, and capture it with [`symbolic_trace`], [`trace`](fn@trace) or
//! a [`Tracer`]. The result is a [`GraphModule`]: it prints ([`GraphModule::graph`]), runs ([`GraphModule::forward`]) and
//! is written back as Rust ([`GraphModule::code`]).
//!
//! ```
//! use candle_core::{DType, Device, Result, Tensor};
//! use candle_nn::{Linear, Module, linear};
//!
//! #[fx::module]
//! struct Mlp {
//!     up: Linear,
//!     down: Linear,
//! }
//!
//! #[fx::module]
//! impl Module for Mlp {
//!     fn forward(&self, x: &Tensor) -> Result<Tensor> {
//!         x.apply(&self.up)?.gelu()?.apply(&self.down)
//!     }
//! }
//!
//! fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
//!     let vb = fx::meta::var_builder(DType::F32, &Device::Cpu);
//!     let model = Mlp { up: linear(8, 32, vb.pp("up"))?, down: linear(32, 4, vb.pp("down"))? };
//!     let mut captured = fx::symbolic_trace(&model)?;
//!     let names: Vec<&str> = captured.graph().nodes().map(|(_, node)| node.name()).collect();
//!     assert_eq!(names, ["x", "up", "gelu", "down", "output"]);
//!
//!     // Another activation, wherever it is.
//!     let (found, put) = (fx::passes::pattern(|[x]| x.gelu())?, fx::passes::pattern(|[x]| x.relu())?);
//!     assert_eq!(fx::replace_pattern(&mut captured, found, put)?.len(), 1);
//!     let x = Tensor::ones((2, 8), DType::F32, &Device::Cpu)?;
//!     assert_eq!(captured.forward(&[&x])?.dims(), [2, 4]);
//!     assert!(captured.code().contains("let relu = up.relu()?;"));
//!     Ok(())
//! }
//! ```
//!
//! | to | use |
//! |---|---|
//! | let a model be captured | [`module`](macro@module); [`constant`](macro@constant) on plain data; [`wrap`](macro@wrap) on functions to be one node |
//! | capture it | [`symbolic_trace`], [`trace`](fn@trace), [`Tracer`] and [`TracerRules`]; when it is called, [`compile()`] |
//! | hold weights that take no memory | [`meta`] |
//! | look at a graph, edit it | [`Graph`], [`Node`], [`Cursor`], [`ir`]; as a table, [`Summary`] |
//! | change it by passes | [`passes`], [`replace_pattern`] |
//! | run it | [`GraphModule`], [`State`]; node by node, [`Interpreter`]; into another graph, [`Transformer`] |
//! | write Rust | [`GraphModule::code`], [`GraphModule::to_folder`], [`codegen`]; from a build script, [`build`] |
//! | use torch.nn's layers | [`nn`] |
//!
//! This crate only gathers names; the work is done in `candle-fx-core`, whose crate page is the table of contents of the manual.

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
