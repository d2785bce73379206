//! Annotated modules in a capture: entering one, and calling one whole because the rules of the capture want it; also
//! calling an annotated function whole.
//!
//! Whether a module can be called whole depends on types that only rustc knows (is it `Clone`, can a graph hold what it
//! takes and returns?), so that method resolution chooses, as in [`lift`](super::lift): `(&x).method()` finds the
//! trait for types that can, and else the one for all types, one reference further away.
//!
//! Invariant: a module that is called whole records one node, and the graph calls the same method of the original.

use std::any::{Any, TypeId};
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::{Arc, Mutex, PoisonError};

use candle_core::{Error, Result};

use crate::ir::ModuleStack;
use crate::module::{Called, LayerModule};
use crate::ops::{FromValue, InferError, IntoValue, OpRef};
use crate::value::{Fact, Value};

use super::call::{FromOutcome, call_whole, record};
use super::encode::{Encoded, Record};
use super::error::{At, TraceError};
use super::owner::Original;
use super::scope::Scope;
use super::session::Session;

/// A mirror, which knows where it is in the model. Written by `#[fx::module]`.
pub trait Mirror {
    /// Name of the original's type.
    const NAME: &'static str;

    /// Whether it is a level of the model's tree, which nodes are recorded in: a struct is, an enum is one of its variants.
    const IS_LEVEL: bool;

    /// The module that it is in.
    const MODULE: &'static str;

    /// Where twins find an enum's variants as functions and constants, which put in a scope: `Self::Big(b)`.
    type Variants;

    /// Where it is.
    fn scope(&self) -> &Scope;
}

/// A variant with named fields as a twin writes it: itself, unless it is of a mirror, whose own method is found first.
pub trait Variant: Sized {
    /// The value of the enum.
    fn __fx_variant(self) -> Self {
        self
    }
}

impl<T> Variant for T {}

/// Keeps a module the innermost one that nodes are recorded in.
#[must_use]
pub struct Entered(Option<(Arc<Session>, ModuleStack)>);

/// Enters a module, unless it is the innermost already: a method that calls another of the same module.
pub fn enter<M: Mirror>(mirror: &M) -> Entered {
    if M::IS_LEVEL { enter_at(mirror.scope(), M::NAME) } else { Entered(None) }
}

/// Enters the module of this type that stands here.
pub fn enter_at(scope: &Scope, type_name: &'static str) -> Entered {
    let entered = || {
        let session = scope.session().filter(|_| !scope.path().is_root())?;
        Some((session.clone(), session.enter(scope.path(), type_name)?))
    };
    Entered(entered())
}

/// Enters a layer of a library, if the rules of the capture do not want it whole.
pub(crate) fn enter_layer(scope: &Scope, type_name: &'static str) -> Option<Entered> {
    let session = scope.session()?;
    (!session.is_leaf_layer(type_name, scope.path())).then(|| enter_at(scope, type_name))
}

impl Drop for Entered {
    fn drop(&mut self) {
        if let Some((session, outer)) = self.0.take() {
            session.leave(outer);
        }
    }
}

/// Runs a method of an original.
pub type Run = fn(&dyn Any, &[&Value]) -> Result<Value>;

/// A module that is called whole.
pub struct Whole {
    type_name: &'static str,
    original: Option<Original>,
    /// A layer for each method that was called, by the kind of its impl: a type may have a `forward` of its own, one of
    /// `Module` and a `forward_t`.
    layers: Mutex<Vec<(TypeId, Arc<dyn LayerModule>)>>,
}

impl Whole {
    pub(super) fn new(type_name: &'static str, original: Option<Original>) -> Self {
        Self { type_name, original, layers: Mutex::default() }
    }
}

/// A module's `forward` that is called whole; `R` is what it returns.
pub struct WholeCall<R> {
    scope: Scope,
    whole: Arc<Whole>,
    method: TypeId,
    called: Called,
    run: Run,
    returns: PhantomData<fn() -> R>,
}

/// The call of this mirror as one node, if the rules of the capture want that.
pub fn whole<M: Mirror + WholeMethod<K>, K: 'static, R>(mirror: &M) -> Option<WholeCall<R>> {
    let scope = mirror.scope();
    let whole = scope.whole()?.clone();
    let (called, run) = (M::CALLED, M::run as Run);
    Some(WholeCall { scope: scope.clone(), whole, method: TypeId::of::<K>(), called, run, returns: PhantomData })
}

/// Ends the capture if its rules want this mirror as one node, which its `forward` cannot be.
#[track_caller]
pub fn not_whole<M: Mirror>(mirror: &M, method: &'static str, reason: &'static str) {
    let scope = mirror.scope();
    if let Some(whole) = scope.whole()
        && let Some(session) = scope.session()
    {
        let (type_name, path) = (whole.type_name, scope.path().to_string());
        session.abort(TraceError::NotWhole { type_name, path, method, reason, at: At(Location::caller()) });
    }
}

/// The annotated module as a layer.
struct Module {
    name: &'static str,
    called: Called,
    original: Original,
    run: Run,
}

impl LayerModule for Module {
    fn type_name(&self) -> &str {
        self.name
    }

    fn called(&self) -> Called {
        self.called
    }

    fn call(&self, args: &[&Value]) -> Result<Value> {
        self.original.with(self.name, |original| (self.run)(original, args))
    }

    /// What it does to shapes is not known.
    fn infer(&self, _: &[&Fact]) -> std::result::Result<Fact, InferError> {
        Ok(Fact::Unknown)
    }

    fn instead_of_saving(&self) -> &'static str {
        "let `is_leaf_module` answer `false` for it, so that the capture goes through it"
    }
}

impl<R> WholeCall<R> {
    /// The layer of this method, made at its first call.
    #[track_caller]
    fn layer(&self) -> Result<Arc<dyn LayerModule>> {
        let mut layers = self.whole.layers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, layer)) = layers.iter().find(|(method, _)| *method == self.method) {
            return Ok(layer.clone());
        }
        let (name, called, run) = (self.whole.type_name, self.called, self.run);
        let Some(original) = self.whole.original.clone() else {
            let (path, at) = (self.scope.path().to_string(), At(Location::caller()));
            return Err(self.fail(TraceError::NotShareable { layer: name.to_owned(), path, at }));
        };
        let layer: Arc<dyn LayerModule> = Arc::new(Module { name, called, original, run });
        layers.push((self.method, layer.clone()));
        Ok(layer)
    }

    fn fail(&self, error: TraceError) -> Error {
        match self.scope.session() {
            Some(session) => session.fail(error),
            None => Error::Msg(error.to_string()),
        }
    }
}

/// A call of an annotated function that is recorded whole; `R` is what it returns.
pub struct FunctionCall<R> {
    op: OpRef,
    session: Arc<Session>,
    returns: PhantomData<fn() -> R>,
}

/// The call of this function as one node, if the rules of the capture want that.
pub fn function<R>(op: OpRef) -> Option<FunctionCall<R>> {
    let session = Session::recording()?;
    let whole = session.has_rules() && session.is_leaf_function(op.name);
    whole.then_some(FunctionCall { op, session, returns: PhantomData })
}

/// Ends the capture if its rules want this function as one node, which it cannot be.
#[track_caller]
pub fn function_not_whole(function: &'static str, reason: &'static str) {
    if let Some(session) = Session::recording()
        && session.has_rules()
        && session.is_leaf_function(function)
    {
        session.abort(TraceError::FunctionNotWhole { function, reason, at: At(Location::caller()) });
    }
}

impl<R: FromOutcome> RecordWhole<R> for FunctionCall<R> {
    #[track_caller]
    fn __fx_record(&self, arguments: Vec<Encoded>) -> R {
        record(self.op, arguments)
    }
}

impl<R> RefuseWhole<R> for &FunctionCall<R> {
    #[track_caller]
    fn __fx_record(&self, _: Vec<Encoded>) -> R {
        let (path, found) = (self.op.name.to_owned(), std::any::type_name::<R>().to_owned());
        let error = TraceError::NotRecordable { path, found, at: At(Location::caller()) };
        Session::abort_current(&self.session.fail(error))
    }
}

/// Records a call whose result a graph can give back.
pub trait RecordWhole<R> {
    /// Records it.
    #[track_caller]
    fn __fx_record(&self, arguments: Vec<Encoded>) -> R;
}

impl<R: FromOutcome> RecordWhole<R> for WholeCall<R> {
    #[track_caller]
    fn __fx_record(&self, arguments: Vec<Encoded>) -> R {
        match self.layer() {
            Ok(layer) => call_whole(&layer, &self.scope, arguments),
            Err(error) => R::from_outcome(Err(error)),
        }
    }
}

/// Refuses a call whose result a graph cannot give back.
pub trait RefuseWhole<R> {
    /// Ends the capture.
    #[track_caller]
    fn __fx_record(&self, arguments: Vec<Encoded>) -> R;
}

impl<R> RefuseWhole<R> for &WholeCall<R> {
    #[track_caller]
    fn __fx_record(&self, _: Vec<Encoded>) -> R {
        let (path, found) = (self.scope.path().to_string(), std::any::type_name::<R>().to_owned());
        let error = TraceError::NotRecordable { path, found, at: At(Location::caller()) };
        Session::abort_current(&self.fail(error))
    }
}

/// An argument of a call that is recorded whole.
pub struct Passed<'a, T>(pub &'a T);

/// Arguments that a graph can hold.
pub trait PassedToGraph {
    /// As the graph holds it.
    ///
    /// # Errors
    /// When a number does not fit.
    fn __fx_encode(&self) -> Encoded;
}

impl<T: Record> PassedToGraph for Passed<'_, T> {
    fn __fx_encode(&self) -> Encoded {
        self.0.record()
    }
}

/// All other arguments.
pub trait NotPassed {
    /// Never.
    ///
    /// # Errors
    /// Always.
    fn __fx_encode(&self) -> Encoded;
}

impl<T> NotPassed for &Passed<'_, T> {
    fn __fx_encode(&self) -> Encoded {
        Err(InferError(format!("a graph cannot hold an argument of type `{}`", std::any::type_name::<T>())))
    }
}

/// A module of which the graph may get a copy.
pub struct Copied<'m, T>(pub &'m T);

/// Modules that can be copied and sent anywhere.
pub trait CopyOf {
    /// The copy.
    fn __fx_copy(&self) -> Option<Arc<dyn Any + Send + Sync>>;
}

impl<T: Clone + Send + Sync + 'static> CopyOf for Copied<'_, T> {
    fn __fx_copy(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        Some(Arc::new(self.0.clone()))
    }
}

/// All other modules.
pub trait NoCopyOf {
    /// None.
    fn __fx_copy(&self) -> Option<Arc<dyn Any + Send + Sync>>;
}

impl<T> NoCopyOf for &Copied<'_, T> {
    fn __fx_copy(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        None
    }
}

/// The original behind a type that is not known.
///
/// # Errors
/// If it is of another type.
pub fn original<T: 'static>(any: &dyn Any) -> Result<&T> {
    any.downcast_ref().ok_or_else(|| Error::Msg(format!("not a {}", std::any::type_name::<T>())))
}

/// An argument at run time, as type `T`.
pub struct Taken<'v, T> {
    value: &'v Value,
    name: &'static str,
    wanted: PhantomData<fn() -> T>,
}

/// Argument `index` of a call at run time.
///
/// # Errors
/// If there is none.
pub fn taken<'v, T>(args: &[&'v Value], index: usize, name: &'static str) -> Result<Taken<'v, T>> {
    match args.get(index) {
        Some(&value) => Ok(Taken { value, name, wanted: PhantomData }),
        None => Err(Error::Msg(format!("argument `{name}` is missing"))),
    }
}

/// Types that values turn into.
pub trait TakeValue<T> {
    /// The value as this type.
    ///
    /// # Errors
    /// If it is something else.
    fn __fx_take(&self) -> Result<T>;
}

impl<'v, T: FromValue<'v>> TakeValue<T> for Taken<'v, T> {
    fn __fx_take(&self) -> Result<T> {
        let (name, expected, found) = (self.name, T::EXPECTED, self.value.kind());
        let wrong = || Error::Msg(format!("argument `{name}` should be {expected}, but is {found}"));
        T::from_value(self.value).ok_or_else(wrong)
    }
}

/// All other types.
pub trait TakeNone<T> {
    /// Never.
    ///
    /// # Errors
    /// Always.
    fn __fx_take(&self) -> Result<T>;
}

impl<T> TakeNone<T> for &Taken<'_, T> {
    fn __fx_take(&self) -> Result<T> {
        let (name, wanted) = (self.name, std::any::type_name::<T>());
        Err(Error::Msg(format!("argument `{name}` is a `{wanted}`, which a graph cannot hold")))
    }
}

/// Chosen for results that are values.
#[derive(Debug, Clone, Copy)]
pub struct GivesValue;

impl GivesValue {
    /// The result as a value.
    ///
    /// # Errors
    /// The call's own.
    pub fn value<R: IntoValue>(self, result: R) -> Result<Value> {
        result.into_value()
    }
}

/// Chosen for all other results.
#[derive(Debug, Clone, Copy)]
pub struct GivesNone;

impl GivesNone {
    /// Never a value.
    ///
    /// # Errors
    /// Always.
    pub fn value<R>(self, _: R) -> Result<Value> {
        Err(Error::Msg(format!("a graph cannot hold a result of type `{}`", std::any::type_name::<R>())))
    }
}

/// Found first by method resolution, for results that are values.
pub trait ResultKind {
    /// How to treat the result.
    fn __fx_result(&self) -> GivesValue {
        GivesValue
    }
}

impl<T: IntoValue> ResultKind for T {}

/// Found next, for all results.
pub trait OtherResultKind {
    /// How to treat the result.
    fn __fx_result(&self) -> GivesNone {
        GivesNone
    }
}

impl<T> OtherResultKind for &T {}

/// How the graph calls an annotated module whole. Written by `#[fx::module]` for a `forward` whose arguments can be taken
/// by value; `K` as in [`Entry`](super::Entry).
pub trait WholeMethod<K> {
    /// The method and the names of its arguments.
    const CALLED: Called;

    /// Calls it on the original.
    ///
    /// # Errors
    /// The method's own, or that an argument or the result is nothing a graph can hold.
    fn run(original: &dyn Any, args: &[&Value]) -> Result<Value>;
}
