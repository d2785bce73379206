//! [`Calls`]: how a model of some type is called and captured; [`Model`]: such a model behind its graphs.
//!
//! Invariant: the only things that depend on the model's type are these.

use candle_core::Result;

use crate::module::{GraphModule, State};
use crate::trace::{TraceError, Traceable, Tracer, shared_with_others, state_of, told_besides};

use super::cache::Behind;

/// How the original is called.
pub(super) type Original<M, A, R> = dyn Fn(&mut M, A) -> Result<R> + Send + Sync;
/// How the model is captured.
pub(super) type Capture<M, A> =
    dyn Fn(&M, Tracer<'_>, &A) -> std::result::Result<GraphModule, TraceError> + Send + Sync;
/// What each capture is told besides.
pub(super) type Configure = dyn for<'t> Fn(Tracer<'t>) -> Tracer<'t> + Send + Sync;

/// How a model is called and captured.
pub(super) struct Calls<M, A, R> {
    /// Names of the parameters, if they are known without a capture.
    pub(super) names: Vec<String>,
    pub(super) original: Box<Original<M, A, R>>,
    pub(super) capture: Box<Capture<M, A>>,
    pub(super) configure: Box<Configure>,
}

/// A model and how it is called.
pub(super) struct Model<'c, M, A, R> {
    pub(super) model: &'c mut M,
    pub(super) calls: &'c Calls<M, A, R>,
}

impl<M: Traceable, A, R> Behind<A> for Model<'_, M, A, R> {
    fn repeat(&mut self, arguments: A) {
        let _ = (self.calls.original)(self.model, arguments);
    }

    fn capture(&self, tracer: Tracer<'_>, arguments: &A) -> std::result::Result<GraphModule, TraceError> {
        (self.calls.capture)(self.model, tracer, arguments)
    }

    fn state(&self, names: &[String]) -> Option<State> {
        state_of(self.model, names)
    }

    fn besides(&self, names: &[String]) -> Option<Vec<String>> {
        told_besides(self.model, names)
    }

    fn shared(&self) -> Option<String> {
        shared_with_others(self.model)
    }

    fn tracer<'t>(&self) -> Tracer<'t> {
        (self.calls.configure)(Tracer::new())
    }

    fn names(&self) -> &[String] {
        &self.calls.names
    }
}
