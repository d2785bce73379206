//! The state of a graph: what a captured model keeps from one call to the next.
//!
//! | file | holds |
//! |---|---|
//! | `state` | values by the paths of what they are in the model |
//! | `keep` | the state that a graph module holds, by itself or with others |
//!
//! Invariant: a state changes as a whole, after a run, or not at all.

mod keep;
mod state;

pub(crate) use keep::Kept;
pub use keep::ShareStateError;
pub use state::State;
