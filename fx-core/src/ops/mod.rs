//! Operations: what one is ([`OpDef`]) and every one that candle models call, described once each.
//!
//! An operation is a `static` in a module of its name, so a program names it by its path,
//! `fx_core::ops::elementwise::relu::OP`, and a text by its name ([`OpTable`]). Everything that is known of it is a
//! field of [`OpDef`]: parameters, evaluation on candle, shape and dtype rule, source text, effect. Interpreter, shape
//! rules, code generation, dead code and the text reader read these fields and know no operation by name.
//!
//! | module | operations |
//! |---|---|
//! | [`operators`] | `+`, `-`, `*`, `/` |
//! | [`elementwise`] | one number for each: activations, arithmetic with broadcasting, powers, limits |
//! | [`compare`] | comparisons, and choosing by them |
//! | [`reduce`] | sums, means, greatest and smallest elements |
//! | [`linalg`] | products of matrices |
//! | [`shape`] | reshaping, transposing, joining, splitting, padding, dtype and device |
//! | [`index`] | choosing and putting elements: `i(…)`, `gather`, `index_select`, `scatter`, sorting |
//! | [`create`], [`random`] | tensors made of nothing |
//! | [`conv`], [`pool`] | convolutions, pooling and upsampling |
//! | [`nn`], [`attention`], [`loss`], [`rotary`] | functions of candle_nn |
//! | [`list`] | one of several values |
//!
//! | about operations | |
//! |---|---|
//! | [`def`] | what one is |
//! | [`kind`] | what its parameters take |
//! | [`from_value`], [`into_value`] | Rust values of graph values, and back |
//! | [`infer`], [`from_fact`] | shape and dtype rules, and what they are given |
//! | [`macs`], [`sample`] | what a call costs, on what it is tested |
//! | [`table`] | operations by name |
//!
//! ```
//! use candle_core::{DType, Device, Tensor};
//! use fx_core::ops::{Args, CallKind, Effect, Facts, OpTable, elementwise::relu};
//! use fx_core::value::{Fact, Value};
//!
//! let op = &relu::OP;
//! assert_eq!(OpTable::builtin().get(CallKind::Method, "relu"), Some(op));
//! assert_eq!((op.params[0].name, op.effect), ("x", Effect::Pure));
//!
//! // It computes on candle, and says before what shape and dtype that will have.
//! let x = Value::from(Tensor::new(&[-1f32, 2.0], &Device::Cpu)?);
//! let y = (op.eval)(Args { op, values: &[&x] })?;
//! assert_eq!(y.as_tensor().unwrap().to_vec1::<f32>()?, [0.0, 2.0]);
//! let known = (op.infer)(Facts { op, facts: &[&Fact::tensor(2, DType::F32)] })?;
//! assert_eq!(known, Fact::of(&y));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A function of the user's own becomes an operation by `#[fx::wrap]`, or by hand with [`OpDef::wrapped`].
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
