//! Recording a call: checked by candle or by the shape rule, then added to the graph, then given back to the user's
//! code as the proxies of its results.
//!
//! Invariant: a call that candle refuses is refused here, with the user's line.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::panic::Location;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::ir::{Argument, ModulePath, NodeId, Target};
use crate::module::LayerModule;
use crate::ops::candle_error::{caught, reason};
use crate::ops::{Args, Facts, InferError, OpRef};
use crate::value::{Fact, Number, Value};

use super::building::Building;
use super::encode::Encoded;
use super::error::{At, TraceError};
use super::given::Given;
use super::notes;
use super::proxy::Proxy;
use super::scope::Scope;
use super::session::{Mode, New, Session};
use super::trial::tried;

/// What a recorded call gave.
pub struct Outcome {
    session: Arc<Session>,
    made: Made,
    fact: Fact,
    value: Option<Value>,
    at: &'static Location<'static>,
}

/// What a call made.
enum Made {
    /// A node of the graph.
    Node(NodeId),
    /// A part of the model that is being built: what would hold it.
    Part(ModulePath),
}

/// What is called.
#[derive(Clone, Copy)]
pub(crate) enum Callee<'a> {
    /// An operation.
    Op(OpRef),
    /// A layer, at its path.
    Layer(&'a Arc<dyn LayerModule>, &'a Scope),
}

impl Callee<'_> {
    fn name(&self) -> String {
        match self {
            Self::Op(op) => op.name.to_owned(),
            Self::Layer(layer, scope) => format!("{} ({})", scope.path(), layer.type_name()),
        }
    }

    fn call(&self, args: &[&Value]) -> candle_core::Result<Value> {
        match self {
            Self::Op(op) => (op.eval)(Args { op, values: args }),
            Self::Layer(layer, _) => layer.call(args),
        }
    }

    fn infer(&self, facts: &[&Fact]) -> Result<Fact, InferError> {
        match self {
            Self::Op(op) => (op.infer)(Facts { op, facts }),
            Self::Layer(layer, _) => layer.infer(facts),
        }
    }
}

/// Records a call of an operation, candle's or a user's (`#[fx::wrap]`), whose arguments may not have made sense.
///
/// Where `T` cannot carry an error, one ends the capture.
#[track_caller]
pub fn record<T: FromOutcome>(op: OpRef, encoded: impl IntoIterator<Item = Encoded>) -> T {
    T::from_outcome(record_encoded(Callee::Op(op), encoded))
}

/// Records a call of a user's module as one node.
#[track_caller]
pub(crate) fn call_whole<T: FromOutcome>(layer: &Arc<dyn LayerModule>, scope: &Scope, encoded: Vec<Encoded>) -> T {
    T::from_outcome(record_encoded(Callee::Layer(layer, scope), encoded))
}

#[track_caller]
fn record_encoded(callee: Callee<'_>, encoded: impl IntoIterator<Item = Encoded>) -> candle_core::Result<Outcome> {
    let at = Location::caller();
    let mut given = SmallVec::<[Given; 6]>::new();
    let mut reason = None;
    for encoded in encoded {
        match encoded {
            Ok(argument) => given.push(argument),
            Err(error) => reason = reason.or(Some(error.0)),
        }
    }
    let (session, building) = session_of(callee, &given)?;
    match reason {
        Some(reason) => Err(refused(&session, callee, &given, &reason, at)),
        None => record_in(session, building, callee, &given, at),
    }
}

/// Records a call of a layer, which gives a tensor or several.
#[track_caller]
pub(crate) fn call_layer<T: FromRecorded>(
    layer: &Arc<dyn LayerModule>,
    scope: &Scope,
    given: &[Given],
) -> candle_core::Result<T> {
    call_layer_at(layer, scope, given, Location::caller())
}

/// The same, at a line of the user's.
#[track_caller]
pub(crate) fn call_layer_at<T: FromRecorded>(
    layer: &Arc<dyn LayerModule>,
    scope: &Scope,
    given: &[Given],
    at: &'static Location<'static>,
) -> candle_core::Result<T> {
    let callee = Callee::Layer(layer, scope);
    let (session, building) = session_of(callee, given)?;
    record_in(session, building, callee, given, at).and_then(T::from_recorded)
}

/// The session that a call is recorded into: that of its tensors, or of the layer, or the current one; and what is
/// building a part of the model there.
#[track_caller]
fn session_of(callee: Callee<'_>, given: &[Given]) -> candle_core::Result<(Arc<Session>, Option<Building>)> {
    let session = match (given.iter().find_map(Given::session), callee) {
        (Some(session), _) => session.clone(),
        (None, Callee::Layer(_, scope)) => match scope.session() {
            Some(session) => session.clone(),
            None => Session::current("a layer")?,
        },
        (None, Callee::Op(op)) => Session::current(op.name)?,
    };
    // Calls are recorded by the million: one look at the state tells both.
    let building = session.state().building_unless_closed();
    let Some(building) = building else {
        let error = TraceError::NoCapture { method: "a proxy kept after its capture", at: At(Location::caller()) };
        return Err(candle_core::Error::Msg(error.to_string()));
    };
    if !given.iter().all(|given| given.belongs_to(&session)) {
        return Err(session.fail(TraceError::TwoCaptures { op: callee.name(), at: At(Location::caller()) }));
    }
    Ok((session, building))
}

fn record_in(
    session: Arc<Session>,
    building: Option<Building>,
    callee: Callee<'_>,
    given: &[Given],
    at: &'static Location<'static>,
) -> candle_core::Result<Outcome> {
    if let Some(building) = building
        && given.iter().all(Given::is_held)
    {
        let value = run(&session, callee, given, at)?;
        let made = Made::Part(part_path(&building, callee, given));
        return Ok(Outcome { session, made, fact: Fact::of(&value), value: Some(value), at });
    }
    let (fact, value) = match session.mode() {
        Mode::Concrete { .. } => {
            let value = run(&session, callee, given, at)?;
            (Fact::of(&value), Some(value))
        }
        Mode::Symbolic | Mode::Abstract => {
            let fact = infer(callee, given, at).map_err(|error| refused(&session, callee, given, &error.0, at))?;
            let tried = match callee {
                Callee::Op(op) if fact.is_unknown() => {
                    let facts: SmallVec<[Cow<'_, Fact>; 6]> = given.iter().map(Given::fact).collect();
                    let facts: SmallVec<[&Fact; 6]> = facts.iter().map(AsRef::as_ref).collect();
                    tried(op, &facts, session.device())
                }
                _ => None,
            };
            if let Fact::List(parts) = &fact {
                notes::note_parts(at, parts.len());
            }
            (tried.unwrap_or(fact), None)
        }
    };
    let node = {
        let state = &mut *session.state();
        let arguments: SmallVec<[Argument; 6]> = given.iter().map(|given| given.argument(state)).collect();
        let mut new = match callee {
            Callee::Op(op) => New::of(Target::call(op)),
            Callee::Layer(layer, scope) => {
                let module = state.called(scope.path(), layer.type_name(), true);
                let new = New::of(Target::CallModule(state.layer(scope.path(), layer)));
                module.map(|module| New { module: Some(module), ..new }).map_err(|error| state.fail(error))?
            }
        };
        match callee {
            Callee::Op(op) => {
                let by_position = op.params.iter().filter(|param| param.positional).count();
                new.args.reserve_exact(by_position);
                new.kwargs.reserve_exact(op.params.len() - by_position);
                for (param, argument) in op.params.iter().zip(arguments) {
                    if param.positional {
                        new.args.push(argument);
                    } else {
                        new.kwargs.push((param.name.into(), argument));
                    }
                }
            }
            Callee::Layer(layer, _) => {
                let mut arguments = arguments.into_iter();
                new.args.extend(arguments.next());
                new.kwargs.extend(layer.called().options.iter().map(|&name| name.into()).zip(arguments));
            }
        }
        new.fact = fact.clone();
        new.at = Some(at);
        state.add(new).map_err(|error| state.fail(error))?
    };
    Ok(Outcome { session, made: Made::Node(node), fact, value, at })
}

/// What the shape rule says of a call; what the call decides by shapes is noted as if the model had written it.
fn infer(callee: Callee<'_>, given: &[Given], at: &'static Location<'static>) -> Result<Fact, InferError> {
    let facts: SmallVec<[Cow<'_, Fact>; 6]> = given.iter().map(Given::fact).collect();
    let facts: SmallVec<[&Fact; 6]> = facts.iter().map(AsRef::as_ref).collect();
    if let Callee::Op(op) = callee
        && notes::is_noting()
        && let Some((left, relation, right)) = (op.decides)(Facts { op, facts: &facts })
    {
        notes::note(at, relation, Number::Int(left), Number::Int(right));
    }
    callee.infer(&facts)
}

/// Runs a call on candle, where every tensor has its data.
fn run(
    session: &Arc<Session>,
    callee: Callee<'_>,
    given: &[Given],
    at: &'static Location<'static>,
) -> candle_core::Result<Value> {
    // candle panics on some calls that the rules refuse, such as float functions of integers.
    if let Callee::Op(_) = callee {
        infer(callee, given, at).map_err(|error| refused(session, callee, given, &error.0, at))?;
    }
    let values: Option<SmallVec<[Value; 6]>> = given.iter().map(Given::value).collect();
    // In a concrete capture every proxy has its tensor, so there is always a value for each argument.
    let values = values.unwrap_or_default();
    let values: SmallVec<[&Value; 6]> = values.iter().collect();
    caught(|| callee.call(&values)).map_err(|error| refused(session, callee, given, &reason(&error), at))
}

/// What a value is called that is computed of a model's weights: as the weight, if it is computed of one; else after the
/// operation, inside of what is building.
fn part_path(building: &Building, callee: Callee<'_>, given: &[Given]) -> ModulePath {
    let mut held = given.iter().filter_map(|given| match given {
        Given::Proxy(proxy) => proxy.held_at(),
        _ => None,
    });
    match (held.next(), held.next(), callee) {
        (Some(one), None, _) => one.clone(),
        (_, _, Callee::Op(op)) => building.path.child(op.short_name()),
        (_, _, Callee::Layer(_, scope)) => scope.path().child("result"),
    }
}

/// The error of a refused call: what, why, with which shapes, where.
fn refused(
    session: &Arc<Session>,
    callee: Callee<'_>,
    given: &[Given],
    reason: &str,
    at: &'static Location<'static>,
) -> candle_core::Error {
    let mut arguments = String::new();
    for given in given {
        if !arguments.is_empty() {
            arguments.push_str(", ");
        }
        // Writing to a string cannot fail.
        let _ = write!(arguments, "{}", given.fact());
    }
    session.fail(TraceError::Refused { op: callee.name(), reason: reason.to_owned(), arguments, at: At(at) })
}

impl Outcome {
    /// The one tensor it gave.
    fn proxy(self) -> Proxy {
        let tensor = self.value.as_ref().and_then(Value::as_tensor).cloned();
        match (self.made, tensor) {
            (Made::Node(node), tensor) => Proxy::recorded(self.session, node, self.fact, tensor),
            (Made::Part(path), Some(tensor)) => Proxy::held(&self.session, path, tensor),
            // As a node whose value is used for a tensor and is none.
            (Made::Part(path), None) => {
                Session::abort_current(&candle_core::Error::Msg(format!("`{path}` is no tensor")))
            }
        }
    }

    /// How many parts it has, where that is known.
    fn len(&self) -> Option<usize> {
        match &self.fact {
            Fact::List(items) | Fact::Tuple(items) => Some(items.len()),
            _ => None,
        }
    }

    /// Notes what it is, a tuple or list of so many parts, if nothing is known of it.
    fn is(&mut self, fact: Fact) {
        if self.fact.is_unknown() {
            self.fact = fact;
            if let Made::Node(node) = self.made {
                self.session.state().graph.meta_mut(node).fact = self.fact.clone();
            }
        }
    }

    /// One of its parts, recorded as a node of its own.
    fn part(&self, index: usize) -> candle_core::Result<Outcome> {
        let node = match &self.made {
            Made::Node(node) => *node,
            Made::Part(path) => return self.part_of_model(path, index),
        };
        let parts = Given::Parts(Box::new((node, self.fact.clone(), self.value.clone())));
        let index = Given::Data(Value::Int(i64::try_from(index).unwrap_or(i64::MAX)));
        let item = Callee::Op(&crate::ops::PART);
        record_in(self.session.clone(), self.session.building(), item, &[parts, index], self.at)
    }

    /// The same of what is computed while a part of the model is built.
    fn part_of_model(&self, path: &ModulePath, index: usize) -> candle_core::Result<Outcome> {
        match &self.value {
            Some(Value::Tuple(items) | Value::List(items)) if index < items.len() => {
                let (made, value) = (Made::Part(path.child(&index.to_string())), items[index].clone());
                let fact = Fact::of(&value);
                Ok(Outcome { session: self.session.clone(), made, fact, value: Some(value), at: self.at })
            }
            _ => candle_core::bail!("`{path}` has no part {index}"),
        }
    }

    /// The error of what is not known of the result before it runs.
    fn unknown(&self, query: &'static str, what: &'static str) -> candle_core::Error {
        match &self.made {
            Made::Node(node) => self.session.fail(self.session.unknown(*node, query, what, At(self.at))),
            Made::Part(path) => candle_core::Error::Msg(format!("{query} of `{path}` needs {what}")),
        }
    }
}

/// What the user's code gets back from a recorded call.
#[diagnostic::on_unimplemented(
    message = "a recorded call cannot give back a `{Self}`",
    label = "returned by a function that is recorded whole",
    note = "such a function can return a `Tensor`, or tuples, arrays, `Vec`s and `Option`s of them, in a `Result` or not",
    note = "a number read from a tensor is not known before the graph runs: return it as a `Tensor`, or put \
            `#[fx::wrap]` on the function around its use instead",
    note = "a function that returns nothing can return the tensor that it was given"
)]
pub trait FromOutcome: Sized {
    /// The result, as the type that the signature says.
    ///
    /// # Errors
    /// When the number of results depends on a shape that is not known.
    fn from_outcome(outcome: candle_core::Result<Outcome>) -> Self;
}

/// A result inside `Result`, or a part of one.
#[diagnostic::on_unimplemented(
    message = "a recorded call cannot give back a `{Self}`",
    label = "returned by a function that is recorded whole",
    note = "such a function can return a `Tensor`, or tuples, arrays, `Vec`s and `Option`s of them, in a `Result` or not",
    note = "a number read from a tensor is not known before the graph runs: return it as a `Tensor`, or put \
            `#[fx::wrap]` on the function around its use instead",
    note = "a function that returns nothing can return the tensor that it was given"
)]
pub trait FromRecorded: Sized {
    /// The result, as the type that the signature says.
    ///
    /// # Errors
    /// When the number of results depends on a shape that is not known.
    fn from_recorded(outcome: Outcome) -> candle_core::Result<Self>;
}

/// An error that a recorded call can fail with.
#[diagnostic::on_unimplemented(
    message = "a recorded call cannot fail with a `{Self}`",
    label = "the error of a function that is recorded whole",
    note = "its error must be one that candle's turns into (`From<candle_core::Error>`): return \
            `candle_core::Result<…>`, with `candle_core::bail!(…)` for errors of your own"
)]
pub trait FromRefusal {
    /// The error, of candle's.
    fn from_refusal(error: candle_core::Error) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E: From<candle_core::Error>> FromRefusal for E {
    fn from_refusal(error: candle_core::Error) -> Self {
        error.into()
    }
}

impl<T: FromRecorded, E: FromRefusal> FromOutcome for Result<T, E> {
    fn from_outcome(outcome: candle_core::Result<Outcome>) -> Self {
        outcome.and_then(T::from_recorded).map_err(E::from_refusal)
    }
}

/// What a function returns that has no `Result`: a refused call ends the capture.
fn or_abort<T: FromRecorded>(outcome: candle_core::Result<Outcome>) -> T {
    outcome.and_then(T::from_recorded).unwrap_or_else(|error| Session::abort_current(&error))
}

macro_rules! without_result {
    ($($type:ty, [$($generics:tt)*];)*) => {$(
        impl<$($generics)*> FromOutcome for $type {
            fn from_outcome(outcome: candle_core::Result<Outcome>) -> Self {
                or_abort(outcome)
            }
        }
    )*};
}
without_result! {
    Proxy, [];
    Vec<T>, [T: FromRecorded];
    [T; N], [T: FromRecorded, const N: usize];
    Option<T>, [T: FromRecorded];
}

impl FromRecorded for Proxy {
    fn from_recorded(outcome: Outcome) -> candle_core::Result<Self> {
        Ok(outcome.proxy())
    }
}

impl<T: FromRecorded> FromRecorded for Vec<T> {
    fn from_recorded(outcome: Outcome) -> candle_core::Result<Self> {
        let Some(len) = outcome.len() else {
            return Err(outcome.unknown("the number of results", "the shape"));
        };
        (0..len).map(|index| T::from_recorded(outcome.part(index)?)).collect()
    }
}

impl<T: FromRecorded, const N: usize> FromRecorded for [T; N] {
    fn from_recorded(mut outcome: Outcome) -> candle_core::Result<Self> {
        outcome.is(Fact::List(vec![Fact::Unknown; N]));
        let parts = (0..N).map(|index| T::from_recorded(outcome.part(index)?)).collect::<candle_core::Result<Vec<T>>>();
        // There are as many as were counted.
        parts?.try_into().map_err(|_| candle_core::Error::Msg(format!("there are not {N} results")))
    }
}

/// Whether there is a result is only known where the call has run.
impl<T: FromRecorded> FromRecorded for Option<T> {
    fn from_recorded(outcome: Outcome) -> candle_core::Result<Self> {
        match &outcome.value {
            Some(Value::None) => Ok(None),
            Some(_) => T::from_recorded(outcome).map(Some),
            None => Err(outcome.unknown("an optional result", "to know whether there is one")),
        }
    }
}

impl FromRecorded for Outcome {
    fn from_recorded(outcome: Outcome) -> candle_core::Result<Self> {
        Ok(outcome)
    }
}

macro_rules! from_tuple {
    ($(($($name:ident $index:literal)+))*) => {$(
        impl<$($name: FromRecorded),+> FromRecorded for ($($name,)+) {
            fn from_recorded(mut outcome: Outcome) -> candle_core::Result<Self> {
                outcome.is(Fact::Tuple(vec![Fact::Unknown; [$($index),+].len()]));
                Ok(($($name::from_recorded(outcome.part($index)?)?,)+))
            }
        }

        impl<$($name: FromRecorded),+> FromOutcome for ($($name,)+) {
            fn from_outcome(outcome: candle_core::Result<Outcome>) -> Self {
                or_abort(outcome)
            }
        }
    )*};
}
from_tuple! { (A 0) (A 0 B 1) (A 0 B 1 C 2) (A 0 B 1 C 2 D 3) (A 0 B 1 C 2 D 3 E 4) (A 0 B 1 C 2 D 3 E 4 F 5) }
