//! [`ConstantFolding`]: calls whose arguments are known before the graph runs are run once, now.
//!
//! Invariant: what is stored is what the graph would compute; nothing that draws random numbers, has effects, or
//! depends on a variable that training changes is folded.

use std::sync::Arc;

use super::held::{drop_stale, named, numbered_path};
use super::pass::{Fuel, Pass, PassFailure};
use crate::interp::{Constants, constant};
use crate::ir::{Graph, NodeId, Origin, Target};
use crate::module::{Attribute, Attributes, GraphModule};
use crate::value::{Fact, Value};

/// Calls of attributes and literals become attributes `_folded_0`, `_folded_1`, …
///
/// Only what something else needs is stored: of a chain of constant calls, the last. Calls of literals alone (`zeros`)
/// stay, unless such a chain needs them. Candle's variables are not constants: training changes them.
///
/// ```
/// use candle_core::{Device, Tensor};
/// use fx_core::passes::{ConstantFolding, Fuel, Pass, PassFailure, Proxy};
/// use fx_core::trace::Tracer;
///
/// let mut module = Tracer::new().trace_fn(|inputs| {
///     let w = Proxy::new(&[1f32, 2.0], &Device::Cpu)?;
///     inputs.tensor("x")? * w.exp()?
/// })?;
/// assert!(ConstantFolding::new().run(&mut module, &mut Fuel::unlimited())?);
/// assert!(module.tensor("_folded_0").is_some());
/// # Ok::<(), PassFailure>(())
/// ```
///
/// A call that fails when it is folded stays, to fail when the graph runs.
#[derive(Debug, Clone)]
#[must_use]
pub struct ConstantFolding {
    most_bytes: usize,
}

impl Default for ConstantFolding {
    fn default() -> Self {
        Self::new()
    }
}

impl ConstantFolding {
    /// Folds what takes at most 64 MiB.
    pub fn new() -> Self {
        Self { most_bytes: 64 << 20 }
    }

    /// Folds calls whose results take at most so many bytes.
    ///
    /// A larger one is computed in each run.
    pub fn most_bytes(mut self, bytes: usize) -> Self {
        self.most_bytes = bytes;
        self
    }

    /// The value of an attribute, or of a call, if all its arguments are known and it may be folded.
    fn evaluate(&self, graph: &Graph, attributes: &Attributes, id: NodeId, known: &Constants) -> Option<Value> {
        match graph.node(id).target() {
            Target::GetAttr(path) => {
                let tensor = attributes.tensor(path).ok()?;
                (!tensor.is_variable()).then_some(Value::Tensor(tensor))
            }
            _ => constant(graph, id, known, self.most_bytes),
        }
    }
}

impl Pass for ConstantFolding {
    fn run(&mut self, module: &mut GraphModule, fuel: &mut Fuel) -> Result<bool, PassFailure> {
        let graph = module.graph();
        let mut known = Constants::default();
        for (id, _) in graph.nodes() {
            if let Some(value) = self.evaluate(graph, module.attributes(), id, &known) {
                known.insert(id, value);
            }
        }
        let is_needed = |id: NodeId| graph.users(id).any(|user| !known.contains_key(&user));
        let stored: Vec<(NodeId, candle_core::Tensor)> = graph
            .nodes()
            .filter(|&(id, node)| node.all_input_nodes().next().is_some() && is_needed(id))
            .filter_map(|(id, _)| Some((id, known.get(&id)?.as_tensor()?.clone())))
            .collect();
        let pass: Arc<str> = "constant_folding".into();
        let before = named(graph);
        let (mut count, mut changed) = (0, false);
        for (id, tensor) in stored {
            if !fuel.take() {
                break;
            }
            let path = numbered_path(module.attributes(), "_folded_", &mut count);
            module.set_attribute(path.clone(), Attribute::Tensor(tensor.clone()));
            let graph = module.graph_mut();
            let new = graph.inserting_before(id).get_attr(path);
            let (node, name) = (graph.node(id).name().into(), graph.name().into());
            let old = graph.node(id).meta().clone();
            let meta = graph.meta_mut(new);
            (meta.source, meta.module) = (old.source, old.module);
            meta.fact = Fact::tensor(tensor.shape(), tensor.dtype());
            meta.add_origin(Origin { pass: pass.clone(), node, graph: name });
            graph.replace_all_uses_with(id, new);
            erase_unused(graph, id, &known)?;
            changed = true;
        }
        if changed {
            let mut attributes = module.attributes().clone();
            drop_stale(&before, module.graph(), &mut attributes);
            *module.attributes_mut() = attributes;
        }
        Ok(changed)
    }
}

/// Takes away a folded call, and what only it needed.
fn erase_unused(graph: &mut Graph, id: NodeId, known: &Constants) -> Result<(), PassFailure> {
    let mut pending = vec![id];
    while let Some(id) = pending.pop() {
        if graph.contains(id) && graph.user_count(id) == 0 && known.contains_key(&id) {
            pending.extend(graph.node(id).all_input_nodes());
            graph.erase_node(id)?;
        }
    }
    Ok(())
}
