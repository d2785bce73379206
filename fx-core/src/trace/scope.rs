//! [`Scope`]: where in the model a mirror stands.
//!
//! Invariant: a scope's path is the path of Rust fields from the root, so parameters keep the names of the source.

use std::any::Any;
use std::sync::Arc;

use crate::ir::ModulePath;

use super::building::BuiltAt;
use super::error::TraceError;
use super::owner::{Original, Place};
use super::session::Session;
use super::whole::Whole;

/// Where in the model a mirror stands, and the capture it belongs to.
///
/// Mirrors are made in one: tensors become parameters at its path. A type that gets a mirror by hand hands each of its
/// fields [`Scope::child`] of the field's name; `#[fx::module]` does so, too.
#[derive(Clone)]
pub struct Scope {
    path: ModulePath,
    session: Option<Arc<Session>>,
    /// How a graph gets there, if the model stands behind a shared pointer.
    place: Option<Arc<Place>>,
    /// Set where the module at this very path is called whole.
    whole: Option<Arc<Whole>>,
}

impl Scope {
    pub(crate) fn root(session: &Arc<Session>) -> Self {
        Self { session: Some(session.clone()), ..Self::detached() }
    }

    /// The scope at this path, which graphs cannot reach into from outside.
    pub(crate) fn at_path(session: &Arc<Session>, path: ModulePath) -> Self {
        Self { path, ..Self::root(session) }
    }

    /// A scope of no model: of a struct that a twin body builds.
    #[must_use]
    pub const fn detached() -> Self {
        Self { path: ModulePath::ROOT, session: None, place: None, whole: None }
    }

    /// The scope of a struct of this type that a twin makes of weights: where they are, if it is what is being built.
    #[must_use]
    pub fn built(type_name: &str) -> Self {
        BuiltAt::here().and_then(|at| at.scope(type_name)).unwrap_or_else(Self::detached)
    }

    /// The scope of a field that graphs cannot reach into from outside.
    ///
    /// What a type without [`Traceable::part`](super::Traceable::part) holds stands in such scopes: a layer in there
    /// that cannot be cloned cannot be called by a graph.
    #[must_use]
    pub fn child(&self, name: &str) -> Self {
        Self { path: self.path.child(name), session: self.session.clone(), place: None, whole: None }
    }

    /// The scope of a field, which is what [`Traceable::part`](super::Traceable::part) lends for `step`.
    #[must_use]
    pub fn part(&self, name: &str, step: usize) -> Self {
        Self { place: self.place.as_ref().map(|place| Arc::new(place.part(step))), ..self.child(name) }
    }

    /// The scope of what a pointer or option holds: the same path, one step down.
    #[must_use]
    pub fn inside(&self) -> Self {
        self.step(0)
    }

    /// The same path, one step down: a variant's only field.
    #[must_use]
    pub fn step(&self, step: usize) -> Self {
        let place = self.place.as_ref().map(|place| Arc::new(place.part(step)));
        Self { path: self.path.clone(), session: self.session.clone(), place, whole: None }
    }

    /// The same path, out of reach for graphs.
    pub(crate) fn adrift(&self) -> Self {
        Self { place: None, whole: None, ..self.clone() }
    }

    /// The same path, reached in this way.
    pub(crate) fn at(&self, place: Place) -> Self {
        Self { place: Some(Arc::new(place)), whole: None, ..self.clone() }
    }

    /// The scope of an annotated module of this type, which the rules of the capture may want whole. `copy` gives a copy
    /// for the graph, if there can be one.
    #[must_use]
    pub fn module(&self, type_name: &'static str, copy: impl FnOnce() -> Option<Arc<dyn Any + Send + Sync>>) -> Self {
        let mut scope = Self { whole: None, ..self.clone() };
        if let Some(session) = &self.session
            && session.has_rules()
            && !self.path.is_root()
            && session.is_leaf_module(type_name, &self.path)
        {
            let original = copy().map(Original::Copy).or_else(|| self.place().cloned().map(Original::Place));
            scope.whole = Some(Arc::new(Whole::new(type_name, original)));
        }
        scope
    }

    /// The path from the root: `encoder.layers.0`, empty for the root.
    #[must_use]
    pub fn path(&self) -> &ModulePath {
        &self.path
    }

    /// An integer of the model, as it is in this capture.
    pub(crate) fn integer<T: Copy + TryFrom<i64>>(&self, integer: T) -> T {
        let other = self.session.as_ref().and_then(|session| session.integer(&self.path));
        other.and_then(|other| T::try_from(other).ok()).unwrap_or(integer)
    }

    /// Whether the map that is here is mirrored without what it remembers.
    pub(crate) fn forgets(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.forgets(&self.path))
    }

    /// Ends the capture: what is here is locked.
    pub(crate) fn locked(&self) -> ! {
        self.abort(TraceError::Locked { path: self.path.to_string() })
    }

    /// Ends the capture: what is here is an error.
    pub(crate) fn failed(&self) -> ! {
        self.abort(TraceError::Failed { path: self.path.to_string() })
    }

    fn abort(&self, error: TraceError) -> ! {
        match &self.session {
            Some(session) => session.abort(error),
            None => Session::abort_current(&candle_core::Error::Msg(error.to_string())),
        }
    }

    pub(crate) fn session(&self) -> Option<&Arc<Session>> {
        self.session.as_ref()
    }

    pub(crate) fn place(&self) -> Option<&Place> {
        self.place.as_deref()
    }

    pub(crate) fn whole(&self) -> Option<&Arc<Whole>> {
        self.whole.as_ref()
    }
}

impl std::fmt::Debug for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Scope({})", self.path)
    }
}
