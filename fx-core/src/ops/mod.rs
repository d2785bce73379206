//! Operations: what one is ([`OpDef`]) and every one that candle models call, described once each.
//!
//! Invariant: nothing outside this folder names an operation.

pub mod def;
pub mod infer;
pub mod sample;

pub use def::{Args, CallKind, Effect, Facts, OpDef, OpRef, Param};
pub use infer::InferError;
