//! [`Route`]: how the candidates for a further anchor of a pattern are found from what is matched already.
//!
//! Invariant: a route leads from a node that stands for something, over readers, to the anchor.

use std::collections::HashMap;

use super::matcher::could_be;
use super::pattern::Pattern;
use super::unify::Unifier;
use crate::ir::{Argument, Graph, NodeId};

/// Nodes of a pattern, each of which reads the one before; the first is matched already, the last is the anchor.
#[derive(Debug, Clone)]
pub(super) struct Route(Vec<NodeId>);

/// Brings the anchors into an order in which each has a route if it can, and gives the routes. The first has none.
pub(super) fn routes(pattern: &Graph, anchors: &mut [NodeId]) -> Vec<Option<Route>> {
    let mut routes = vec![None; anchors.len()];
    let mut reached = HashMap::new();
    for next in 0..anchors.len() {
        if next > 0 {
            let (at, route) = nearest(pattern, &anchors[next..], &reached);
            anchors.swap(next, next + at);
            routes[next] = route;
        }
        // Everything that the anchor depends on is matched with it.
        let mut pending = vec![anchors[next]];
        while let Some(node) = pending.pop() {
            if reached.insert(node, ()).is_none() {
                pending.extend(pattern.node(node).all_input_nodes());
            }
        }
    }
    routes
}

/// The anchor that the shortest route leads to, by its place in the list.
fn nearest(pattern: &Graph, anchors: &[NodeId], reached: &HashMap<NodeId, ()>) -> (usize, Option<Route>) {
    let mut from: HashMap<NodeId, NodeId> = HashMap::new();
    let mut layer: Vec<NodeId> = pattern.nodes().map(|(id, _)| id).filter(|id| reached.contains_key(id)).collect();
    while !layer.is_empty() {
        let mut next = Vec::new();
        for node in layer {
            for user in pattern.users(node).filter(|user| !reached.contains_key(user)) {
                if from.contains_key(&user) {
                    continue;
                }
                from.insert(user, node);
                next.push(user);
                if let Some(at) = anchors.iter().position(|&anchor| anchor == user) {
                    let mut route = vec![user];
                    while let Some(&before) = route.last().and_then(|last| from.get(last)) {
                        route.push(before);
                    }
                    route.reverse();
                    return (at, Some(Route(route)));
                }
            }
        }
        layer = next;
    }
    (0, None)
}

impl Route {
    /// The nodes that could stand for the anchor, in program order; none if the start stands for no node.
    pub(super) fn follow(&self, pattern: &Pattern, graph: &Graph, unifier: &Unifier<'_>) -> Option<Vec<NodeId>> {
        let (first, rest) = self.0.split_first()?;
        let mut found = vec![unifier.get(*first).and_then(Argument::as_node)?];
        for &step in rest {
            let wanted = pattern.graph().node(step).target();
            let fits = |&user: &NodeId| could_be(wanted, graph.node(user).target());
            let mut next: Vec<NodeId> = found.iter().flat_map(|&node| graph.users(node)).filter(fits).collect();
            next.sort_unstable_by(|&a, &b| graph.is_before(b, a).cmp(&graph.is_before(a, b)));
            next.dedup();
            found = next;
        }
        Some(found)
    }
}
