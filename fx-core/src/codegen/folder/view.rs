//! Which operations give another view of their input's memory, so that dropping the input early would free nothing, and which
//! give it another form, so that it is still what it was called.
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
pub(super) struct Views(RefCell<HashMap<OpRef, Gives>>);

/// What an operation gives, at one of its samples at least.
#[derive(Clone, Copy, Default)]
struct Gives {
    /// A view of another shape.
    view: bool,
    /// All of its input's memory: the same elements, in whatever form.
    same: bool,
}

impl Views {
    /// Whether an operation gives a view of another shape.
    pub(super) fn contains(&self, op: OpRef) -> bool {
        self.of(op).view
    }

    /// Whether an operation only gives its input another form, as `reshape` and `contiguous` do.
    pub(super) fn is_form(&self, op: OpRef) -> bool {
        self.of(op).same
    }

    fn of(&self, op: OpRef) -> Gives {
        if let Some(known) = self.0.borrow().get(&op) {
            return *known;
        }
        let mut gives = Gives::default();
        // Asking for random numbers would change those that others get.
        for sample in (op.samples)().iter().filter(|_| op.effect == Effect::Pure) {
            if let Some((input, output)) = looked_at(op, &sample.0) {
                gives.view |= output.dims() != input.dims();
                gives.same |= output.elem_count() == input.elem_count();
            }
        }
        self.0.borrow_mut().insert(op, gives);
        gives
    }
}

/// The input of an operation and what it gives, if that is in the input's memory.
fn looked_at(op: OpRef, arguments: &[Value]) -> Option<(&Tensor, Tensor)> {
    let Some(Value::Tensor(input)) = arguments.first() else { return None };
    let facts: Vec<Fact> = arguments.iter().map(Fact::of).collect();
    let facts: Vec<&Fact> = facts.iter().collect();
    (op.infer)(Facts { op, facts: &facts }).ok()?;
    let values: Vec<&Value> = arguments.iter().collect();
    match caught(|| (op.eval)(Args { op, values: &values })) {
        Ok(Value::Tensor(output)) => is_same_storage(input, &output).then_some((input, output)),
        _ => None,
    }
}

fn is_same_storage(one: &Tensor, other: &Tensor) -> bool {
    let place = |tensor: &Tensor| std::ptr::from_ref(&*tensor.storage_and_layout().0).addr();
    place(one) == place(other)
}
