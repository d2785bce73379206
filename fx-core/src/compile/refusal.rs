//! [`Refusal`]: why the model itself answered a call.
//!
//! Invariant: it says what the capture or the graph said.

use std::sync::Arc;

use crate::interp::RunError;
use crate::trace::TraceError;

/// Why a call of a compiled model was answered by the model itself.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The model could not be captured as it was called.
    #[error("the call was not captured: {0}")]
    Capture(#[source] Arc<TraceError>),
    /// A graph accepted the call and failed.
    #[error("the graph failed: {0}")]
    Run(#[source] Arc<RunError>),
    /// So many calls were unlike each other that no more are captured.
    #[error(
        "{captures} calls were captured, or tried to, and this one is like none of them; no more are: {differs}\n  what is another \
         number each time and is neither an integer nor an extent is a part of the graph: give it as a tensor"
    )]
    TooMany {
        /// How many captures were tried.
        captures: usize,
        /// What differs from the call that is the most alike.
        differs: String,
    },
    /// The model holds something that can change behind an `Rc` or `Arc`, and others hold it, too.
    #[error(
        "`{path}` is behind a pointer that others hold, too, and can change: they would not see what a graph does, nor a graph what \
         they do; give the model its own, or compile what shares it together, `fx::compile!((one, other), |both, …| …)`, and look \
         at it by `with_model`"
    )]
    Shared {
        /// Where it is in the model.
        path: String,
    },
    /// The model changes itself, and a run cannot be made up for later.
    #[error(
        "the model keeps something from call to call and {0}, so a call that a graph answers could not be made up for"
    )]
    NotRepeatable(&'static str),
}

impl From<TraceError> for Refusal {
    fn from(error: TraceError) -> Self {
        Self::Capture(Arc::new(error))
    }
}

impl From<RunError> for Refusal {
    fn from(error: RunError) -> Self {
        Self::Run(Arc::new(error))
    }
}
