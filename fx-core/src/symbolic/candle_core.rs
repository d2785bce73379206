//! `candle_core` in a twin.

pub use ::candle_core::*;

pub use crate::trace::{Module, ModuleT, Proxy as Tensor};

pub use self::streaming::{StreamTensor, StreamingBinOp, StreamingModule};

/// `candle_core::streaming` in a twin.
pub mod streaming {
    pub use ::candle_core::streaming::{BinOp, Dim};

    pub use crate::leaf::streaming::{Map, StreamTensor, StreamingBinOp, StreamingModule};
}
