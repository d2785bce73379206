//! Building: a function that makes a part of a model from weights runs, as its twin.
//!
//! What it computes of weights alone is computed here and now, as in the original, and the graph only sees what a closure
//! or layer then uses. So a convolution that is fused with its normalisation is one layer of the graph. What a closure
//! does when it is called is recorded as everything else.
//!
//! Invariant: inside a closure nothing is building, until it builds a part itself.

use std::sync::Arc;

use crate::ir::{ModulePath, ModuleStack};

use super::error::TraceError;
use super::scope::Scope;
use super::session::Session;

/// A function that is building a part of the model.
#[derive(Clone)]
pub(crate) struct Building {
    /// Where the part's weights are.
    pub(crate) path: ModulePath,
    /// The function's name.
    pub(crate) function: &'static str,
    /// The variable that is made now, if it is a layer.
    pub(crate) variable: Option<&'static str>,
}

/// Keeps something building, or nothing, until it is dropped.
#[must_use]
#[doc(hidden)]
pub struct Builds(Option<(Arc<Session>, Option<Building>)>);

impl Builds {
    /// This is building until the guard is dropped, or nothing.
    pub(crate) fn now(session: &Arc<Session>, building: Option<Building>) -> Self {
        let state = &mut *session.state();
        state.built_by = state.built_by.or(building.as_ref().map(|building| building.function));
        let before = std::mem::replace(&mut state.building, building);
        Self(Some((session.clone(), before)))
    }

    /// What the current session builds goes on under this name: `let conv = Conv2d::new(…)`.
    pub(crate) fn named(variable: &'static str) -> Self {
        let Some(session) = Session::recording() else { return Self(None) };
        let Some(building) = session.building() else { return Self(None) };
        Self::now(&session, Some(Building { variable: Some(variable), ..building }))
    }
}

impl Drop for Builds {
    fn drop(&mut self) {
        if let Some((session, before)) = self.0.take() {
            session.state().building = before;
        }
    }
}

/// Where a closure was built, as its calls need it: they are calls of a module.
#[derive(Clone)]
pub(crate) struct BuiltAt {
    session: Arc<Session>,
    path: ModulePath,
    function: &'static str,
}

impl BuiltAt {
    /// Here, if something is building. Ends the capture if its rules want the module that is built as one node: there is
    /// only the twin of it.
    pub(crate) fn here() -> Option<Self> {
        let session = Session::recording()?;
        let Building { path, function, .. } = session.building()?;
        if session.has_rules() && !path.is_root() && session.is_leaf_module(function, &path) {
            session.abort(TraceError::BuiltNotWhole { function, path: path.to_string() });
        }
        Some(Self { session, path, function })
    }

    /// Where it is, if this function, or the constructor of this type, is what is building.
    pub(crate) fn scope(&self, function: &str) -> Option<Scope> {
        (self.function == function).then(|| Scope::at_path(&self.session, self.path.clone()))
    }

    /// Enters the module: until the guard is dropped nothing is building, and nodes are recorded in it.
    pub(crate) fn enter(&self) -> Running {
        let builds = Builds::now(&self.session, None);
        let outer = (!self.path.is_root()).then(|| self.session.enter(&self.path, self.function)).flatten();
        Running { session: self.session.clone(), outer, _builds: builds }
    }
}

/// Keeps a built module the one that runs.
pub(crate) struct Running {
    session: Arc<Session>,
    outer: Option<ModuleStack>,
    _builds: Builds,
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(outer) = self.outer.take() {
            self.session.leave(outer);
        }
    }
}
