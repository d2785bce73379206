//! The formulas of layers on proxies, for captures that enter a layer.
//!
//! Invariant: the files are the same that compute on tensors.
#![allow(clippy::duplicate_mod, reason = "compiled for another kind of tensor")]

mod world {
    pub(crate) use candle_core::Result;
    pub(crate) use fx_core::symbolic::Tensor;
}

#[path = "formula.rs"]
pub(crate) mod formula;
#[path = "stable.rs"]
pub(crate) mod stable;

pub(crate) use fx_core::symbolic::candle_nn;
