//! [`ConstantFolding`]: calls whose arguments are known before the graph runs are run once, now.
//!
//! Invariant: what is stored is what the graph would compute; nothing that draws random numbers, has effects, or
//! depends on a variable that training changes is folded.

use std::collections::HashMap;
use std::sync::Arc;

use smallvec::SmallVec;

use super::held::{drop_stale, named, numbered_path};
use super::pass::{Fuel, Pass, PassFailure};
use crate::ir::{Argument, Graph, NodeId, Origin, Target, bind};
use crate::module::{Attribute, Attributes, GraphModule};
use crate::ops::candle_error::caught;
use crate::ops::{Args, Effect, Facts};
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

    /// The value of a call, if all its arguments are known and it may be folded.
    fn evaluate(&self, graph: &Graph, attributes: &Attributes, id: NodeId, known: &Known) -> Option<Value> {
        let node = graph.node(id);
        let op = match node.target() {
            Target::GetAttr(path) => {
                let tensor = attributes.tensor(path).ok()?;
                return (!tensor.is_variable()).then_some(Value::Tensor(tensor));
            }
            Target::CallFunction(op) | Target::CallMethod(op) if op.effect == Effect::Pure => *op,
            _ => return None,
        };
        let bound = bind(op, node.args(), node.kwargs()).ok()?;
        let values: SmallVec<[Value; 4]> =
            bound.into_iter().map(|argument| value_of(argument, known)).collect::<Option<_>>()?;
        // The rule refuses what candle panics on, and says how large the result is before it is made.
        let facts: SmallVec<[Fact; 4]> = values.iter().map(Fact::of).collect();
        let facts: SmallVec<[&Fact; 4]> = facts.iter().collect();
        let fact = (op.infer)(Facts { op, facts: &facts }).ok()?;
        if bytes(&fact)? > self.most_bytes {
            return None;
        }
        let values: SmallVec<[&Value; 4]> = values.iter().collect();
        // Of a user's operation nobody knows.
        caught(|| (op.eval)(Args { op, values: &values })).ok()
    }
}

type Known = HashMap<NodeId, Value, foldhash::fast::RandomState>;

/// The value of an argument, if that of every node in it is known. Recurses over nested lists.
fn value_of(argument: &Argument, known: &Known) -> Option<Value> {
    match argument {
        Argument::Node(id) => known.get(id).cloned(),
        Argument::List(items) => {
            Some(Value::List(items.iter().map(|item| value_of(item, known)).collect::<Option<_>>()?))
        }
        Argument::Tuple(items) => {
            Some(Value::Tuple(items.iter().map(|item| value_of(item, known)).collect::<Option<_>>()?))
        }
        other => other.to_value(),
    }
}

/// How many bytes a value takes; none if that is not known.
fn bytes(fact: &Fact) -> Option<usize> {
    match fact {
        Fact::Unknown => None,
        Fact::Tensor(tensor) => {
            let count = tensor.dims().iter().try_fold(1usize, |count, &dim| count.checked_mul(dim))?;
            count.checked_mul(tensor.dtype.size_in_bytes().max(1))
        }
        Fact::List(items) | Fact::Tuple(items) => {
            items.iter().try_fold(0usize, |sum, item| sum.checked_add(bytes(item)?))
        }
        Fact::Data(_) | Fact::SymInt(_) => Some(0),
    }
}

impl Pass for ConstantFolding {
    fn run(&mut self, module: &mut GraphModule, fuel: &mut Fuel) -> Result<bool, PassFailure> {
        let graph = module.graph();
        let mut known = Known::default();
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
fn erase_unused(graph: &mut Graph, id: NodeId, known: &Known) -> Result<(), PassFailure> {
    let mut pending = vec![id];
    while let Some(id) = pending.pop() {
        if graph.contains(id) && graph.user_count(id) == 0 && known.contains_key(&id) {
            pending.extend(graph.node(id).all_input_nodes());
            graph.erase_node(id)?;
        }
    }
    Ok(())
}
