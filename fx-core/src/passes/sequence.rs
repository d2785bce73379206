//! [`Sequence`]: which calls have to run in the order they have, because they do more than compute their results.
//!
//! Such calls are those of operations with an effect, or that draw random numbers; of layers that say so of themselves
//! (`LayerModule::effect`); and of child graphs with any of these. They are ordered as if each read the one before.
//!
//! Invariant: following `next` from the first call in program order reaches each call that was in the graph from the
//! start, or stands for one, in program order.

use std::collections::{HashMap, HashSet};

use crate::ir::{Graph, NodeId};
use crate::module::Attributes;
use crate::module::dead::Effects;
use crate::ops::Effect;

type Links = HashMap<NodeId, NodeId, foldhash::fast::RandomState>;

/// The calls of a graph that have to keep their order.
#[derive(Default)]
pub(super) struct Sequence {
    effects: Effects,
    next: Links,
    prev: Links,
    members: HashSet<NodeId, foldhash::fast::RandomState>,
}

impl Sequence {
    /// Those of this graph, in program order.
    pub(super) fn of(graph: &Graph, attributes: Option<&Attributes>) -> Self {
        let mut all = Self::default();
        let mut before = None;
        for (id, _) in graph.nodes() {
            if all.has_effect(graph, id, attributes) {
                all.link(before, Some(id));
                all.members.insert(id);
                before = Some(id);
            }
        }
        all
    }

    /// Whether a call does more than compute its result. Without attributes nothing is known of called modules, which
    /// then count as doing nothing else.
    fn has_effect(&mut self, graph: &Graph, id: NodeId, attributes: Option<&Attributes>) -> bool {
        match (attributes, graph.node(id).target()) {
            (Some(attributes), _) => self.effects.of_node(graph, id, attributes) != Effect::Pure,
            (None, target) => target.operation().is_some_and(|op| op.effect != Effect::Pure),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub(super) fn contains(&self, id: NodeId) -> bool {
        self.members.contains(&id)
    }

    /// The one that has to run next.
    pub(super) fn next(&self, id: NodeId) -> Option<NodeId> {
        self.next.get(&id).copied()
    }

    /// The one that has to run before.
    pub(super) fn prev(&self, id: NodeId) -> Option<NodeId> {
        self.prev.get(&id).copied()
    }

    /// What has to run before nodes that become one, and what after them, as far as they are ordered.
    pub(super) fn around(&self, nodes: &[NodeId]) -> (Option<NodeId>, Option<NodeId>) {
        let outside = |next: Option<NodeId>| next.filter(|next| !nodes.contains(next));
        let members = || nodes.iter().filter(|&&id| self.contains(id));
        (members().find_map(|&id| outside(self.prev(id))), members().find_map(|&id| outside(self.next(id))))
    }

    /// Lets new nodes, in program order, stand in the places of old ones. Where no old one had a place, the new ones are
    /// ordered among each other only.
    pub(super) fn replace(&mut self, old: &[NodeId], new: &[NodeId], graph: &Graph, attributes: &Attributes) {
        let (mut before, after) = self.around(old);
        for id in old {
            if self.members.remove(id) {
                self.next.remove(id);
                self.prev.remove(id);
            }
        }
        for &id in new {
            if self.has_effect(graph, id, Some(attributes)) {
                self.members.insert(id);
                self.link(before, Some(id));
                before = Some(id);
            }
        }
        self.link(before, after);
    }

    fn link(&mut self, a: Option<NodeId>, b: Option<NodeId>) {
        match (a, b) {
            (Some(a), Some(b)) => {
                self.next.insert(a, b);
                self.prev.insert(b, a);
            }
            (Some(a), None) => drop(self.next.remove(&a)),
            (None, Some(b)) => drop(self.prev.remove(&b)),
            (None, None) => {}
        }
    }
}
