//! [`CommonSubexpressions`]: equal calls become one.
//!
//! Invariant: only what has no effect and draws no random numbers is merged, so that results stay equal to the bit. A
//! second run changes nothing.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use smallvec::SmallVec;

use super::pass::{Fuel, Pass, PassFailure};
use crate::ir::{Argument, Graph, Node, NodeId, Origin, Target};
use crate::module::{Attributes, GraphModule};
use crate::ops::{Effect, OpRef};

/// Calls of one operation with equal arguments, lists and arguments by name included, become one; so do reads of one
/// attribute, and calls of one layer that do nothing besides (`LayerModule::effect`).
///
/// ```
/// use fx_core::passes::{CommonSubexpressions, Fuel, Pass, PassFailure};
/// use fx_core::trace::Tracer;
///
/// let mut module = Tracer::new().trace_fn(|inputs| {
///     let x = inputs.tensor("x")?;
///     x.relu()? + x.relu()?
/// })?;
/// let mut cse = CommonSubexpressions::new();
/// assert!(cse.run(&mut module, &mut Fuel::unlimited())?);
/// assert_eq!(module.graph().len(), 4);
/// assert!(!cse.run(&mut module, &mut Fuel::unlimited())?);
/// # Ok::<(), PassFailure>(())
/// ```
///
/// Merged are calls that are pure ([`Effect::Pure`](crate::ops::Effect::Pure)); the first stays, and remembers the
/// others.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct CommonSubexpressions {
    banned: Vec<OpRef>,
}

impl CommonSubexpressions {
    /// Merges calls of every operation without effect.
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves calls of these operations alone.
    ///
    /// In addition to those that were named before.
    pub fn banned(mut self, ops: impl IntoIterator<Item = OpRef>) -> Self {
        self.banned.extend(ops);
        self
    }

    fn can_merge(&self, node: &Node, attributes: &Attributes) -> bool {
        match node.target() {
            Target::GetAttr(_) => true,
            Target::CallFunction(op) | Target::CallMethod(op) => op.effect == Effect::Pure && !self.banned.contains(op),
            Target::CallModule(path) => {
                attributes.layer(path).is_ok_and(|layer| layer.effect(node.args(), node.kwargs()) == Effect::Pure)
            }
            Target::Placeholder(_) | Target::Output => false,
        }
    }
}

impl Pass for CommonSubexpressions {
    fn run(&mut self, module: &mut GraphModule, fuel: &mut Fuel) -> Result<bool, PassFailure> {
        let pass: Arc<str> = "cse".into();
        let hasher = foldhash::fast::RandomState::default();
        let mut seen: HashMap<u64, SmallVec<[NodeId; 1]>, foldhash::fast::RandomState> = HashMap::default();
        let mut merged: Vec<(NodeId, NodeId)> = Vec::new();
        let mut twins: HashMap<NodeId, NodeId, foldhash::fast::RandomState> = HashMap::default();
        let graph = module.graph();
        for (id, node) in graph.nodes() {
            if !self.can_merge(node, module.attributes()) {
                continue;
            }
            let same = seen.entry(hash(&hasher, node, &twins)).or_default();
            match same.iter().find(|&&other| equal(graph, other, node, &twins)) {
                Some(&first) if fuel.take() => {
                    twins.insert(id, first);
                    merged.push((id, first));
                }
                Some(_) => break,
                None => same.push(id),
            }
        }
        if merged.is_empty() {
            return Ok(false);
        }
        let graph = module.graph_mut();
        for &(id, first) in &merged {
            graph.replace_all_uses_with(id, first);
        }
        let name: Arc<str> = graph.name().into();
        for &(id, first) in merged.iter().rev() {
            let node = graph.node(id).name().into();
            graph.meta_mut(first).add_origin(Origin { pass: pass.clone(), node, graph: name.clone() });
            graph.erase_node(id)?;
        }
        Ok(true)
    }
}

type Twins = HashMap<NodeId, NodeId, foldhash::fast::RandomState>;

fn first_of(twins: &Twins, id: NodeId) -> NodeId {
    twins.get(&id).copied().unwrap_or(id)
}

fn hash(hasher: &foldhash::fast::RandomState, node: &Node, twins: &Twins) -> u64 {
    let mut state = hasher.build_hasher();
    node.target().hash(&mut state);
    for argument in node.arguments() {
        argument.map_nodes(&mut |id| first_of(twins, id)).hash(&mut state);
    }
    state.finish()
}

fn equal(graph: &Graph, first: NodeId, node: &Node, twins: &Twins) -> bool {
    let other = graph.node(first);
    let same = |a: &Argument, b: &Argument| {
        let map = |argument: &Argument| argument.map_nodes(&mut |id| first_of(twins, id));
        map(a) == map(b)
    };
    other.target() == node.target()
        && other.args().len() == node.args().len()
        && other.kwargs().len() == node.kwargs().len()
        && other.kwargs().iter().zip(node.kwargs()).all(|(a, b)| a.0 == b.0)
        && other.arguments().zip(node.arguments()).all(|(a, b)| same(a, b))
}
