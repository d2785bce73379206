//! [`Scope`]: where in the model a mirror stands.
//!
//! Invariant: a scope's path is the path of Rust fields from the root, so parameters keep the names of the source.

use std::sync::Arc;

use crate::ir::ModulePath;

use super::error::TraceError;
use super::session::Session;

/// Where in the model a mirror stands, and the capture it belongs to.
#[derive(Clone)]
pub struct Scope {
    path: ModulePath,
    session: Option<Arc<Session>>,
}

impl Scope {
    pub(crate) fn root(session: &Arc<Session>) -> Self {
        Self { path: ModulePath::default(), session: Some(session.clone()) }
    }

    /// A scope of no model: of a struct that a twin body builds.
    #[must_use]
    pub fn detached() -> Self {
        Self { path: ModulePath::default(), session: None }
    }

    /// The scope of a field.
    #[must_use]
    pub fn child(&self, name: &str) -> Self {
        Self { path: self.path.child(name), session: self.session.clone() }
    }

    /// The path from the root: `encoder.layers.0`, empty for the root.
    #[must_use]
    pub fn path(&self) -> &ModulePath {
        &self.path
    }

    /// Ends the capture: what is here is locked.
    pub(crate) fn locked(&self) -> ! {
        let error = TraceError::Locked { path: self.path.to_string() };
        match &self.session {
            Some(session) => session.abort(error),
            None => Session::abort_current(&candle_core::Error::Msg(error.to_string())),
        }
    }

    pub(crate) fn session(&self) -> Option<&Arc<Session>> {
        self.session.as_ref()
    }
}

impl std::fmt::Debug for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Scope({})", self.path)
    }
}
