//! The state that a graph module holds: its own, or one that it shares with others.
//!
//! Invariant: runs lock it only to read or to replace it, never while they run.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::ir::ModulePath;

use super::super::graph_module::GraphModule;
use super::state::State;

/// What a graph module keeps of its state.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    now: Arc<Mutex<State>>,
    /// As it was at the capture.
    initial: State,
}

impl Kept {
    /// A state that begins so.
    pub(crate) fn new(initial: State) -> Self {
        Self::at(initial.clone(), initial)
    }

    /// A state that began so, and is now another.
    pub(crate) fn at(now: State, initial: State) -> Self {
        Self { now: Arc::new(Mutex::new(now)), initial }
    }

    pub(crate) fn initial(&self) -> &State {
        &self.initial
    }

    /// A panic while it is locked leaves it whole.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A clone has a state of its own.
impl Clone for Kept {
    fn clone(&self) -> Self {
        let now = self.lock().clone();
        Self::at(now, self.initial.clone())
    }
}

/// Graphs that cannot have one state.
///
/// The message says how to capture the graph so that it can.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the graph `{graph}` reads `{path}` as a constant, which is a part of the state: capture it with \
     `Tracer::new().with_state(&other.state())`, so that it reads it from the state"
)]
pub struct ShareStateError {
    /// Name of the graph.
    pub graph: String,
    /// The attribute.
    pub path: ModulePath,
}

impl GraphModule {
    /// The state as it is now: what the next run starts from ([`Graph::state`](crate::ir::Graph::state)). Empty if the
    /// graph has none.
    ///
    /// A copy, which no later run changes; it shares tensor data.
    ///
    /// ```
    /// use std::cell::RefCell;
    /// use candle_core::{DType, Device, Tensor};
    /// use fx_core::trace::Tracer;
    ///
    /// // A model that adds up what it is called on.
    /// let total = (RefCell::new(Tensor::new(0f32, &Device::Cpu)?),);
    /// let module = Tracer::new().input("x", DType::F32, ()).trace_with(&total, |(total,), inputs| {
    ///     let sum = inputs.tensor("x")?.add(&total.borrow())?;
    ///     *total.borrow_mut() = sum.clone();
    ///     candle_core::Result::Ok(sum)
    /// })?;
    /// let one = Tensor::new(1f32, &Device::Cpu)?;
    /// let sums = [module.forward(&[&one])?, module.forward(&[&one])?].map(|sum| sum.to_scalar::<f32>());
    /// assert!(matches!(sums, [Ok(1.0), Ok(2.0)]));
    ///
    /// // A second sequence, in a state of its own.
    /// let before = module.state();
    /// module.reset_state();
    /// let mut own = module.state();
    /// module.run_with_state(&mut own, &[one.into()])?;
    /// assert_eq!(own.get("0").and_then(|sum| sum.as_tensor()).unwrap().to_scalar::<f32>()?, 1.0);
    /// module.set_state(before);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn state(&self) -> State {
        self.kept.lock().clone()
    }

    /// Puts another state in place of the one that is there, and returns that. Whether it fits is seen when the graph runs.
    ///
    /// `&self` is enough, as for a run. If it does not fit, the run fails with
    /// [`RunError::OtherState`](crate::interp::RunError::OtherState) and leaves it.
    pub fn set_state(&self, state: State) -> State {
        std::mem::replace(&mut *self.kept.lock(), state)
    }

    /// Puts the state back to what it was when the model was captured.
    ///
    /// Of a graph that shares its state, that of all graphs that do; it is what this one was captured with.
    pub fn reset_state(&self) {
        *self.kept.lock() = self.kept.initial.clone();
    }

    /// Makes the state of another graph this graph's own: what a run of one of them writes, the next run of either
    /// reads. What only this graph has is added to it.
    ///
    /// This is for several graphs of one model, one that reads a prompt and one that adds a token. Clones, and what is
    /// moved or converted, have states of their own again.
    ///
    /// # Errors
    /// When one of the two graphs has as a constant what is in the state of the other: it would not see the changes.
    pub fn share_state(&mut self, with: &Self) -> Result<(), ShareStateError> {
        if Arc::ptr_eq(&self.kept.now, &with.kept.now) {
            return Ok(());
        }
        let own = self.state();
        self.expect_no_constants(&with.state())?;
        with.expect_no_constants(&own)?;
        with.kept.lock().add_missing(&own);
        self.kept.now = with.kept.now.clone();
        Ok(())
    }

    /// Refuses a state of which this graph has parts as constants.
    pub(crate) fn expect_no_constants(&self, state: &State) -> Result<(), ShareStateError> {
        let slots = self.graph().state();
        if slots.len() == state.len() && slots.iter().zip(state.iter()).all(|(slot, (name, _))| *slot.name == *name) {
            return Ok(());
        }
        match self.attributes().iter().find(|(path, _)| state.touches(path.as_str())) {
            None => Ok(()),
            Some((path, _)) => Err(ShareStateError { graph: self.graph().name().to_owned(), path: path.clone() }),
        }
    }

    pub(crate) fn kept(&self) -> &Kept {
        &self.kept
    }

    pub(crate) fn set_kept(&mut self, kept: Kept) {
        self.kept = kept;
    }
}
