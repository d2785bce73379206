//! Which operations give another view of their input's memory, so that dropping the input early would free nothing.
//!
//! Invariant: candle is asked, on the samples of the table; no operation is named.

use std::cell::RefCell;
use std::collections::HashMap;

use candle_core::Tensor;

use crate::ops::candle_error::caught;
use crate::ops::{Args, Effect, Facts, OpRef};
use crate::value::{Fact, Value};

/// What is known already.
#[derive(Default)]
pub(super) struct Views(RefCell<HashMap<OpRef, bool>>);

impl Views {
    /// Whether an operation gives a view of another shape.
    pub(super) fn contains(&self, op: OpRef) -> bool {
        if let Some(known) = self.0.borrow().get(&op) {
            return *known;
        }
        // Asking for random numbers would change those that others get.
        let is_view = op.effect == Effect::Pure && (op.samples)().iter().any(|sample| is_view(op, &sample.0));
        self.0.borrow_mut().insert(op, is_view);
        is_view
    }
}

fn is_view(op: OpRef, arguments: &[Value]) -> bool {
    let Some(Value::Tensor(input)) = arguments.first() else { return false };
    let facts: Vec<Fact> = arguments.iter().map(Fact::of).collect();
    let facts: Vec<&Fact> = facts.iter().collect();
    if (op.infer)(Facts { op, facts: &facts }).is_err() {
        return false;
    }
    let values: Vec<&Value> = arguments.iter().collect();
    match caught(|| (op.eval)(Args { op, values: &values })) {
        Ok(Value::Tensor(output)) => output.dims() != input.dims() && is_same_storage(input, &output),
        _ => false,
    }
}

fn is_same_storage(one: &Tensor, other: &Tensor) -> bool {
    let place = |tensor: &Tensor| std::ptr::from_ref(&*tensor.storage_and_layout().0).addr();
    place(one) == place(other)
}
