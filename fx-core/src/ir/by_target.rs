//! [`ByTarget`]: the nodes by what they do, so that finding them does not walk the graph.
//!
//! The table is made when it is first asked, because most graphs never are, and kept true by every edit from then on.
//! A clone of a graph makes its own when it is asked.
//!
//! Invariant: how many nodes there are of each opcode is always right; where there is a table, each node is in it once,
//! in the group of its target.

use std::iter::FusedIterator;
use std::sync::OnceLock;

use indexmap::IndexMap;

use super::graph::Graph;
use super::node::NodeId;
use super::target::{Op, Target};
use crate::entity::SecondaryMap;
use crate::ops::OpRef;

#[derive(Debug, Default)]
pub(super) struct ByTarget {
    counts: [usize; Op::ALL.len()],
    table: OnceLock<Table>,
}

/// A clone has no table yet.
impl Clone for ByTarget {
    fn clone(&self) -> Self {
        Self { counts: self.counts, table: OnceLock::new() }
    }
}

#[derive(Debug, Default)]
struct Table {
    // Groups stay when they are empty, so that their numbers do not change.
    groups: IndexMap<Target, Vec<NodeId>, foldhash::fast::RandomState>,
    empty: usize,
    /// The numbers of the groups of each opcode.
    of_op: [Vec<usize>; Op::ALL.len()],
    places: SecondaryMap<NodeId, Place>,
}

/// Where a node is in the table.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    group: u32,
    position: u32,
}

impl ByTarget {
    /// A node with this target is there now.
    pub(super) fn add(&mut self, id: NodeId, target: &Target) {
        self.counts[target.op() as usize] += 1;
        if let Some(table) = self.table.get_mut() {
            table.add(id, target);
        }
    }

    /// A node with this target goes.
    pub(super) fn remove(&mut self, id: NodeId, target: &Target) {
        self.counts[target.op() as usize] -= 1;
        if let Some(table) = self.table.get_mut() {
            table.remove(id);
            // Targets that come and go would fill the memory; whoever asks next starts anew.
            if table.empty > 64 && table.empty > table.groups.len() / 2 {
                self.table.take();
            }
        }
    }

    /// How many nodes there are of this opcode.
    pub(super) fn count(&self, op: Op) -> usize {
        self.counts[op as usize]
    }

    /// Whether a node is listed under this target, if there is a table.
    pub(super) fn lists(&self, id: NodeId, target: &Target) -> bool {
        self.table.get().is_none_or(|table| table.group_of(id) == Some(target))
    }

    /// How many nodes are listed, if there is a table.
    pub(super) fn listed(&self) -> Option<usize> {
        self.table.get().map(|table| table.groups.values().map(Vec::len).sum())
    }
}

impl Table {
    fn of(graph: &Graph) -> Self {
        let mut table =
            Self { places: SecondaryMap::with_capacity(graph.nodes.len(), Place::default()), ..Self::default() };
        for (id, node) in graph.nodes() {
            table.add(id, node.target());
        }
        table
    }

    fn add(&mut self, id: NodeId, target: &Target) {
        let group = match self.groups.get_index_of(target) {
            Some(group) => group,
            None => {
                let group = self.groups.insert_full(target.clone(), Vec::new()).0;
                self.of_op[target.op() as usize].push(group);
                self.empty += 1;
                group
            }
        };
        let list = &mut self.groups[group];
        self.empty -= usize::from(list.is_empty());
        self.places[id] = Place { group: group as u32, position: list.len() as u32 };
        list.push(id);
    }

    fn remove(&mut self, id: NodeId) {
        let Place { group, position } = self.places[id];
        let list = &mut self.groups[group as usize];
        list.swap_remove(position as usize);
        if let Some(&moved) = list.get(position as usize) {
            self.places[moved].position = position;
        }
        self.empty += usize::from(list.is_empty());
    }

    /// The target under which a node is listed.
    fn group_of(&self, id: NodeId) -> Option<&Target> {
        let Place { group, position } = self.places[id];
        let (target, list) = self.groups.get_index(group as usize)?;
        (list.get(position as usize) == Some(&id)).then_some(target)
    }
}

/// Nodes that were found, in program order. It holds them itself, so the graph may be edited meanwhile.
///
/// What [`Graph::find_nodes`], [`Graph::placeholders`] and [`Graph::calls`] return. Its length is known.
#[derive(Debug, Clone)]
pub struct Found(std::vec::IntoIter<NodeId>);

impl Iterator for Found {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl DoubleEndedIterator for Found {
    fn next_back(&mut self) -> Option<NodeId> {
        self.0.next_back()
    }
}

impl ExactSizeIterator for Found {}
impl FusedIterator for Found {}

impl Graph {
    /// The nodes with this opcode, or with this opcode and target, in program order; none if the target is of another
    /// opcode.
    ///
    /// The first call for calls or attributes makes a table, which edits then keep; from then on only the nodes that are
    /// found are looked at. What is returned does not borrow the graph. A node that is erased meanwhile still comes;
    /// [`Graph::contains`] tells.
    ///
    /// ```
    /// # use fx_core::ir::{Graph, Op, Target};
    /// let mut graph = Graph::new("g");
    /// let mut cursor = graph.at_end();
    /// let mut x = cursor.placeholder("x");
    /// for path in ["linear", "dropout", "linear", "dropout"] {
    ///     x = cursor.call_module(path, [x.into()], []);
    /// }
    /// cursor.output(x);
    ///
    /// // Without dropouts.
    /// for dropout in graph.find_nodes(Op::CallModule, Some(&Target::CallModule("dropout".into()))) {
    ///     let input = graph.node(dropout).args()[0].as_node().expect("it was called with a node");
    ///     graph.replace_all_uses_with(dropout, input);
    ///     graph.erase_node(dropout)?;
    /// }
    /// assert_eq!(graph.find_nodes(Op::CallModule, None).len(), 2);
    /// # Ok::<(), fx_core::ir::StillUsed>(())
    /// ```
    #[must_use]
    pub fn find_nodes(&self, op: Op, target: Option<&Target>) -> Found {
        let count = self.by_target.count(op);
        let found = match target {
            _ if count == 0 => Vec::new(),
            Some(target) if target.op() != op => Vec::new(),
            // Nearly always the first ones, and asked for in graphs that are asked for nothing else.
            None if op == Op::Placeholder => {
                self.nodes().filter_map(|(id, node)| (node.op() == op).then_some(id)).take(count).collect()
            }
            _ => {
                let table = self.by_target.table.get_or_init(|| Table::of(self));
                let mut found = match target {
                    Some(target) => table.groups.get(target).cloned().unwrap_or_default(),
                    None => {
                        let mut found = Vec::with_capacity(count);
                        table.of_op[op as usize].iter().for_each(|&group| found.extend(&table.groups[group]));
                        found
                    }
                };
                if !found.is_sorted_by_key(|&id| self.layout.label(id)) {
                    found.sort_unstable_by_key(|&id| self.layout.label(id));
                }
                found
            }
        };
        Found(found.into_iter())
    }

    /// The inputs, in program order. Takes time for the inputs only, if they come first.
    ///
    /// Their order is that in which [`GraphModule::run`](crate::module::GraphModule::run) takes values.
    #[must_use]
    pub fn placeholders(&self) -> Found {
        self.find_nodes(Op::Placeholder, None)
    }

    /// The calls of this operation, in program order, as [`Graph::find_nodes`] finds them.
    ///
    /// ```
    /// # use fx_core::{ir::Graph, ops::elementwise::relu};
    /// let mut graph = Graph::new("g");
    /// let mut cursor = graph.at_end();
    /// let x = cursor.placeholder("x");
    /// let y = cursor.call(&relu::OP, [x.into()], [])?;
    /// assert_eq!(graph.calls(&relu::OP).collect::<Vec<_>>(), [y]);
    /// # Ok::<(), fx_core::ir::BindError>(())
    /// ```
    #[must_use]
    pub fn calls(&self, op: OpRef) -> Found {
        let target = Target::call(op);
        self.find_nodes(target.op(), Some(&target))
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::my_module;
    use super::*;

    #[test]
    fn found_nodes_are_those_of_the_moment_and_in_order() {
        let mut graph = my_module();
        let param = graph.node_named("param").unwrap();
        let of = |graph: &Graph, path: &str| {
            graph.find_nodes(Op::GetAttr, Some(&Target::GetAttr(path.into()))).collect::<Vec<_>>()
        };
        assert_eq!((of(&graph, "param"), of(&graph, "other")), (vec![param], vec![]));
        let second = graph.at_end().get_attr("param");
        let first = graph.at_start().get_attr("param");
        assert_eq!(of(&graph, "param"), [first, param, second]);
        graph.append(second, first);
        graph.set_target(param, Target::GetAttr("other".into())).unwrap();
        assert_eq!((of(&graph, "param"), of(&graph, "other")), (vec![second, first], vec![param]));
        graph.erase_node(first).unwrap();
        assert_eq!(of(&graph.clone(), "param"), [second]);
        assert_eq!(graph.find_nodes(Op::GetAttr, None).rev().collect::<Vec<_>>(), [second, param]);
        // A target says its opcode, too.
        assert_eq!(graph.find_nodes(Op::CallModule, Some(&Target::GetAttr("param".into()))).len(), 0);
    }

    #[test]
    fn targets_that_are_gone_take_no_memory() {
        let mut graph = my_module();
        let param = graph.node_named("param").unwrap();
        assert_eq!(graph.find_nodes(Op::GetAttr, None).len(), 1);
        for i in 0..1000 {
            graph.set_target(param, Target::GetAttr(format!("p{i}").into())).unwrap();
            let groups = graph.by_target.table.get().map_or(0, |table| table.groups.len());
            assert!(groups < 100, "{groups}");
        }
        assert_eq!(graph.find_nodes(Op::GetAttr, Some(&Target::GetAttr("p999".into()))).collect::<Vec<_>>(), [param]);
    }
}
