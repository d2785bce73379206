//! [`Recording`]: what one run of a model's twin gave.
//!
//! Invariant: a run that fails gives back the rules it was given, and says why.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use candle_core::Device;

use crate::ir::{Argument as Node, Graph, NodeId, Signature};
use crate::module::{Attributes, State};
use crate::ops::quiet::quietly;

use super::carry::{Carried, IsState, Watched, carry};
use super::error::TraceError;
use super::held::{Held, Holding, Memo};
use super::inputs::{Argument, Inputs};
use super::memo::{Calls, is_alike, remembers_alike, remembers_as_much};
use super::notes::{Notes, note_memory, noting};
use super::output::Output;
use super::probe::Probe;
use super::rules::TracerRules;
use super::scope::Scope;
use super::session::{Mode, Session};
use super::sharing::watch;
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
    /// The maps that are no state.
    pub(crate) memos: Vec<Memo>,
}

impl Recording {
    fn has_state(&self) -> bool {
        self.initial.iter().next().is_some()
    }
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

/// Where a model holds something that can change and that others hold, too: what they do to it no graph sees.
pub(crate) fn shared_with_others<M: Traceable>(model: &M) -> Option<String> {
    // Mirrors meet what is shared when they are made.
    watch(|| {
        let _ = look(model, |_| Some(()));
    })
}

/// Looks at what a model holds. None if that cannot be seen.
fn look<M: Traceable, T>(model: &M, look: impl FnOnce(&Held) -> Option<T>) -> Option<T> {
    let session = Session::new("state", Mode::Concrete { specialize: false }, Device::Cpu, None, None, Vec::new());
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

fn paths(memos: &[Memo]) -> Vec<String> {
    memos.iter().map(|memo| memo.path.clone()).collect()
}

/// How the twin of a model is called.
pub(crate) type Call<'c, M> =
    dyn Fn(&mut <M as Traceable>::Symbolic, &mut Inputs<'_>) -> candle_core::Result<Output> + 'c;

/// How a model is run.
#[derive(Clone, Copy)]
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
    /// Runs a model's twin; if it remembers something, some times more to see whether that is all it does with it.
    pub(crate) fn record<M: Traceable>(
        &self,
        model: &M,
        rules: &mut Option<Box<dyn TracerRules>>,
        call: &Call<'_, M>,
    ) -> Result<Recording, TraceError> {
        let recording = self.record_once(model, rules, call)?;
        let memory = self.is_state.memory;
        if recording.memos.is_empty() || self.is_trial() || memory.is_state.get() {
            return Ok(recording);
        }
        let grows = recording.memos.iter().any(|memo| memo.grows);
        let has_entries = recording.memos.iter().any(|memo| memo.had_entries);
        let repeats = !grows || self.repeats(model, call, &recording);
        // A graph for one size may well have what is there as its constants.
        let may_forget = repeats && has_entries && (grows || self.probe.is_some());
        let does_without = if may_forget { self.does_without(model, call, &recording.memos) } else { None };
        let matters = grows && (!repeats || does_without == Some(false));
        if grows {
            note_memory(matters);
        }
        match (matters, does_without == Some(true) && self.probe.is_some()) {
            (true, _) => memory.is_state.set(true),
            (false, true) => *memory.forgotten.borrow_mut() = paths(&recording.memos),
            (false, false) => return Ok(recording),
        }
        self.record_once(model, rules, call)
    }

    /// Whether sizes are tried until the model gives up, which the capture tells in its own words.
    fn is_trial(&self) -> bool {
        self.probe.is_some_and(|probe| probe.sizes.is_some())
    }

    fn session(&self, rules: Option<Box<dyn TracerRules>>, forgotten: Vec<String>) -> Arc<Session> {
        let device = self.device.cloned().unwrap_or(Device::Cpu);
        let session = Session::new(self.name, self.mode, device, rules, self.probe, forgotten);
        if let Some(device) = self.device {
            session.set_device(device);
        }
        session
    }

    fn forgotten(&self) -> Vec<String> {
        self.is_state.memory.forgotten.borrow().clone()
    }

    /// Whether the model does the same when it is called again with what it remembers then. If it has state besides, it does
    /// something else anyway, and what it remembers has to be as it was. A call that fails tells nothing.
    fn repeats<M: Traceable>(&self, model: &M, call: &Call<'_, M>, recording: &Recording) -> bool {
        let twice = self.calls(model, call, self.forgotten(), &[self.probe, self.probe]);
        let Some([first, second]) = twice.as_ref().map(|twice| &twice.calls[..]) else { return true };
        if recording.has_state() {
            remembers_alike(first, second)
        } else {
            remembers_as_much(first, second) && is_alike(Some(first), Some(second), &recording.memos)
        }
    }

    /// Whether the model does the same without what is in these maps. None if that cannot be said.
    fn does_without<M: Traceable>(&self, model: &M, call: &Call<'_, M>, memos: &[Memo]) -> Option<bool> {
        let call = |forgotten| self.calls(model, call, forgotten, &[self.probe]);
        let with = call(Vec::new())?;
        let without = call(paths(memos));
        Some(without.is_some_and(|without| is_alike(with.calls.first(), without.calls.first(), memos)))
    }

    /// Whether it does not matter what a model remembers of calls of other sizes: it does the same at each of these without it,
    /// and, if it has no state, in the last of these calls as without those before. If it matters, what it remembers is state
    /// from now on.
    pub(crate) fn only_remembers_sizes<M: Traceable>(
        &self,
        model: &M,
        call: &Call<'_, M>,
        base: &Recording,
        probes: &[Probe<'_>],
    ) -> bool {
        let memory = self.is_state.memory;
        let forgotten = self.forgotten();
        let does_without =
            |probe| Run { probe: Some(probe), ..*self }.does_without(model, call, &base.memos) == Some(true);
        let follows = || {
            let probes: Vec<_> = probes.iter().map(Some).collect();
            let last = &probes[probes.len().saturating_sub(1)..];
            let Some(alone) = self.calls(model, call, self.forgotten(), last) else { return true };
            let after = self.calls(model, call, self.forgotten(), &probes);
            after.is_some_and(|after| is_alike(alone.calls.last(), after.calls.last(), &base.memos))
        };
        let only_remembers = (forgotten.is_empty() || probes.iter().all(does_without))
            && (base.has_state() || !base.memos.iter().any(|memo| memo.grows) || follows());
        if !only_remembers {
            note_memory(true);
            memory.is_state.set(true);
            memory.forgotten.take();
        }
        only_remembers
    }

    /// Calls of a model one after the other, at the sizes of each probe; some maps are without what they remembered before.
    /// None if one of them fails.
    fn calls<M: Traceable>(
        &self,
        model: &M,
        call: &Call<'_, M>,
        forgotten: Vec<String>,
        probes: &[Option<&Probe<'_>>],
    ) -> Option<Calls> {
        let session = self.session(None, forgotten);
        let active = session.activate();
        let mut recorded = Calls::new(session.clone());
        let outcome = quietly(|| {
            let mut mirror = model.symbolic(&Scope::root(&session));
            for &probe in probes {
                let mut inputs = Inputs::new(&session, self.method, self.named, self.positional, probe);
                let output = call(&mut mirror, &mut inputs)?.0;
                recorded.add(output, M::held(&mirror, &mut Holding::default()));
            }
            candle_core::Result::Ok(())
        });
        super::helper::forget();
        drop(active);
        matches!(outcome, Ok(Ok(()))).then_some(recorded)
    }

    /// Runs a model's twin.
    fn record_once<M: Traceable>(
        &self,
        model: &M,
        rules: &mut Option<Box<dyn TracerRules>>,
        call: &Call<'_, M>,
    ) -> Result<Recording, TraceError> {
        let session = self.session(rules.take(), self.forgotten());
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
                let Carried { slots, written, initial, arguments, inputs: of_state, memos } = carried;
                let output = if slots.is_empty() { output.0 } else { (output.0, Node::Tuple(written.into())).into() };
                state.output(output);
                let signature = inputs.signature(&state.graph, slots, &arguments);
                (signature, initial, of_state, memos)
            }),
            Err(explained) => Err(explained),
        };
        // What lasts came first, and is closed with.
        let closed = state.close();
        *rules = state.take_rules();
        let built_by = state.built_by;
        let ((graph, attributes), (signature, initial, of_state, memos)) = (closed?, recorded?);
        Ok(Recording { graph, attributes, signature, initial, of_state, built_by, notes, memos })
    }
}
