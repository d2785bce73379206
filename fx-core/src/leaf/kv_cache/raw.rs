//! `RawInterleavedKvCache`: numbers, not tensors.
//!
//! Invariant: its mirror is a copy; what a model writes into it is data that the model has read, which a capture refuses
//! or bakes in.

use candle_nn::kv_cache::RawInterleavedKvCache;

use crate::trace::{Scope, Traceable};

impl Traceable for RawInterleavedKvCache {
    type Symbolic = Self;

    fn symbolic(&self, _: &Scope) -> Self {
        self.clone()
    }
}
