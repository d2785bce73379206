//! [`constant`]: the value of a call whose arguments are known before the graph runs.
//!
//! Invariant: it is what a run computes; what draws random numbers or has effects has no such value.

use std::collections::HashMap;

use smallvec::SmallVec;

use crate::ir::{Argument, Graph, NodeId, Target, bind};
use crate::ops::candle_error::caught;
use crate::ops::{Args, Effect, Facts};
use crate::value::{Fact, Value};

/// The values of nodes that are known before a run.
pub(crate) type Constants = HashMap<NodeId, Value, foldhash::fast::RandomState>;

/// The value of a call of a pure operation, if those of its arguments are known and it takes at most so many bytes.
pub(crate) fn constant(graph: &Graph, id: NodeId, known: &Constants, most_bytes: usize) -> Option<Value> {
    let node = graph.node(id);
    let (Target::CallFunction(op) | Target::CallMethod(op)) = node.target() else { return None };
    let op = Some(*op).filter(|op| op.effect == Effect::Pure)?;
    let bound = bind(op, node.args(), node.kwargs()).ok()?;
    let values: SmallVec<[Value; 4]> =
        bound.into_iter().map(|argument| value_of(argument, known)).collect::<Option<_>>()?;
    // The rule refuses what candle panics on, and says how large the result is before it is made.
    let facts: SmallVec<[Fact; 4]> = values.iter().map(Fact::of).collect();
    let facts: SmallVec<[&Fact; 4]> = facts.iter().collect();
    let fact = (op.infer)(Facts { op, facts: &facts }).ok()?;
    if bytes(&fact)? > most_bytes {
        return None;
    }
    let values: SmallVec<[&Value; 4]> = values.iter().collect();
    // Of a user's operation nobody knows.
    caught(|| (op.eval)(Args { op, values: &values })).ok()
}

/// The value of an argument, if that of every node in it is known. Recurses over nested lists.
fn value_of(argument: &Argument, known: &Constants) -> Option<Value> {
    match argument {
        Argument::Node(id) => known.get(id).cloned(),
        Argument::List(items) => {
            Some(Value::List(items.iter().map(|item| value_of(item, known)).collect::<Option<_>>()?))
        }
        Argument::Tuple(items) => {
            Some(Value::Tuple(items.iter().map(|item| value_of(item, known)).collect::<Option<_>>()?))
        }
        other => other.to_value(),
    }
}

/// How many bytes a value takes; none if that is not known.
fn bytes(fact: &Fact) -> Option<usize> {
    match fact {
        Fact::Unknown => None,
        Fact::Tensor(tensor) => {
            let count = tensor.dims().iter().try_fold(1usize, |count, &dim| count.checked_mul(dim))?;
            count.checked_mul(tensor.dtype.size_in_bytes().max(1))
        }
        Fact::List(items) | Fact::Tuple(items) => {
            items.iter().try_fold(0usize, |sum, item| sum.checked_add(bytes(item)?))
        }
        Fact::Data(_) | Fact::SymInt(_) => Some(0),
    }
}
