//! [`Recording`]: what one run of a model's twin gave.
//!
//! Invariant: a run that fails gives back the rules it was given, and says why.

use std::panic::{AssertUnwindSafe, catch_unwind};

use candle_core::Device;

use crate::ir::{Graph, Signature};
use crate::module::Attributes;

use super::error::TraceError;
use super::inputs::{Argument, Inputs};
use super::notes::{Notes, noting};
use super::output::Output;
use super::probe::Probe;
use super::rules::TracerRules;
use super::scope::Scope;
use super::session::{Mode, Session};
use super::traceable::Traceable;

/// What one run gave.
pub(crate) struct Recording {
    pub(crate) graph: Graph,
    pub(crate) attributes: Attributes,
    pub(crate) signature: Option<Signature>,
    /// The comparisons of integers that the model made, if this was one run among several.
    pub(crate) notes: Notes,
}

/// How a model is run.
pub(crate) struct Run<'r> {
    /// Name of the graph.
    pub(crate) name: &'r str,
    /// Name of what is called.
    pub(crate) method: &'static str,
    pub(crate) mode: Mode,
    pub(crate) device: &'r Device,
    pub(crate) named: &'r [(String, Argument<'r>)],
    pub(crate) positional: Option<&'r [Argument<'r>]>,
    pub(crate) probe: Option<&'r Probe<'r>>,
}

impl Run<'_> {
    /// Runs a model's twin.
    pub(crate) fn record<M: Traceable>(
        &self,
        model: &M,
        rules: &mut Option<Box<dyn TracerRules>>,
        call: impl FnOnce(&mut M::Symbolic, &mut Inputs<'_>) -> candle_core::Result<Output>,
    ) -> Result<Recording, TraceError> {
        let session = Session::new(self.name, self.mode, self.device.clone(), rules.take());
        let active = session.activate();
        // The mirror is made and used inside one capture and dropped with it, so an unwinding leaves nothing half done.
        let run = AssertUnwindSafe(|| {
            let mut mirror = model.symbolic(&Scope::root(&session));
            let mut inputs = Inputs::new(&session, self.method, self.named, self.positional, self.probe);
            let output = call(&mut mirror, &mut inputs)?;
            Ok((output, inputs.signature(&session.state().graph)))
        });
        let (outcome, notes) = noting(self.probe.is_some(), || catch_unwind(run));
        super::helper::forget();
        drop(active);
        let outcome = match outcome {
            Ok(Ok(returned)) => Ok(returned),
            Ok(Err(error)) => Err(session.explain(&error)),
            Err(payload) => Err(session.explain_panic(payload)),
        };
        let state = &mut *session.state();
        let recorded = match outcome {
            Ok((output, signature)) => {
                state.output(output.0);
                state.close().map(|(graph, attributes)| (graph, attributes, signature))
            }
            // What lasts came first, and is closed with.
            Err(explained) => state.close().and(Err(explained)),
        };
        *rules = state.take_rules();
        let (graph, attributes, signature) = recorded?;
        Ok(Recording { graph, attributes, signature, notes })
    }
}
