//! Whether what a model adds to a map it only remembers: a mask for each size is the same whether it is made or found, a count
//! is another each time. Which of the two it is shows when the model is called once more as the first call has left it.
//!
//! What does not depend on inputs is looked at only if the model holds it: what is computed is found again the second time.
//!
//! Invariant: two calls are alike if what they compute of their inputs and what they return is the same, node by node.

use std::collections::HashMap;

use crate::entity::EntityRef;
use crate::ir::{Argument, Graph, Keyword, NodeId, Target};
use crate::module::{Attribute, Attributes};
use crate::ops::Effect;

use super::dynamic::is_equal;
use super::held::Held;

/// One call of several that were recorded one after the other.
pub(super) struct Called {
    /// How many nodes there were after it.
    pub(super) nodes: usize,
    /// What it returned.
    pub(super) output: Argument,
    /// What the model held after it.
    pub(super) held: Held,
}

/// Whether the second call computed what the first did.
pub(super) fn is_alike(graph: &Graph, attributes: &Attributes, first: &Called, second: &Called) -> bool {
    let mut keys = Keys { attributes, known: HashMap::new(), constants: Vec::new() };
    let one = keys.call(graph, 0..first.nodes, &first.output);
    one == keys.call(graph, first.nodes..second.nodes, &second.output)
}

/// Whether the plain data that a model remembers was the same after both calls.
pub(super) fn remembers_alike(first: &Called, second: &Called) -> bool {
    first.held.remembered() == second.held.remembered()
}

/// A node without its place: what it calls, and with which arguments.
type Step = (Target, Vec<Argument>, Vec<(Keyword, Argument)>);

/// What nodes are called in the comparison.
struct Keys<'g> {
    attributes: &'g Attributes,
    /// Of nodes that depend on inputs: the how manieth they are in their call.
    known: HashMap<NodeId, usize>,
    /// Tensors and layers that the model holds.
    constants: Vec<Target>,
}

impl Keys<'_> {
    /// The steps of one call that depend on its inputs, and what it returns.
    fn call(&mut self, graph: &Graph, nodes: std::ops::Range<usize>, output: &Argument) -> (Vec<Step>, Argument) {
        let mut steps = Vec::new();
        for (id, node) in graph.nodes().skip(nodes.start).take(nodes.len()) {
            let is_own = match node.target() {
                Target::Placeholder(_) => true,
                Target::CallFunction(op) | Target::CallMethod(op) => op.effect != Effect::Pure,
                _ => false,
            };
            if !is_own && !node.all_input_nodes().any(|input| self.known.contains_key(&input)) {
                continue;
            }
            self.known.insert(id, steps.len());
            // Names of inputs are not taken twice.
            let target = match node.target() {
                Target::Placeholder(_) => Target::Output,
                other => other.clone(),
            };
            let args = node.args().iter().map(|argument| self.mapped(graph, argument)).collect();
            let kwargs = node.kwargs().iter().map(|(name, argument)| (name.clone(), self.mapped(graph, argument)));
            steps.push((target, args, kwargs.collect()));
        }
        let output = self.mapped(graph, output);
        (steps, output)
    }

    fn mapped(&mut self, graph: &Graph, argument: &Argument) -> Argument {
        argument.map_nodes(&mut |id| NodeId::new(self.key(graph, id)))
    }

    fn key(&mut self, graph: &Graph, id: NodeId) -> usize {
        if let Some(place) = self.known.get(&id) {
            return 3 * place;
        }
        let target = graph.node(id).target();
        let Target::GetAttr(_) = target else { return 1 };
        let place = self.constants.iter().position(|known| self.is_same(known, target)).unwrap_or_else(|| {
            self.constants.push(target.clone());
            self.constants.len() - 1
        });
        3 * place + 2
    }

    /// Whether two attributes are one, or equal.
    fn is_same(&self, one: &Target, other: &Target) -> bool {
        let tensor = |target: &Target| match target.path().and_then(|path| self.attributes.get(path)) {
            Some(Attribute::Tensor(tensor)) => Some(tensor),
            _ => None,
        };
        one == other
            || match (tensor(one), tensor(other)) {
                (Some(one), Some(other)) => is_equal(one, other),
                _ => false,
            }
    }
}
