//! Moving nodes, and sorting a graph so that definitions come before uses.
//!
//! Invariant: sorting takes linear time, and keeps nodes in the order they have wherever their arguments allow it.

use std::collections::HashMap;

use super::graph::Graph;
use super::meta::Source;
use super::node::NodeId;
use super::target::Op;
use crate::entity::SecondaryMap;

/// Nodes that read each other in a ring, so that no order has each before its users.
///
/// Only edits make one: what a capture records reads what was recorded before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "nodes read each other in a ring: {}; one of them needs other arguments\n    {line}{}",
    ring(names), at.as_ref().map_or(String::new(), |at| format!("\n    at {at}"))
)]
pub struct Cycle {
    /// The nodes; each reads the next, and the last reads the first.
    pub nodes: Vec<NodeId>,
    /// Their names.
    pub names: Vec<String>,
    /// The first as the graph's text has it.
    pub line: String,
    /// Where the user wrote it.
    pub at: Option<Source>,
}

fn ring(names: &[String]) -> String {
    let mut text: Vec<String> = names.iter().take(8).map(|name| format!("%{name} reads")).collect();
    if names.len() > text.len() {
        text.push(format!("{} more, the last of which reads", names.len() - text.len()));
    }
    format!("{} %{}", text.join(" "), names.first().map_or("", String::as_str))
}

impl Graph {
    /// Moves the node `id` right before the node `at`. Beside itself it stays where it is.
    ///
    /// Nothing else moves. That it still comes before its users and after what it reads, [`Graph::verify`] says (V4),
    /// and [`Graph::stable_topological_sort`] brings about.
    ///
    /// # Panics
    ///
    /// If one of them was erased or is of another graph.
    #[track_caller]
    pub fn prepend(&mut self, at: NodeId, id: NodeId) {
        self.expect(at);
        self.expect(id);
        if id != at {
            self.layout.remove(id);
            self.layout.insert(id, Some(at));
            self.revision += 1;
        }
    }

    /// Moves the node `id` right after the node `at`. Beside itself it stays where it is.
    ///
    /// See [`Graph::prepend`].
    ///
    /// # Panics
    ///
    /// If one of them was erased or is of another graph.
    #[track_caller]
    pub fn append(&mut self, at: NodeId, id: NodeId) {
        self.expect(at);
        self.expect(id);
        if id != at {
            self.layout.remove(id);
            self.layout.insert(id, self.layout.next(at));
            self.revision += 1;
        }
    }

    /// Brings the nodes into an order in which each comes before its users, inputs come first and the output last. A node
    /// that is in its place stays there; one that comes too early goes right after the last node that it reads.
    ///
    /// ```
    /// # use fx_core::{ir::Graph, ops::elementwise::relu};
    /// let mut graph = Graph::new("g");
    /// let mut cursor = graph.at_end();
    /// let x = cursor.placeholder("x");
    /// let y = cursor.call(&relu::OP, [x.into()], [])?;
    /// let z = cursor.call(&relu::OP, [y.into()], [])?;
    /// cursor.output(z);
    ///
    /// graph.append(z, y);
    /// assert!(graph.verify().is_err());
    /// graph.stable_topological_sort()?;
    /// graph.verify()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If nodes read each other in a ring; the graph is left as it was.
    pub fn stable_topological_sort(&mut self) -> Result<(), Cycle> {
        self.stable_topological_sort_keeping(&HashMap::new())
    }

    /// The same, with each of these nodes before the other that is given for it, as if that read it.
    pub(crate) fn stable_topological_sort_keeping(&mut self, kept: &HashMap<NodeId, NodeId>) -> Result<(), Cycle> {
        let order = self.sorted(kept)?;
        if !self.nodes().map(|(id, _)| id).eq(order.iter().copied()) {
            self.layout.reorder(&order);
            self.revision += 1;
        }
        Ok(())
    }

    fn sorted(&self, kept: &HashMap<NodeId, NodeId>) -> Result<Vec<NodeId>, Cycle> {
        // How many of the nodes that a node reads have no place yet.
        let mut missing = SecondaryMap::with_capacity(self.nodes.len(), 0_u32);
        let mut pending: Vec<NodeId> = Vec::with_capacity(self.len());
        for is_next in [is_output, is_inner, is_placeholder] {
            pending.extend(self.nodes().rev().filter(|(_, node)| is_next(node.op())).map(|(id, _)| id));
        }
        for &id in &pending {
            self.users[id].iter().for_each(|user| missing[user] += 1);
        }
        kept.values().for_each(|&after| missing[after] += 1);
        let mut is_waiting = SecondaryMap::with_capacity(self.nodes.len(), false);
        let mut order = Vec::with_capacity(self.len());
        let mut woken = Vec::new();
        while let Some(id) = pending.pop() {
            if missing[id] > 0 {
                is_waiting[id] = true;
                continue;
            }
            order.push(id);
            for user in self.users[id].iter().chain(kept.get(&id).copied()) {
                missing[user] -= 1;
                if missing[user] == 0 && is_waiting[user] {
                    woken.push(user);
                }
            }
            woken.sort_unstable_by_key(|&id| self.layout.label(id));
            pending.extend(woken.drain(..).rev());
        }
        if order.len() == self.len() { Ok(order) } else { Err(self.ring(kept, |id| missing[id] > 0)) }
    }

    /// A ring among nodes each of which reads one of them.
    fn ring(&self, kept: &HashMap<NodeId, NodeId>, is_left: impl Fn(NodeId) -> bool) -> Cycle {
        let before: HashMap<NodeId, NodeId> = kept.iter().map(|(&before, &after)| (after, before)).collect();
        let mut positions = SecondaryMap::<NodeId, Option<usize>>::new();
        let mut nodes = Vec::new();
        let mut next = self.nodes().map(|(id, _)| id).find(|&id| is_left(id));
        while let Some(id) = next {
            if let Some(start) = positions[id] {
                nodes.drain(..start);
                break;
            }
            positions[id] = Some(nodes.len());
            nodes.push(id);
            next = self.node(id).all_input_nodes().chain(before.get(&id).copied()).find(|&input| is_left(input));
        }
        let first = nodes.first().copied();
        Cycle {
            names: nodes.iter().map(|&id| self.node(id).name().to_owned()).collect(),
            line: first.map_or(String::new(), |id| self.node_line(id)),
            at: first.and_then(|id| self.node(id).meta().source.clone()),
            nodes,
        }
    }
}

fn is_placeholder(op: Op) -> bool {
    op == Op::Placeholder
}

fn is_output(op: Op) -> bool {
    op == Op::Output
}

fn is_inner(op: Op) -> bool {
    !is_placeholder(op) && !is_output(op)
}

#[cfg(test)]
mod tests {
    use super::super::samples::{add, my_module, relu};
    use super::super::{Argument, Source, Walk};
    use super::*;

    fn names(graph: &Graph) -> Vec<&str> {
        graph.nodes().map(|(_, node)| node.name()).collect()
    }

    #[test]
    fn a_sorted_graph_stays_as_it_is() {
        let mut graph = my_module();
        let (before, revision) = (graph.to_string(), graph.revision());
        assert_eq!(graph.stable_topological_sort(), Ok(()));
        assert_eq!((graph.to_string(), graph.revision()), (before, revision));
        assert_eq!(Graph::new("empty").stable_topological_sort(), Ok(()));
    }

    #[test]
    fn nodes_that_come_too_early_go_after_what_they_read() {
        let mut graph = my_module();
        let ids: Vec<NodeId> = graph.nodes().map(|(id, _)| id).collect();
        // Output first, input last, and two early readers of one node.
        graph.prepend(ids[0], ids[5]);
        graph.append(ids[4], ids[0]);
        let early = relu(&mut graph.at_start(), ids[3]);
        add(&mut graph.inserting_after(early), ids[3], ids[3]);
        assert_eq!(names(&graph), ["relu", "add_1", "output", "param", "add", "linear", "clamp", "x"]);
        let revision = graph.revision();
        assert_eq!(graph.stable_topological_sort(), Ok(()));
        assert!(graph.revision() > revision);
        assert_eq!(names(&graph), ["x", "param", "add", "linear", "relu", "add_1", "clamp", "output"]);
        assert_eq!(graph.verify(), Ok(()));
        // The list is whole: nodes are put in and walked as before.
        relu(&mut graph.inserting_after(ids[3]), ids[3]);
        let mut walk = Walk::backward();
        assert_eq!(std::iter::from_fn(|| walk.next(&graph)).count(), 9);
        assert_eq!(graph.verify(), Ok(()));
    }

    #[test]
    fn a_ring_is_an_error_that_names_it() {
        let mut graph = my_module();
        let ids: Vec<NodeId> = graph.nodes().map(|(id, _)| id).collect();
        graph.meta_mut(ids[2]).source = Some(Source::text("src/model.rs", 10));
        graph.set_args(ids[2], [ids[0].into(), ids[4].into()]);
        graph.append(ids[5], ids[1]);
        let (before, revision) = (graph.to_string(), graph.revision());
        let cycle = graph.stable_topological_sort().expect_err("there is a ring");
        assert_eq!((graph.to_string(), graph.revision()), (before, revision));
        assert_eq!(cycle.nodes, [ids[2], ids[4], ids[3]]);
        assert_eq!(
            cycle.to_string(),
            "nodes read each other in a ring: %add reads %clamp reads %linear reads %add; one of them needs other \
             arguments\n    %add = call_function add(%x, %clamp)\n    at src/model.rs:10"
        );
        graph.set_args(ids[3], [ids[3].into()]);
        let cycle = graph.stable_topological_sort().expect_err("a node reads itself");
        assert_eq!(cycle.names, ["linear"]);
    }

    /// Backwards, each node waits for the one after it; and one that reads all of them.
    #[test]
    fn sorting_takes_linear_time() {
        const COUNT: usize = 30_000;
        let mut graph = Graph::new("g");
        let mut x = graph.at_end().placeholder("x");
        let mut all = vec![Argument::from(x)];
        for _ in 0..COUNT {
            x = relu(&mut graph.at_start(), x);
            all.push(x.into());
        }
        graph.at_start().call_module("hub", [all.into()], []);
        graph.at_end().output(x);
        assert_eq!(graph.stable_topological_sort(), Ok(()));
        assert_eq!(graph.verify(), Ok(()));
        let first = graph.next(graph.first().unwrap()).unwrap();
        graph.set_args(first, [x.into()]);
        let cycle = graph.stable_topological_sort().expect_err("all of it is a ring");
        assert_eq!(cycle.nodes.len(), COUNT);
        assert!(cycle.to_string().len() < 400, "{cycle}");
    }
}
