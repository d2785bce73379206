//! The symbolic world: what candle's names mean in a twin.
//!
//! A twin's body is the user's own tokens in a scope that imports these names instead of candle's. Everything that is not
//! about tensors is candle's own, passed on.
//!
//! Users meet these names in error messages of rustc only, and in
//! [`Tracer::trace_with`](crate::trace::Tracer::trace_with), where mirrors have them: [`Tensor`] is
//! [`Proxy`](crate::trace::Proxy), a layer is its [`Leaf`](crate::leaf::Leaf).
//!
//! Invariant: a path that is valid with candle is valid here.

pub mod candle_core;
pub mod candle_nn;
mod candle_transformers;

pub use crate::leaf::OpaqueLeaf;
pub use crate::trace::{Module, ModuleT, Proxy as Tensor};

pub use self::candle_nn::{Func, FuncT, Sequential, VarBuilder, func, func_t, loss, ops, rotary_emb, seq};
pub use self::candle_transformers::SplitOp;

#[doc(hidden)]
pub use crate::trace::functions::{bare, transformers};
