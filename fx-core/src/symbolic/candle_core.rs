//! `candle_core` in a twin.

pub use ::candle_core::*;

pub use crate::trace::{Module, ModuleT, Proxy as Tensor};
