//! A small vocabulary of shape and dtype rules, and the error they give.
//!
//! Invariant: a rule refuses what candle refuses and agrees with candle's shape where it accepts.

/// A call that candle would refuse.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InferError(pub String);
