//! What a wrapped function gives, where there is no data: it is called on tensors of zeros, and of ones, that have the shapes
//! its tensors have.
//!
//! Only one that says of itself that calling it changes nothing (`#[fx::wrap(pure)]`) is called so, and only what both calls
//! give alike counts. It is checked when the graph runs, as the result of any call is that nobody knows a rule for.
//!
//! Invariant: no number that was computed so gets into a graph, only shapes and dtypes.

use candle_core::{Device, Tensor};
use smallvec::SmallVec;

use crate::ops::quiet::quietly;
use crate::ops::{Args, Effect, OpRef};
use crate::value::{Fact, Value};

/// Up to how many elements tensors lie in memory as others do; larger ones are one number seen everywhere.
const REAL: usize = 1 << 20;

/// What a call gives; none if it cannot be tried, fails, or gives something else than tensors, or than with other numbers.
pub(super) fn tried(op: OpRef, facts: &[&Fact], device: &Device) -> Option<Fact> {
    if op.effect != Effect::Pure || !op.is_wrapped() {
        return None;
    }
    let given = |number: f64| {
        let values = facts.iter().map(|fact| filled(fact, number, device));
        let values: SmallVec<[Value; 6]> = values.collect::<Option<_>>()?;
        let values: SmallVec<[&Value; 6]> = values.iter().collect();
        shapes(&quietly(|| (op.eval)(Args { op, values: &values })).ok()?.ok()?)
    };
    let found = given(0.0)?;
    (given(1.0)? == found).then_some(found)
}

/// A value of which this fact holds, with this number in all tensors.
fn filled(fact: &Fact, number: f64, device: &Device) -> Option<Value> {
    let all = |facts: &[Fact]| facts.iter().map(|fact| filled(fact, number, device)).collect::<Option<Vec<_>>>();
    Some(match fact {
        Fact::Tensor(fact) => {
            let one = Tensor::new(number, device).and_then(|one| one.to_dtype(fact.dtype)).ok()?;
            let seen = one.broadcast_as(fact.dims()).ok()?;
            if seen.elem_count() <= REAL { seen.contiguous().ok()?.into() } else { seen.into() }
        }
        Fact::List(facts) => Value::List(all(facts)?),
        Fact::Tuple(facts) => Value::Tuple(all(facts)?),
        Fact::Data(value) => value.clone(),
        _ => return None,
    })
}

/// What holds of a value of other numbers, too.
fn shapes(value: &Value) -> Option<Fact> {
    let all = |values: &[Value]| values.iter().map(shapes).collect::<Option<Vec<_>>>();
    Some(match value {
        Value::Tensor(_) => Fact::of(value),
        Value::List(values) => Fact::List(all(values)?),
        Value::Tuple(values) => Fact::Tuple(all(values)?),
        _ => return None,
    })
}
