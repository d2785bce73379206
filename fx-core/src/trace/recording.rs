//! [`Recording`]: what one run of a model's twin gave.
//!
//! Invariant: a run that fails gives back the rules it was given, and says why.

use std::panic::{AssertUnwindSafe, catch_unwind};

use candle_core::Device;

use crate::ir::{Argument as Node, Graph, NodeId, Signature};
use crate::module::{Attributes, State};
use crate::ops::quiet::quietly;

use super::carry::{Carried, IsState, Watched, carry};
use super::error::TraceError;
use super::held::{Held, Holding};
use super::inputs::{Argument, Inputs};
use super::memo::{Called, is_alike, remembers_alike};
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
    /// The state as it was before.
    pub(crate) initial: State,
    /// The inputs that stand for tensors of the model or of arguments, by their paths.
    pub(crate) of_state: Vec<(String, NodeId)>,
    /// The function that built the model, if one did.
    pub(crate) built_by: Option<&'static str>,
    /// The comparisons of integers that the model made, if this was one run among several.
    pub(crate) notes: Notes,
}

/// What a model keeps under these names of a state, as it is now. None if it keeps nothing of one of them.
pub(crate) fn state_of<M: Traceable>(model: &M, names: &[String]) -> Option<State> {
    look(model, |held| {
        let mut state = State::new();
        for name in names {
            state.set(name, held.at(name)?.value());
        }
        Some(state)
    })
}

/// What a model holds besides, as far as it tells: plain data, and which tensors. Parts of a state of these names are not told,
/// nor is what maps remember.
pub(crate) fn told_besides<M: Traceable>(model: &M, names: &[String]) -> Option<Vec<String>> {
    let is_state = |path: &str| {
        let is_below = |name: &String| path.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('.'));
        names.iter().any(|name| name == path || is_below(name))
    };
    look(model, |held| {
        let mut told = Vec::new();
        held.for_each_leaf("", false, &mut |path, leaf, is_memo| {
            if !is_memo && !is_state(&path) {
                told.push(match leaf {
                    Held::Tensor(proxy) => format!("{path} {:?}", proxy.tensor().map(candle_core::Tensor::id)),
                    other => format!("{path} {other:?}"),
                });
            }
        });
        Some(told)
    })
}

/// Looks at what a model holds. None if that cannot be seen.
fn look<M: Traceable, T>(model: &M, look: impl FnOnce(&Held) -> Option<T>) -> Option<T> {
    let session = Session::new("state", Mode::Concrete { specialize: false }, Device::Cpu, None, None);
    let active = session.activate();
    let look = AssertUnwindSafe(|| {
        let mirror = model.symbolic(&Scope::root(&session));
        look(&M::held(&mirror, &mut Holding::default()))
    });
    let found = catch_unwind(look).ok().flatten();
    drop(active);
    let _ = session.state().close();
    found
}

/// How the twin of a model is called.
pub(crate) type Call<'c, M> =
    dyn Fn(&mut <M as Traceable>::Symbolic, &mut Inputs<'_>) -> candle_core::Result<Output> + 'c;

/// How a model is run.
pub(crate) struct Run<'r> {
    /// Name of the graph.
    pub(crate) name: &'r str,
    /// Name of what is called.
    pub(crate) method: &'static str,
    pub(crate) mode: Mode,
    /// The device of what has no data, if it was named.
    pub(crate) device: Option<&'r Device>,
    pub(crate) named: &'r [(String, Argument<'r>)],
    pub(crate) positional: Option<&'r [Argument<'r>]>,
    pub(crate) probe: Option<&'r Probe<'r>>,
    pub(crate) is_state: IsState<'r>,
}

impl Run<'_> {
    /// Runs a model's twin; if it remembers something, once more to see whether that is all it does with it.
    pub(crate) fn record<M: Traceable>(
        &self,
        model: &M,
        rules: &mut Option<Box<dyn TracerRules>>,
        call: &Call<'_, M>,
    ) -> Result<Recording, TraceError> {
        let (recording, remembers) = self.record_once(model, rules, call)?;
        if !remembers || self.is_trial() || self.only_remembers(model, call, recording.initial.iter().next().is_none())
        {
            return Ok(recording);
        }
        self.is_state.is_memo_state.set(true);
        self.record_once(model, rules, call).map(|(recording, _)| recording)
    }

    /// Whether sizes are tried until the model gives up, which the capture tells in its own words.
    fn is_trial(&self) -> bool {
        self.probe.is_some_and(|probe| probe.sizes.is_some())
    }

    fn session(&self, rules: Option<Box<dyn TracerRules>>) -> std::sync::Arc<Session> {
        let device = self.device.cloned().unwrap_or(Device::Cpu);
        let session = Session::new(self.name, self.mode, device, rules, self.probe);
        if let Some(device) = self.device {
            session.set_device(device);
        }
        session
    }

    /// Whether the model does the same when it is called again with what it remembers. If it has state besides, it does something
    /// else anyway, and what it remembers has to be as it was. A call that fails tells nothing.
    fn only_remembers<M: Traceable>(&self, model: &M, call: &Call<'_, M>, has_no_state: bool) -> bool {
        let session = self.session(None);
        let active = session.activate();
        let run = || {
            let mut mirror = model.symbolic(&Scope::root(&session));
            let mut called = || {
                let mut inputs = Inputs::new(&session, self.method, self.named, self.positional, self.probe);
                let output = call(&mut mirror, &mut inputs)?.0;
                let nodes = session.state().graph.nodes().count();
                Ok::<_, candle_core::Error>(Called { nodes, output, held: M::held(&mirror, &mut Holding::default()) })
            };
            Ok::<_, candle_core::Error>((called()?, called()?))
        };
        let called = quietly(run);
        super::helper::forget();
        drop(active);
        let state = &mut *session.state();
        let only_remembers = match &called {
            Ok(Ok((first, second))) if has_no_state => is_alike(&state.graph, &state.attributes, first, second),
            Ok(Ok((first, second))) => remembers_alike(first, second),
            _ => true,
        };
        let _ = state.close();
        only_remembers
    }

    /// Runs a model's twin; also gives whether the model remembers more than before that is taken to be no state.
    fn record_once<M: Traceable>(
        &self,
        model: &M,
        rules: &mut Option<Box<dyn TracerRules>>,
        call: &Call<'_, M>,
    ) -> Result<(Recording, bool), TraceError> {
        let session = self.session(rules.take());
        let active = session.activate();
        // The mirror is made and used inside one capture and dropped with it, so an unwinding leaves nothing half done.
        let run = AssertUnwindSafe(|| {
            let mut mirror = model.symbolic(&Scope::root(&session));
            let before = M::held(&mirror, &mut Holding::default());
            let mut inputs = Inputs::new(&session, self.method, self.named, self.positional, self.probe);
            let output = call(&mut mirror, &mut inputs)?;
            let model = Watched { name: String::new(), before, after: M::held(&mirror, &mut Holding::default()) };
            let watched: Vec<Watched> = std::iter::once(model).chain(inputs.lent_arguments()).collect();
            Ok((output, watched, inputs))
        });
        let (outcome, notes) =
            noting(self.probe.is_some(), || if self.is_trial() { quietly(run) } else { catch_unwind(run) });
        super::helper::forget();
        drop(active);
        let outcome = match outcome {
            Ok(Ok(returned)) => Ok(returned),
            Ok(Err(error)) => Err(session.explain(&error)),
            Err(payload) => Err(session.explain_panic(payload)),
        };
        let state = &mut *session.state();
        let recorded = match outcome {
            Ok((output, watched, inputs)) => carry(state, &watched, &self.is_state).map(|carried| {
                let Carried { slots, written, initial, arguments, inputs: of_state, remembers } = carried;
                let output = if slots.is_empty() { output.0 } else { (output.0, Node::Tuple(written.into())).into() };
                state.output(output);
                let signature = inputs.signature(&state.graph, slots, &arguments);
                (signature, initial, of_state, remembers)
            }),
            Err(explained) => Err(explained),
        };
        // What lasts came first, and is closed with.
        let closed = state.close();
        *rules = state.take_rules();
        let built_by = state.built_by;
        let ((graph, attributes), (signature, initial, of_state, remembers)) = (closed?, recorded?);
        Ok((Recording { graph, attributes, signature, initial, of_state, built_by, notes }, remembers))
    }
}
