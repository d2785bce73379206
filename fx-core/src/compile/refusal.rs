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
