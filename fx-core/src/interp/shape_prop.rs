//! [`ShapeProp`]: the shapes and dtypes that a run has.
//!
//! Invariant: only what was seen is written, and only if the run came to its end.

use std::collections::HashMap;

use indexmap::IndexMap;

use crate::ir::{Graph, NodeId};
use crate::module::GraphModule;
use crate::value::{Fact, Value};

use super::error::RunError;
use super::execution::{Execution, Observer};
use super::interpreter::Running;

/// Writes to each node what its value was in a run: shape and dtype of tensors, part by part of tuples.
///
/// Nodes of child graphs are written to as well. One that had another shape or dtype in another call of the same run gets
/// none: a graph holds for every call of it.
///
/// One run says what a value is at the sizes of that run. Of a graph that follows sizes, and of its child graphs, what is
/// known and does not hold in this run is taken away, and nothing is added: [`GraphModule::infer_facts`] says what holds at
/// all sizes.
///
/// ```
/// use candle_core::{DType, Device, Tensor};
/// use fx_core::{interp::ShapeProp, trace::Tracer};
///
/// let mut module = Tracer::new().trace_fn(|inputs| inputs.tensor("x")?.sqr())?;
/// ShapeProp::propagate(&mut module, &[Tensor::zeros((2, 3), DType::F32, &Device::Cpu)?.into()])?;
/// let sqr = module.graph().node_named("sqr").unwrap();
/// assert_eq!(module.graph().node(sqr).meta().fact.to_string(), "f32[2, 3]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct ShapeProp {
    /// By the address of the graph, which stays where it is while the module runs.
    facts: HashMap<usize, IndexMap<NodeId, Fact>>,
    /// Whether the module follows no sizes.
    is_of_one_size: bool,
}

impl ShapeProp {
    /// Runs the module on these inputs and writes what was seen; the result.
    ///
    /// Where what is known follows sizes, and held in this run, it is left as it is.
    ///
    /// # Errors
    /// [`RunError`], as [`GraphModule::run`]; nothing is written then.
    pub fn propagate(module: &mut GraphModule, inputs: &[Value]) -> Result<Value, RunError> {
        let is_of_one_size = module.graph().dynamic().is_none();
        let mut seen = Self { is_of_one_size, ..Self::default() };
        let result = Execution::new(module).observe(&mut seen).run(&mut (), inputs)?;
        let of_root = seen.facts.remove(&address(module.graph())).unwrap_or_default();
        if !seen.facts.is_empty() {
            let addresses: Vec<usize> = module.graphs_to_edit().map(address).collect();
            let mut children = addresses.into_iter();
            module.edit_each(&mut |module| match children.next().and_then(|at| seen.facts.remove(&at)) {
                Some(facts) => write(module.graph_mut(), facts),
                None => false,
            });
        }
        write(module.graph_mut(), of_root);
        Ok(result)
    }
}

fn address(graph: &Graph) -> usize {
    std::ptr::from_ref(graph).addr()
}

/// Writes facts to the nodes of a graph; whether any differs from the one that was there.
fn write(graph: &mut Graph, facts: IndexMap<NodeId, Fact>) -> bool {
    let mut changed = false;
    for (id, fact) in facts {
        let meta = graph.meta_mut(id);
        changed |= meta.fact != fact;
        meta.fact = fact;
    }
    changed
}

impl Observer for ShapeProp {
    fn after(&mut self, at: Running<'_>, value: &Value) {
        // A fact holds no tensor: it would keep its memory.
        let is_shape = |fact: &Fact| !matches!(fact, Fact::Data(data) if !data.tensors().is_empty());
        let fact = match self.is_of_one_size {
            true => Some(Fact::of(value)).filter(is_shape).unwrap_or_default(),
            false if at.node().meta().fact.holds_of(value, at.sizes()) => return,
            false => Fact::Unknown,
        };
        let facts = self.facts.entry(address(at.graph())).or_default();
        facts
            .entry(at.id())
            .and_modify(|seen| {
                if *seen != fact {
                    *seen = Fact::Unknown;
                }
            })
            .or_insert(fact);
    }
}
