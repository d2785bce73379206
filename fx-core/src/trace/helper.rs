//! Helper functions that build tensors from numbers, masks and positions: while a model is captured at several sizes,
//! an annotated one notes its arguments, and a call of it stands in the graph in place of the tensor.
//!
//! Invariant: nothing is noted and no result is kept outside of such a capture.

use std::cell::RefCell;
use std::panic::Location;

use candle_core::Tensor;

use crate::ir::{Argument, NodeId, Target};
use crate::ops::{OpRef, PART};
use crate::value::{Fact, Value};

use super::encode::Encoded;
use super::given::Given;
use super::notes::is_noting;
use super::proxy::Proxy;
use super::session::{New, Session, State};

struct Call {
    op: OpRef,
    arguments: Vec<Argument>,
    result: Value,
    /// Its node, once there is one.
    node: Option<NodeId>,
}

thread_local! {
    static CALLS: RefCell<Vec<Call>> = const { RefCell::new(Vec::new()) };
}

/// Drops what was noted.
pub(super) fn forget() {
    CALLS.with_borrow_mut(Vec::clear);
}

/// The arguments of a call, if it is to be noted and they are plain data.
pub fn arguments(encode: impl FnOnce() -> Vec<Encoded>) -> Option<Vec<Argument>> {
    if !is_noting() {
        return None;
    }
    let plain = |encoded: Encoded| match encoded.ok()? {
        Given::Data(value) => Argument::from_value(&value),
        _ => None,
    };
    encode().into_iter().map(plain).collect()
}

/// Notes a call and what it returned.
pub fn note(op: OpRef, arguments: Option<Vec<Argument>>, result: Option<Value>) {
    if let (Some(arguments), Some(result)) = (arguments, result) {
        CALLS.with_borrow_mut(|calls| calls.push(Call { op, arguments, result, node: None }));
    }
}

/// A result of a helper function, as a value.
pub trait Result {
    /// The value; none of an error.
    fn value(&self) -> Option<Value>;
}

impl Result for Tensor {
    fn value(&self) -> Option<Value> {
        Some(self.into())
    }
}

impl<T: Result, E> Result for std::result::Result<T, E> {
    fn value(&self) -> Option<Value> {
        self.as_ref().ok()?.value()
    }
}

impl<T: Result> Result for Vec<T> {
    fn value(&self) -> Option<Value> {
        self.iter().map(T::value).collect::<Option<_>>().map(Value::List)
    }
}

macro_rules! results {
    ($(($($name:ident $index:tt)+))*) => {$(
        impl<$($name: Result),+> Result for ($($name,)+) {
            fn value(&self) -> Option<Value> {
                Some(Value::Tuple(vec![$(self.$index.value()?),+]))
            }
        }
    )*};
}
results! { (A 0 B 1) (A 0 B 1 C 2) (A 0 B 1 C 2 D 3) }

/// What a helper function returned.
pub struct Returned<'a, T>(pub &'a T);

/// Found first by method resolution, for results that a graph can have.
pub trait NoteResult {
    /// The value.
    fn __fx_value(&self) -> Option<Value>;
}

impl<T: Result> NoteResult for Returned<'_, T> {
    fn __fx_value(&self) -> Option<Value> {
        self.0.value()
    }
}

/// Found next, for all others.
pub trait NoteNoResult {
    /// None.
    fn __fx_value(&self) -> Option<Value>;
}

impl<T> NoteNoResult for &Returned<'_, T> {
    fn __fx_value(&self) -> Option<Value> {
        None
    }
}

/// The call that gave a tensor, as a node, if one was noted.
pub(super) fn proxy_of(
    session: &std::sync::Arc<Session>,
    tensor: &Tensor,
    at: &'static Location<'static>,
) -> Option<Proxy> {
    let fact = Fact::tensor(tensor.shape(), tensor.dtype());
    let is_this = |value: &Value| value.as_tensor().is_some_and(|one| one.id() == tensor.id());
    let node = CALLS.with_borrow_mut(|calls| {
        // The last that returned it: what is kept may be returned again.
        let call =
            calls.iter_mut().rev().find(|call| call.result.tensors().iter().any(|one| one.id() == tensor.id()))?;
        let part = match &call.result {
            Value::Tensor(_) => None,
            Value::List(items) | Value::Tuple(items) => Some(items.iter().position(is_this)?),
            _ => return None,
        };
        let state = &mut *session.state();
        let whole = match call.node {
            Some(node) => node,
            None => record(state, call, at),
        };
        call.node = Some(whole);
        Some(match part {
            None => whole,
            Some(index) => {
                let args = vec![whole.into(), Argument::from(index)];
                let mut new = New { fact: fact.clone(), at: Some(at), ..New::of(Target::call(&PART)) };
                for (param, argument) in PART.params.iter().zip(args) {
                    if param.positional {
                        new.args.push(argument)
                    } else {
                        new.kwargs.push((param.name.into(), argument))
                    }
                }
                state.add_or_note(new)
            }
        })
    })?;
    Some(Proxy::recorded(session.clone(), node, fact, None))
}

fn record(state: &mut State, call: &Call, at: &'static Location<'static>) -> NodeId {
    let names = call.op.params.iter().map(|param| param.name.into());
    let fact = Fact::of(&call.result);
    let kwargs = names.zip(call.arguments.iter().cloned()).collect();
    state.add_or_note(New { kwargs, fact, at: Some(at), ..New::of(Target::call(call.op)) })
}
