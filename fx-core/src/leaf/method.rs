//! [`Method`]: one method of something that a model holds, as a graph calls it.
//!
//! Invariant: the thing is shared with the model, not copied.

use std::sync::Arc;

use candle_core::Result;

use crate::module::{Called, LayerModule};
use crate::ops::infer::Inferred;
use crate::value::{Fact, Value};

/// A method: how it is called, run, and what it gives.
pub(super) struct Method<T: 'static> {
    pub(super) of: Arc<T>,
    pub(super) type_name: &'static str,
    pub(super) called: Called,
    pub(super) call: fn(&T, &[&Value]) -> Result<Value>,
    pub(super) infer: fn(&T, &[&Fact]) -> Inferred,
}

impl<T: Send + Sync> LayerModule for Method<T> {
    fn type_name(&self) -> &str {
        self.type_name
    }

    fn called(&self) -> Called {
        self.called
    }

    fn call(&self, args: &[&Value]) -> Result<Value> {
        (self.call)(&self.of, args)
    }

    fn infer(&self, facts: &[&Fact]) -> Inferred {
        (self.infer)(&self.of, facts)
    }

    fn instead_of_saving(&self) -> &'static str {
        "keep the weights in a `QMatMul`, which can be saved, or as tensors that are not quantized"
    }
}
