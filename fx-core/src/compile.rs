//! [`Compiled`]: a model that runs as graphs, captured when they are needed: torch.compile's way.
//!
//! The first call captures the model at the sizes of its inputs. A call at other sizes captures it again, for all sizes of
//! the dimensions that differ; where that cannot be, or such a graph refuses the sizes because the model takes another way
//! there, it is captured at these sizes alone. What cannot be captured at all runs as it is; so does a model that keeps
//! something from call to call, because what it keeps would be in two places.
//!
//! Invariant: the result is the model's own, whatever is captured; a graph that fails is not the last word.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use candle_core::{Module, Result, Tensor};

use crate::ir::Target;
use crate::module::GraphModule;
use crate::trace::{Entry, ExampleArgument, Traceable, Tracer, ViaModule};
use crate::value::{TensorFact, Value};

/// How the original is called.
type Original<M> = dyn Fn(&M, &[&Tensor]) -> Result<Tensor> + Send + Sync;

/// A model that runs as graphs, captured when they are needed. Made by [`compile`] and [`compile_with`].
pub struct Compiled<M, K = ViaModule> {
    model: M,
    original: Box<Original<M>>,
    known: Mutex<Known>,
    entry: PhantomData<fn() -> K>,
}

/// What was captured so far.
#[derive(Default)]
struct Known {
    graphs: Vec<Arc<GraphModule>>,
    /// The inputs of graphs of one size, and those at which nothing could be captured.
    seen: Vec<Vec<TensorFact>>,
    /// Whether the model changes itself when it is called.
    keeps_state: bool,
}

/// Graphs of one size are made for so many sizes; for others the original runs, because a capture costs more than it.
const MOST: usize = 64;

/// A model of one input, as graphs: a drop-in for it that gives the same results.
///
/// A model that keeps something from call to call (in a `Mutex` or `RefCell`) runs as it is. Capture such a model by hand,
/// to have its state in the graph: [`GraphModule::state`].
pub fn compile<M>(model: M) -> Compiled<M>
where
    M: Traceable + Module,
    M::Symbolic: Entry<ViaModule>,
{
    compile_with(model, |model, inputs| match inputs {
        [x] => model.forward(x),
        _ => candle_core::bail!("the model takes one tensor, but was given {}", inputs.len()),
    })
}

/// A model of several inputs, all of them tensors, as graphs; `original` calls it.
pub fn compile_with<M, K>(
    model: M,
    original: impl Fn(&M, &[&Tensor]) -> Result<Tensor> + Send + Sync + 'static,
) -> Compiled<M, K>
where
    M: Traceable,
    M::Symbolic: Entry<K>,
{
    Compiled { model, original: Box::new(original), known: Mutex::default(), entry: PhantomData }
}

impl<M, K> Compiled<M, K> {
    /// The model itself.
    #[must_use]
    pub fn model(&self) -> &M {
        &self.model
    }

    /// The graphs that were captured so far, the oldest first.
    #[must_use]
    pub fn graphs(&self) -> Vec<Arc<GraphModule>> {
        self.known().graphs.clone()
    }

    /// Forgets what was captured: to be called when the model has changed.
    pub fn reset(&self) {
        *self.known() = Known::default();
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<M, K> Compiled<M, K>
where
    M: Traceable,
    M::Symbolic: Entry<K>,
{
    /// Runs the model on these inputs.
    ///
    /// # Errors
    /// The model's own.
    pub fn run(&self, inputs: &[&Tensor]) -> Result<Tensor> {
        let values: Vec<Value> = inputs.iter().map(|input| Value::from(*input)).collect();
        let accepting =
            |graphs: &[Arc<GraphModule>]| graphs.iter().rev().find(|graph| graph.accepts(&values).is_ok()).cloned();
        let found = accepting(&self.known().graphs);
        let graph = found.or_else(|| {
            self.capture(inputs);
            accepting(&self.known().graphs)
        });
        // Whatever goes wrong in a graph, the original says better.
        match graph.map(|graph| graph.run(&values)) {
            Some(Ok(Value::Tensor(tensor))) => Ok(tensor),
            _ => (self.original)(&self.model, inputs),
        }
    }

    /// Captures the model at sizes that no graph is for.
    fn capture(&self, inputs: &[&Tensor]) {
        let facts: Vec<TensorFact> = inputs.iter().map(|input| TensorFact::new(input.shape(), input.dtype())).collect();
        let before = {
            let known = &mut *self.known();
            if known.keeps_state || known.seen.len() >= MOST || known.seen.contains(&facts) {
                return;
            }
            let alike = known.seen.iter().filter(|seen| is_alike(seen, &facts));
            let before = alike.min_by_key(|seen| differing(seen, &facts)).cloned();
            known.seen.push(facts.clone());
            before
        };
        let examples = || inputs.iter().map(|input| ExampleArgument::tensor(input)).collect::<Vec<_>>();
        if let Some(before) = before
            && let Some(names) = self.names(&facts)
        {
            // What was the same in both calls is one size, or else it was so by accident.
            for shared in [true, false] {
                if let Ok(graph) = sizes(&names, &before, &facts, shared).trace_examples(&self.model, examples()) {
                    return self.keep(graph);
                }
            }
        }
        if let Ok(graph) = Tracer::new().trace_examples(&self.model, examples()) {
            self.keep(graph);
        }
    }

    fn keep(&self, module: GraphModule) {
        let known = &mut *self.known();
        if module.graph().state().is_empty() {
            known.graphs.push(Arc::new(module));
        } else {
            known.graphs.clear();
            known.keeps_state = true;
        }
    }

    /// The names of the inputs, as a graph of as many has them.
    fn names(&self, facts: &[TensorFact]) -> Option<Vec<String>> {
        self.known().graphs.iter().find_map(|module| {
            let graph = module.graph();
            let names = graph.placeholders().map(|id| match graph.node(id).target() {
                Target::Placeholder(name) => name.to_string(),
                _ => graph.node(id).name().to_owned(),
            });
            let names: Vec<String> = names.collect();
            (names.len() == facts.len()).then_some(names)
        })
    }
}

/// Whether inputs differ in extents alone.
fn is_alike(one: &[TensorFact], other: &[TensorFact]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| a.rank() == b.rank() && a.dtype == b.dtype)
}

/// In how many dimensions inputs differ.
fn differing(one: &[TensorFact], other: &[TensorFact]) -> usize {
    let dims = one.iter().zip(other).flat_map(|(a, b)| a.dims().iter().zip(b.dims()));
    dims.filter(|(a, b)| a != b).count()
}

/// A tracer for all sizes of the dimensions that differ; those that were the same in both calls can be one size.
fn sizes<'a>(names: &[String], before: &[TensorFact], now: &[TensorFact], shared: bool) -> Tracer<'a> {
    let mut tracer = Tracer::new();
    let mut known: BTreeMap<(usize, usize, usize), String> = BTreeMap::new();
    for ((name, before), now) in names.iter().zip(before).zip(now) {
        for (axis, pair) in before.dims().iter().copied().zip(now.dims().iter().copied()).enumerate() {
            if pair.0 != pair.1 {
                let next = format!("s{}", known.len());
                let alone = if shared { 0 } else { known.len() };
                let size = known.entry((pair.0, pair.1, alone)).or_insert(next);
                tracer = tracer.dynamic(name.clone(), axis, size);
            }
        }
    }
    tracer
}

impl<M> Module for Compiled<M, ViaModule>
where
    M: Traceable,
    M::Symbolic: Entry<ViaModule>,
{
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.run(&[x])
    }
}
