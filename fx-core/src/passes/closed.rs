//! Whether a set of nodes could become one node: nothing inside is read outside, and no path leads out and back in.
//!
//! Invariant: a check looks at nodes of the set, their readers, and nodes between the set's first reader and its last
//! node, and at nothing else.

use std::collections::HashSet;

use super::mismatch::Why;
use super::sequence::Sequence;
use super::unify::Unifier;
use crate::ir::{Graph, NodeId, Op};

/// Refuses a match whose inside is read outside of it, unless the pattern returns it or it is an attribute.
pub(super) fn leak(returned: &[NodeId], graph: &Graph, unifier: &Unifier<'_>) -> Result<(), Why> {
    for &(inner, node) in unifier.nodes() {
        if returned.contains(&inner) || graph.node(node).op() == Op::GetAttr {
            continue;
        }
        if let Some(user) = graph.users(node).find(|&user| !unifier.is_inner(user)) {
            return Err(Why::Leaks { pattern: inner, node, user });
        }
    }
    Ok(())
}

/// Refuses a match that cannot become one node: because a node outside of it reads it and it reads that, directly or
/// not, or because one with effects has to run between two of its nodes.
pub(super) fn forms_cycle(graph: &Graph, unifier: &Unifier<'_>, sequence: &Sequence) -> Result<(), Why> {
    let is_inside = |id: NodeId| unifier.is_inner(id);
    let set = || unifier.nodes().iter().map(|&(_, node)| node);
    if let Some(node) = between(graph, set(), &is_inside, None) {
        return Err(Why::Cycle { node });
    }
    if !sequence.is_empty()
        && let Some(node) = between(graph, set(), &is_inside, Some(sequence))
    {
        return Err(Why::Order { node });
    }
    Ok(())
}

/// The first node found outside of a set on a path that leads out of the set and back into it.
pub(super) fn between(
    graph: &Graph,
    set: impl Iterator<Item = NodeId> + Clone,
    is_inside: &dyn Fn(NodeId) -> bool,
    sequence: Option<&Sequence>,
) -> Option<NodeId> {
    let last = set.clone().reduce(|a, b| if graph.is_before(a, b) { b } else { a })?;
    let after = |node: NodeId| graph.users(node).chain(sequence.and_then(|sequence| sequence.next(node)));
    let (mut seen, mut pending) = (HashSet::new(), Vec::new());
    // Attributes read nothing: a path from one does not lead back, but its readers may come before the set.
    for node in set.filter(|&node| graph.node(node).op() != Op::GetAttr) {
        pending.extend(after(node).filter(|&user| !is_inside(user) && graph.is_before(user, last)));
    }
    while let Some(node) = pending.pop() {
        if !seen.insert(node) {
            continue;
        }
        for user in after(node) {
            if is_inside(user) {
                return Some(node);
            }
            if graph.is_before(user, last) {
                pending.push(user);
            }
        }
    }
    None
}
