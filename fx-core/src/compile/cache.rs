//! [`Cache`]: the graphs of a model and the state they work on; the model stays behind them.
//!
//! A cache knows nothing of the model's type, so that programs with many models compile it once.
//!
//! Invariant: the model is in the present state when the calls that it missed are made up for; every graph reads from the
//! state whatever is in it.

use std::sync::Arc;

use crate::ir::Target;
use crate::module::inputs::parameter;
use crate::module::{GraphModule, State};
use crate::ops::Effect;
use crate::trace::{TraceError, Tracer};
use crate::value::Value;

use super::arguments::Arguments;
use super::example::Example;
use super::refusal::Refusal;

/// How many graphs are kept; the one that has not run for the longest time goes first.
const KEPT: usize = 32;
/// Captures are tried for so many calls; for others that no graph is for the original runs, because a capture costs more.
const MOST: usize = 128;
/// The model stays so many calls behind.
const BEHIND: usize = 8192;

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
    /// What each capture is told besides.
    fn tracer<'t>(&self) -> Tracer<'t>;
    /// Names of the parameters, if they are known without a capture.
    fn names(&self) -> &[String];
}

/// The graphs of a model.
pub(super) struct Cache<A> {
    /// The calls that graphs have answered and that have changed the state.
    behind: Vec<A>,
    /// What the model keeps, as far as graphs know of it; none if only the model knows.
    state: Option<State>,
    /// The one that ran last first.
    graphs: Vec<Arc<GraphModule>>,
    /// The calls at which a capture was tried.
    examples: Vec<Example>,
    names: Vec<String>,
    /// Chance and state together cannot be made up for.
    runs_as_it_is: bool,
    stats: Stats,
    refusals: Vec<Refusal>,
}

impl<A> Cache<A> {
    pub(super) fn new() -> Self {
        let (behind, graphs, examples, names, refusals) = Default::default();
        let (state, stats) = (Some(State::new()), Stats::default());
        Self { behind, state, graphs, examples, names, runs_as_it_is: false, stats, refusals }
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

    pub(super) fn graphs(&self) -> &[Arc<GraphModule>] {
        &self.graphs
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
        if self.runs_as_it_is {
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
        let found = self.graphs.iter().position(|graph| graph.accepts_with_state(state, values).is_ok())?;
        self.graphs[..=found].rotate_right(1);
        self.graphs.first().cloned()
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
        let longest = self.graphs.iter().map(|graph| graph.graph().state()).max_by_key(|slots| slots.len());
        longest.into_iter().flatten().map(|slot| slot.name.to_string()).collect()
    }

    fn drop_graphs(&mut self, stays: impl Fn(&GraphModule) -> bool) {
        let before = self.graphs.len();
        self.graphs.retain(|graph| stays(graph));
        self.stats.dropped += before - self.graphs.len();
    }

    /// Captures the model for this call: if it is like another one, for all calls in between.
    fn capture(&mut self, model: &mut dyn Behind<A>, values: &[Value], arguments: &A) {
        let names = if model.names().is_empty() { &self.names } else { model.names() };
        let state = self.state.clone().unwrap_or_default();
        let example = Example::new(names, values, &state);
        if self.examples.len() >= MOST || self.examples.contains(&example) {
            return;
        }
        let distances = self.examples.iter().filter_map(|before| Some((before.distance(&example)?, before)));
        let before = distances.min_by_key(|(distance, _)| *distance).map(|(_, before)| before.clone());
        self.examples.push(example.clone());
        self.catch_up(model);
        let tracer = || model.tracer().with_state(&state);
        if let Some(before) = before {
            for shared in [true, false] {
                let tracer = before.declare(&example, shared, tracer());
                if let Ok(graph) = model.capture(tracer, arguments)
                    && graph.accepts(values).is_ok()
                {
                    return self.keep(graph);
                }
            }
        }
        match model.capture(tracer(), arguments) {
            Ok(graph) => {
                if self.names.is_empty() {
                    self.names = parameters(&graph);
                    // What was named by number before has a name now.
                    self.examples = vec![Example::new(&self.names, values, &state)];
                }
                self.keep(graph);
            }
            Err(error) => {
                self.stats.refused += 1;
                self.refuse(error);
            }
        }
    }

    fn keep(&mut self, graph: GraphModule) {
        self.stats.captures += 1;
        let is_random = graph.graph().nodes().any(|(_, node)| match node.target() {
            Target::CallFunction(op) | Target::CallMethod(op) => op.effect == Effect::Random,
            _ => false,
        });
        if is_random && !graph.graph().state().is_empty() {
            self.runs_as_it_is = true;
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
        self.graphs.insert(0, Arc::new(graph));
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
        self.behind.push(arguments.clone());
        self.stats.graph_runs += 1;
        if self.behind.len() >= BEHIND {
            self.catch_up(model);
        }
        Some(result)
    }

    /// Brings the model to the present state.
    pub(super) fn catch_up(&mut self, model: &mut dyn Behind<A>) {
        for arguments in std::mem::take(&mut self.behind) {
            self.stats.repeated += 1;
            // It gives what the graph gave.
            model.repeat(arguments);
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
        self.state = None;
    }

    pub(super) fn forget(&mut self, model: &mut dyn Behind<A>) {
        self.catch_up(model);
        self.drop_graphs(|_| false);
        self.examples.clear();
        self.state = Some(State::new());
    }
}

/// The names of the parameters.
fn parameters(module: &GraphModule) -> Vec<String> {
    let graph = module.graph();
    match graph.signature() {
        Some(signature) => signature.parameters.iter().map(|(name, _)| name.to_string()).collect(),
        None => graph.placeholders().map(|id| parameter(graph.node(id)).to_owned()).collect(),
    }
}
