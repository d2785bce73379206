//! [`Sequence`]: which calls have to run in the order they have, because they do more than compute their results.
//!
//! Such calls are those of operations with an effect, or that draw random numbers; of layers in training; of layers
//! that do not tell what they are made of; and of child graphs with any of these. They are ordered as if each read the
//! one before.
//!
//! Invariant: following `next` from the first call in program order reaches each call that was in the graph from the
//! start, or stands for one, in program order.

use std::collections::{HashMap, HashSet};

use crate::ir::{Argument, Graph, Node, NodeId, Target};
use crate::module::{Attribute, Attributes, GraphModule};
use crate::ops::Effect;

type Links = HashMap<NodeId, NodeId, foldhash::fast::RandomState>;

/// Tells which calls do more than compute their results.
#[derive(Default)]
pub(super) struct Effects {
    /// Child graphs that were looked into, by address, and whether they have such calls.
    children: HashMap<*const GraphModule, bool>,
}

impl Effects {
    /// Whether a call does more than compute its result. Without attributes nothing is known of called modules, which
    /// then count as doing nothing else.
    pub(super) fn has(&mut self, node: &Node, attributes: Option<&Attributes>) -> bool {
        match node.target() {
            Target::CallFunction(op) | Target::CallMethod(op) => op.effect != Effect::Pure,
            Target::CallModule(path) => match attributes.and_then(|attributes| attributes.callee(path).ok()) {
                Some(Attribute::Module(child)) => self.child_has(&child),
                Some(Attribute::Layer(layer)) => {
                    let is_off = |argument: &Argument| *argument == Argument::Bool(false);
                    let is_plain =
                        layer.called().options.is_empty() || node.kwargs().iter().all(|(_, argument)| is_off(argument));
                    !is_plain || layer.state().is_none()
                }
                _ => false,
            },
            Target::Placeholder(_) | Target::Output | Target::GetAttr(_) => false,
        }
    }

    /// Looks into the graphs that a child calls, too; not by recursion, because they may be nested deep.
    fn child_has(&mut self, child: &GraphModule) -> bool {
        if let Some(&known) = self.children.get(&std::ptr::from_ref(child)) {
            return known;
        }
        let mut found = false;
        let (mut seen, mut pending) = (HashSet::new(), vec![child]);
        while let Some(module) = pending.pop() {
            match self.children.get(&std::ptr::from_ref(module)) {
                Some(true) => found = true,
                Some(false) => continue,
                None if !seen.insert(std::ptr::from_ref(module)) => continue,
                None => {}
            }
            found = found
                || module.graph().nodes().any(|(_, node)| match node.target() {
                    Target::CallModule(path) => match module.attributes().callee(path) {
                        // Its graph waits its turn.
                        Ok(Attribute::Module(_)) => false,
                        _ => self.has(node, Some(module.attributes())),
                    },
                    _ => self.has(node, None),
                });
            if found {
                self.children.insert(std::ptr::from_ref(child), true);
                return true;
            }
            pending.extend(module.children().map(|(_, child)| child));
        }
        self.children.extend(seen.into_iter().map(|module| (module, false)));
        false
    }
}

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
        for (id, node) in graph.nodes() {
            if all.effects.has(node, attributes) {
                all.link(before, Some(id));
                all.members.insert(id);
                before = Some(id);
            }
        }
        all
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
            if self.effects.has(graph.node(id), Some(attributes)) {
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
