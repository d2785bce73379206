//! [`Nodes`] and [`Walk`]: going through the nodes of a graph, without and with edits on the way.
//!
//! Invariant: a walk comes to an end whatever is edited meanwhile by a program that stops adding nodes, and gives no
//! node that is erased.

use std::iter::FusedIterator;

use super::graph::Graph;
use super::node::{Node, NodeId};

/// The nodes of a graph in program order, or backwards from the end.
///
/// What [`Graph::nodes`] returns; its length is known.
#[derive(Debug, Clone)]
pub struct Nodes<'g> {
    graph: &'g Graph,
    front: Option<NodeId>,
    back: Option<NodeId>,
    left: usize,
}

impl<'g> Nodes<'g> {
    pub(super) fn new(graph: &'g Graph) -> Self {
        Self { graph, front: graph.layout.first(), back: graph.layout.last(), left: graph.len() }
    }
}

impl<'g> Iterator for Nodes<'g> {
    type Item = (NodeId, &'g Node);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let id = self.front?;
        self.front = self.graph.layout.next(id);
        Some((id, self.graph.node(id)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl DoubleEndedIterator for Nodes<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let id = self.back?;
        self.back = self.graph.layout.prev(id);
        Some((id, self.graph.node(id)))
    }
}

impl ExactSizeIterator for Nodes<'_> {}
impl FusedIterator for Nodes<'_> {}

/// A way through a graph that does not borrow it, so that everything may be edited between two steps: what torch.fx's
/// iteration over a live list is.
///
/// Nodes that are added after the last one that was given come, erased ones do not, and erasing the last one that was
/// given loses nothing. A node that is moved takes the walk along if it is the last that was given.
///
/// ```
/// # use fx_core::ir::{Graph, Op, Walk};
/// let mut graph = Graph::new("g");
/// let mut cursor = graph.at_end();
/// let x = cursor.placeholder("x");
/// let layer = cursor.call_module("layer", [x.into()], []);
/// cursor.output(layer);
///
/// let mut walk = Walk::forward();
/// while let Some(id) = walk.next(&graph) {
///     if graph.node(id).op() == Op::CallModule {
///         let args = graph.node(id).args().to_vec();
///         let new = graph.inserting_before(id).call_module("other", args, []);
///         graph.replace_all_uses_with(id, new);
///         graph.erase_node(id)?;
///     }
/// }
/// assert_eq!(graph.to_string(), "\
/// graph g(%x) {
///     %other = call_module other(%x)
///     output %other
/// }");
/// # Ok::<(), fx_core::ir::StillUsed>(())
/// ```
#[derive(Debug, Clone)]
pub struct Walk {
    at: At,
    is_backward: bool,
}

#[derive(Debug, Clone, Copy)]
enum At {
    Start,
    Node(NodeId),
    End,
}

impl Walk {
    /// From the first node on.
    #[must_use]
    pub const fn forward() -> Self {
        Self { at: At::Start, is_backward: false }
    }

    /// From the last node back.
    #[must_use]
    pub const fn backward() -> Self {
        Self { at: At::Start, is_backward: true }
    }

    /// The next node of the graph; none at the end, and ever after. Each step must be given the same graph.
    pub fn next(&mut self, graph: &Graph) -> Option<NodeId> {
        let layout = &graph.layout;
        let step = |id| if self.is_backward { layout.prev(id) } else { layout.next(id) };
        let mut next = match self.at {
            At::Start if self.is_backward => layout.last(),
            At::Start => layout.first(),
            At::Node(id) => step(id),
            At::End => None,
        };
        // The way out of an erased node leads to one that was erased later, or is there.
        while let Some(id) = next
            && !layout.contains(id)
        {
            next = step(id);
        }
        self.at = next.map_or(At::End, At::Node);
        next
    }
}

#[cfg(test)]
mod tests {
    use super::super::NodeId;
    use super::*;

    fn chain(count: usize) -> (Graph, Vec<NodeId>) {
        let mut graph = Graph::new("g");
        let ids = (0..count).map(|_| graph.at_end().placeholder("x")).collect();
        (graph, ids)
    }

    #[test]
    fn erased_nodes_are_skipped_both_ways() {
        for mut walk in [Walk::forward(), Walk::backward()] {
            let (mut graph, mut ids) = chain(8);
            if walk.is_backward {
                ids.reverse();
            }
            assert_eq!(walk.next(&graph), Some(ids[0]));
            assert_eq!(walk.next(&graph), Some(ids[1]));
            // The one it stands at, the next, and then the one after that.
            for id in [1, 2, 3, 5, 7] {
                graph.erase_node(ids[id]).unwrap();
            }
            assert_eq!(walk.next(&graph), Some(ids[4]));
            assert_eq!(walk.next(&graph), Some(ids[6]));
            assert_eq!((walk.next(&graph), walk.next(&graph)), (None, None));
            graph.at_end().placeholder("late");
            assert_eq!(walk.next(&graph), None);
        }
    }

    #[test]
    fn what_is_added_after_the_last_given_comes() {
        let (mut graph, ids) = chain(3);
        let mut walk = Walk::forward();
        walk.next(&graph);
        graph.inserting_before(ids[0]).placeholder("before");
        let after = graph.inserting_after(ids[0]).placeholder("after");
        graph.erase_node(ids[0]).unwrap();
        assert_eq!(walk.next(&graph), Some(after));
        graph.prepend(ids[1], ids[2]);
        assert_eq!([walk.next(&graph), walk.next(&graph)], [Some(ids[2]), Some(ids[1])]);
    }

    #[test]
    fn an_empty_graph_has_no_way() {
        assert_eq!((Walk::forward().next(&Graph::new("g")), Walk::backward().next(&Graph::new("g"))), (None, None));
    }
}
