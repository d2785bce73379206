//! [`Cache`]: the graphs of a model and the state they work on; the model stays behind them.
//!
//! A cache knows nothing of the model's type, so that programs with many models compile it once.
//!
//! Invariant: the model is in the present state when the calls that it missed are made up for; every graph reads from the
//! state whatever is in it.

use std::collections::HashSet;
use std::sync::Arc;

use candle_core::Tensor;

use crate::ir::Target;
use crate::module::inputs::parameter;
use crate::module::{GraphModule, State};
use crate::ops::Effect;
use crate::trace::{Noticed, TraceError, Tracer, noticing};
use crate::value::Value;

use super::arguments::Arguments;
use super::example::{Example, layouts};
use super::refusal::Refusal;

/// How many graphs are kept; the one that has not run for the longest time goes first.
const KEPT: usize = 32;
/// Captures are tried for so many calls; for others that no graph is for the original runs, because a capture costs more.
const MOST: usize = 128;
/// The model stays so many calls behind,
const BEHIND: usize = 8192;
/// as long as their tensors have no more bytes.
const MOST_BYTES: usize = 256 << 20;

/// What has happened to a compiled model.
///
/// Each call that was answered counts in `graph_runs` or in `original_runs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Graphs that were captured.
    pub captures: usize,
    /// Calls that could not be captured.
    pub refused: usize,
    /// Calls that a graph answered.
    pub graph_runs: usize,
    /// Calls that the model itself answered.
    pub original_runs: usize,
    /// Calls that the model made up for, because it had to be in the present state.
    pub repeated: usize,
    /// Graphs that were given up, because others ran more recently or did not know of a state.
    pub dropped: usize,
}

/// A model that graphs are made of, whatever its type.
pub(super) trait Behind<A> {
    /// Calls it, for what it changes.
    fn repeat(&mut self, arguments: A);
    /// Captures it as it is called.
    fn capture(&self, tracer: Tracer<'_>, arguments: &A) -> Result<GraphModule, TraceError>;
    /// What it keeps at these names; none if it has something else there.
    fn state(&self, names: &[String]) -> Option<State>;
    /// What it holds besides, as far as it tells.
    fn besides(&self, names: &[String]) -> Option<Vec<String>>;
    /// Where it holds something that can change and that others hold, too.
    fn shared(&self) -> Option<String>;
    /// What each capture is told besides.
    fn tracer<'t>(&self) -> Tracer<'t>;
    /// Names of the parameters, if they are known without a capture.
    fn names(&self) -> &[String];
}

/// A graph of a model.
struct Kept {
    graph: Arc<GraphModule>,
    /// Which tensors of a call have to be contiguous, and which not, if the model asked.
    layouts: Option<Vec<bool>>,
    /// Whether the model adds to a map what the graph computes again.
    remembers: bool,
}

/// The graphs of a model.
pub(super) struct Cache<A> {
    /// The calls that graphs have answered and that have changed the state, with tensors of their own: those of the caller may
    /// be written to.
    behind: Vec<Vec<Value>>,
    bytes_behind: usize,
    /// What the model keeps, as far as graphs know of it; none if only the model knows.
    state: Option<State>,
    /// The one that ran last first.
    graphs: Vec<Kept>,
    /// The calls at which a capture was tried.
    examples: Vec<Example>,
    /// The calls that a model without state has something to remember of.
    remembered: HashSet<Example>,
    names: Vec<String>,
    /// What cannot be made up for later.
    runs_as_it_is: bool,
    /// Others hold something that the model changes.
    is_shared: bool,
    asks_for_layouts: bool,
    /// What the model adds to maps is state.
    memory_matters: bool,
    of_arguments: std::marker::PhantomData<fn(A)>,
    stats: Stats,
    refusals: Vec<Refusal>,
}

impl<A> Cache<A> {
    pub(super) fn new() -> Self {
        let (behind, graphs, examples, remembered, names, refusals) = Default::default();
        let (state, stats) = (Some(State::new()), Stats::default());
        let (bytes_behind, runs_as_it_is, is_shared, asks_for_layouts, memory_matters, of_arguments) =
            Default::default();
        Self {
            behind,
            bytes_behind,
            state,
            graphs,
            examples,
            remembered,
            names,
            runs_as_it_is,
            is_shared,
            asks_for_layouts,
            memory_matters,
            of_arguments,
            stats,
            refusals,
        }
    }

    pub(super) fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }

    /// Notes why a call is not answered by a graph.
    pub(super) fn refuse(&mut self, refusal: impl Into<Refusal>) {
        if self.refusals.len() < MOST {
            self.refusals.push(refusal.into());
        }
    }

    pub(super) fn graphs(&self) -> Vec<Arc<GraphModule>> {
        self.graphs.iter().map(|kept| kept.graph.clone()).collect()
    }

    pub(super) fn stats(&self) -> Stats {
        self.stats
    }

    pub(super) fn count_run(&mut self) {
        self.stats.graph_runs += 1;
    }
}

impl<A: Arguments> Cache<A> {
    /// A graph for this call: one that there is, or one that is captured now.
    pub(super) fn ready(
        &mut self,
        model: &mut dyn Behind<A>,
        values: &[Value],
        arguments: &A,
    ) -> Option<Arc<GraphModule>> {
        if self.runs_as_it_is || self.is_shared {
            return None;
        }
        self.read_state(model);
        self.find(values).or_else(|| {
            self.capture(model, values, arguments);
            self.find(values)
        })
    }

    /// The first graph that accepts a call comes to the front.
    fn find(&mut self, values: &[Value]) -> Option<Arc<GraphModule>> {
        let state = self.state.as_ref()?;
        let layouts = self.asks_for_layouts.then(|| layouts(values, state));
        let accepts = |kept: &Kept| {
            (kept.layouts.is_none() || kept.layouts == layouts) && kept.graph.accepts_with_state(state, values).is_ok()
        };
        let found = self.graphs.iter().position(accepts)?;
        self.graphs[..=found].rotate_right(1);
        let kept = self.graphs.first()?;
        let graph = kept.graph.clone();
        if kept.remembers {
            self.remember(values);
        }
        Some(graph)
    }

    /// The first call of its kind of a model without state: the model has something to remember of it, which must not matter to
    /// others. When it is captured again it has that, so that it shows if it does.
    fn remember(&mut self, values: &[Value]) {
        let example = Example::new(&self.names, values, &State::new(), false);
        if self.remembered.len() < BEHIND
            && self.remembered.insert(example)
            && let Ok(copied) = copied(values)
        {
            self.behind.push(copied);
        }
    }

    /// Reads the state off the model, if only that knows it.
    fn read_state(&mut self, model: &dyn Behind<A>) {
        if self.state.is_none() {
            let names: Vec<String> = self.known_names();
            self.state = model.state(&names);
        }
        if self.state.is_none() {
            // What is kept has other parts now.
            self.drop_graphs(|_| false);
            self.state = Some(State::new());
        }
    }

    /// The names of the state, as graphs have them.
    fn known_names(&self) -> Vec<String> {
        let longest = self.graphs.iter().map(|kept| kept.graph.graph().state()).max_by_key(|slots| slots.len());
        longest.into_iter().flatten().map(|slot| slot.name.to_string()).collect()
    }

    fn drop_graphs(&mut self, stays: impl Fn(&GraphModule) -> bool) {
        let before = self.graphs.len();
        self.graphs.retain(|kept| stays(&kept.graph));
        self.stats.dropped += before - self.graphs.len();
    }

    /// Captures the model for this call: if it is like another one, for all calls in between.
    fn capture(&mut self, model: &mut dyn Behind<A>, values: &[Value], arguments: &A) {
        let names = if model.names().is_empty() { &self.names } else { model.names() };
        let state = self.state.clone().unwrap_or_default();
        let example = Example::new(names, values, &state, self.asks_for_layouts);
        if self.examples.contains(&example) {
            return;
        }
        if self.examples.len() >= MOST {
            let nearest = self.examples.iter().min_by_key(|before| before.unlike(&example));
            let differs = nearest.map_or_else(String::new, |before| before.difference(&example));
            return self.refuse(Refusal::TooMany { captures: MOST, differs });
        }
        let distances = self.examples.iter().filter_map(|before| Some((before.distance(&example)?, before)));
        let before = distances.min_by_key(|(distance, _)| *distance).map(|(_, before)| before.clone());
        self.see_others(model);
        if self.is_shared {
            return;
        }
        self.examples.push(example.clone());
        self.catch_up(model);
        if let Some(before) = before {
            for shared in [true, false] {
                let (captured, noticed) =
                    self.record(model, arguments, &state, |tracer| before.declare(&example, shared, tracer));
                // Layouts are not those of tensors there.
                if let (Ok(graph), false) = (captured, noticed.layout)
                    && graph.accepts(values).is_ok()
                {
                    return self.keep(graph, None, noticed.memory);
                }
            }
        }
        let (captured, noticed) = self.record(model, arguments, &state, |tracer| tracer);
        let layouts = noticed.layout.then(|| layouts(values, &state));
        let asks_first = noticed.layout && !self.asks_for_layouts;
        self.asks_for_layouts |= noticed.layout;
        match captured {
            Ok(graph) => {
                if self.names.is_empty() || asks_first {
                    self.names = parameters(&graph);
                    // What was named by number before has a name now.
                    self.examples = vec![Example::new(&self.names, values, &state, self.asks_for_layouts)];
                }
                self.keep(graph, layouts, noticed.memory);
            }
            Err(error) => {
                self.stats.refused += 1;
                self.refuse(error);
            }
        }
    }

    /// Captures the model. What it remembers is state as soon as it is found to matter, and no graph stays that does not know.
    fn record(
        &mut self,
        model: &dyn Behind<A>,
        arguments: &A,
        state: &State,
        declare: impl FnOnce(Tracer<'_>) -> Tracer<'_>,
    ) -> (Result<GraphModule, TraceError>, Noticed) {
        let tracer = declare(model.tracer().with_state(state).remembers_state(self.memory_matters));
        let (captured, noticed) = noticing(|| model.capture(tracer, arguments));
        if noticed.memory_matters && !self.memory_matters {
            self.memory_matters = true;
            self.drop_graphs(|_| false);
            self.examples.drain(..self.examples.len().saturating_sub(1));
        }
        (captured, noticed)
    }

    fn keep(&mut self, graph: GraphModule, layouts: Option<Vec<bool>>, memory: bool) {
        self.stats.captures += 1;
        let has_state = !graph.graph().state().is_empty();
        if has_state && let Some(why) = not_repeatable(&graph) {
            self.runs_as_it_is = true;
            self.refuse(Refusal::NotRepeatable(why));
            return self.drop_graphs(|_| false);
        }
        let state = self.state.get_or_insert_default();
        let found = graph.state();
        if found.iter().any(|(name, _)| !state.touches(name)) {
            // A graph that does not read all of the state would not see it change.
            found.iter().for_each(|(name, value)| {
                if !state.touches(name) {
                    state.set(name, value.clone());
                }
            });
            self.drop_graphs(|_| false);
        }
        self.graphs.insert(0, Kept { graph: Arc::new(graph), layouts, remembers: memory && !has_state });
        self.stats.dropped += self.graphs.len().saturating_sub(KEPT);
        self.graphs.truncate(KEPT);
    }

    /// Runs a graph on the state.
    pub(super) fn run<R>(
        &mut self,
        model: &mut dyn Behind<A>,
        graph: &GraphModule,
        values: &[Value],
        arguments: &A,
        taken: impl FnOnce(Value) -> Option<R>,
    ) -> Option<R> {
        let mut state = self.state.clone()?;
        let result = graph.run_with_state(&mut state, values).map_err(|error| self.refuse(error)).ok();
        let result = result.and_then(taken)?;
        self.state = Some(state);
        self.stats.graph_runs += 1;
        let bytes =
            values.iter().flat_map(Value::tensors).map(|tensor| tensor.elem_count() * tensor.dtype().size_in_bytes());
        self.bytes_behind = self.bytes_behind.saturating_add(bytes.sum());
        match copied(values) {
            Ok(copied) => self.behind.push(copied),
            Err(_) => {
                self.catch_up(model);
                model.repeat(arguments.clone());
                self.stats.repeated += 1;
            }
        }
        if self.behind.len() >= BEHIND || self.bytes_behind > MOST_BYTES {
            self.catch_up(model);
        }
        Some(result)
    }

    /// Brings the model to the present state.
    pub(super) fn catch_up(&mut self, model: &mut dyn Behind<A>) {
        self.bytes_behind = 0;
        for values in std::mem::take(&mut self.behind) {
            self.stats.repeated += 1;
            // They were arguments before, and it gives what the graph gave.
            if let Some(arguments) = A::of_values(&values) {
                model.repeat(arguments);
            }
        }
    }

    /// The model is about to change its state, or to be changed.
    pub(super) fn leave(&mut self, model: &mut dyn Behind<A>) {
        self.catch_up(model);
        self.state = None;
    }

    /// The same if the model is about to run.
    pub(super) fn leave_call(&mut self, model: &mut dyn Behind<A>) {
        self.stats.original_runs += 1;
        self.leave(model);
    }

    /// The model begins anew: what it missed is of no interest.
    pub(super) fn restart(&mut self) {
        self.behind.clear();
        self.remembered.clear();
        self.bytes_behind = 0;
        self.state = None;
    }

    /// What the model holds that graphs have as constants, as far as it tells.
    pub(super) fn constants(&self, model: &dyn Behind<A>) -> Option<Vec<String>> {
        if self.graphs.is_empty() { None } else { model.besides(&self.known_names()) }
    }

    /// Looks whether others hold something that the model changes: they would not see what graphs do, nor graphs what they do.
    pub(super) fn see_others(&mut self, model: &dyn Behind<A>) {
        let shared = model.shared();
        self.is_shared = shared.is_some();
        if let Some(path) = shared {
            self.drop_graphs(|_| false);
            self.examples.clear();
            self.remembered.clear();
            self.refuse(Refusal::Shared { path });
        }
    }

    /// Graphs whose constants were changed are none of this model.
    pub(super) fn compare(&mut self, model: &dyn Behind<A>, before: Option<Vec<String>>) {
        if before.is_some() && before != self.constants(model) {
            self.drop_graphs(|_| false);
            self.examples.clear();
            self.remembered.clear();
        }
    }

    pub(super) fn forget(&mut self, model: &mut dyn Behind<A>) {
        self.catch_up(model);
        self.drop_graphs(|_| false);
        self.examples.clear();
        self.remembered.clear();
        self.state = Some(State::new());
    }
}

/// Why a run of a graph with state could not be made up for later by the model, if so.
fn not_repeatable(graph: &GraphModule) -> Option<&'static str> {
    let is_random = graph.graph().nodes().any(|(_, node)| match node.target() {
        Target::CallFunction(op) | Target::CallMethod(op) => op.effect == Effect::Random,
        _ => false,
    });
    if is_random {
        return Some("draws random numbers");
    }
    let is_trained = !graph.named_parameters().is_empty();
    is_trained.then_some("its weights are variables (`Var`), which may be others then")
}

/// The values with tensors of their own.
fn copied(values: &[Value]) -> Result<Vec<Value>, candle_core::Error> {
    values.iter().map(|value| value.map_tensors(&mut Tensor::copy)).collect()
}

/// The names of the parameters.
fn parameters(module: &GraphModule) -> Vec<String> {
    let graph = module.graph();
    match graph.signature() {
        Some(signature) => signature.parameters.iter().map(|(name, _)| name.to_string()).collect(),
        None => graph.placeholders().map(|id| parameter(graph.node(id)).to_owned()).collect(),
    }
}
