//! Moving nodes, and sorting a graph so that definitions come before uses.
//!
//! Invariant: sorting takes linear time, and keeps nodes in the order they have wherever their arguments allow it.

use super::graph::Graph;
use super::meta::Source;
use super::node::NodeId;
use super::target::Op;
use crate::entity::SecondaryMap;

/// Nodes that read each other in a ring, so that no order has each before its users.
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
    /// # Errors
    ///
    /// If nodes read each other in a ring; the graph is left as it was.
    pub fn stable_topological_sort(&mut self) -> Result<(), Cycle> {
        let order = self.sorted()?;
        if !self.nodes().map(|(id, _)| id).eq(order.iter().copied()) {
            self.layout.reorder(&order);
            self.revision += 1;
        }
        Ok(())
    }

    fn sorted(&self) -> Result<Vec<NodeId>, Cycle> {
        // How many of the nodes that a node reads have no place yet.
        let mut missing = SecondaryMap::with_capacity(self.nodes.len(), 0_u32);
        let mut pending: Vec<NodeId> = Vec::with_capacity(self.len());
        for is_next in [is_output, is_inner, is_placeholder] {
            pending.extend(self.nodes().rev().filter(|(_, node)| is_next(node.op())).map(|(id, _)| id));
        }
        for &id in &pending {
            self.users[id].iter().for_each(|user| missing[user] += 1);
        }
        let mut is_waiting = SecondaryMap::with_capacity(self.nodes.len(), false);
        let mut order = Vec::with_capacity(self.len());
        let mut woken = Vec::new();
        while let Some(id) = pending.pop() {
            if missing[id] > 0 {
                is_waiting[id] = true;
                continue;
            }
            order.push(id);
            for user in self.users[id].iter() {
                missing[user] -= 1;
                if missing[user] == 0 && is_waiting[user] {
                    woken.push(user);
                }
            }
            woken.sort_unstable_by_key(|&id| self.layout.label(id));
            pending.extend(woken.drain(..).rev());
        }
        if order.len() == self.len() { Ok(order) } else { Err(self.ring(|id| missing[id] > 0)) }
    }

    /// A ring among nodes each of which reads one of them.
    fn ring(&self, is_left: impl Fn(NodeId) -> bool) -> Cycle {
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
            next = self.node(id).all_input_nodes().find(|&input| is_left(input));
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
