//! Operations: what one is ([`OpDef`]) and every one that candle models call, described once each.
//!
//! Invariant: nothing outside this folder names an operation.

#[macro_use]
mod define;

pub(crate) mod candle_error;
pub(crate) mod quiet;
pub mod def;
pub mod from_fact;
pub mod from_value;
pub mod infer;
pub mod into_value;
pub mod kind;
pub mod macs;
pub mod sample;

pub mod attention;
pub mod compare;
pub mod conv;
pub mod create;
pub mod elementwise;
pub mod index;
pub mod linalg;
pub mod list;
pub mod loss;
pub mod nn;
pub mod operators;
pub mod pool;
pub mod random;
pub mod reduce;
pub mod rotary;
pub mod shape;

pub mod table;

pub use def::{Args, CallKind, Effect, Facts, OpDef, OpRef, Param, ResultKind};
pub use from_value::FromValue;
pub use infer::InferError;
pub use into_value::IntoValue;
pub use list::getitem::OP as PART;
pub use table::OpTable;

#[cfg(test)]
mod matrix;
