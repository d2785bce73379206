//! Copying nodes of one graph into another, and [`NodeMap`], which says what became what.
//!
//! Invariant: a copy has the name of the original as its candidate and everything that is remembered about it.

use super::argument::Argument;
use super::cursor::Cursor;
use super::dynamic::Dynamic;
use super::graph::Graph;
use super::node::NodeId;
use super::target::Op;
use crate::entity::SecondaryMap;

impl Cursor<'_> {
    /// Adds a copy of a node of another graph, with its name as the candidate and everything that is remembered about
    /// it, and puts it into `map`.
    ///
    /// What it reads is what `map` says; so the nodes it reads are copied, or put into the map, before.
    ///
    /// # Panics
    ///
    /// If the node is not in `from`, or if it reads a node that is not in `map`; if with what is in `map` an argument would
    /// be nested deeper than [`Argument::MAX_DEPTH`].
    #[track_caller]
    pub fn node_copy(&mut self, from: &Graph, id: NodeId, map: &mut NodeMap) -> NodeId {
        let node = from.node(id);
        let args = node.args.iter().map(|argument| map.apply(from, argument)).collect();
        let kwargs =
            node.kwargs.iter().map(|(keyword, argument)| (keyword.clone(), map.apply(from, argument))).collect();
        let at = self.before();
        let copy = self.graph.insert(node.target.clone(), args, kwargs, node.meta.clone(), Some(&node.name), at);
        map.insert(id, copy);
        copy
    }

    /// Adds copies of all nodes of another graph but its output and those that are in `map` already, puts them into
    /// `map`, and returns what the output would read.
    ///
    /// The signature and the sizes that the graph follows come along if the graph has none and its inputs are then just those that the signature names: not
    /// when the other graph is inlined as a part of this one. What the output reads has what is written to the state
    /// beside the result ([`Graph::result_and_written`]), and is to become that of the copy as it is.
    ///
    /// ```
    /// # use fx_core::ir::{Graph, NodeMap};
    /// let mut block = Graph::new("block");
    /// let mut cursor = block.at_end();
    /// let inside = cursor.placeholder("x");
    /// let linear = cursor.call_module("linear", [inside.into()], []);
    /// cursor.output(linear);
    ///
    /// // The block twice, one after the other.
    /// let mut graph = Graph::new("stack");
    /// let mut cursor = graph.at_end();
    /// let mut x = cursor.placeholder("x");
    /// for _ in 0..2 {
    ///     let mut map = NodeMap::new();
    ///     map.insert(inside, x);
    ///     x = cursor.graph_copy(&block, &mut map).and_then(|result| result.as_node()).expect("it returns a node");
    /// }
    /// cursor.output(x);
    /// assert_eq!(
    ///     graph.to_string(),
    ///     "\
    /// graph stack(%x) {
    ///     %linear = call_module linear(%x)
    ///     %linear_1 = call_module linear(%linear)
    ///     output %linear_1
    /// }"
    /// );
    /// ```
    ///
    /// # Panics
    ///
    /// If a node reads one that is neither before it nor in `map`, and as [`Cursor::node_copy`].
    #[track_caller]
    pub fn graph_copy(&mut self, from: &Graph, map: &mut NodeMap) -> Option<Argument> {
        let output = from.output_node();
        self.graph.reserve(from.len());
        let mut next = from.first();
        while let Some(id) = next {
            if Some(id) != output && map.argument(id).is_none() {
                self.node_copy(from, id, map);
            }
            next = from.next(id);
        }
        if self.graph.signature.is_none()
            && let Some(signature) = from.signature()
            && let Some(signature) = signature.of_copy(self.graph, |id| map.get(id))
        {
            self.graph.set_signature(Some(signature));
        }
        if self.graph.dynamic.is_none()
            && let Some(dynamic) = from.dynamic().and_then(|dynamic| map.dynamic(dynamic, self.graph))
        {
            self.graph.set_dynamic(Some(dynamic));
        }
        Some(map.apply(from, from.node(output?).args.first()?))
    }
}

/// What each node of one graph became in another: a node, or anything that a node can read.
///
/// ```
/// # use fx_core::ir::{Graph, NodeMap};
/// # use fx_core::ops::{CallKind, OpTable};
/// # let clamp = OpTable::builtin().get(CallKind::Method, "clamp").unwrap();
/// let mut from = Graph::new("limited");
/// let mut cursor = from.at_end();
/// let (x, limit) = (cursor.placeholder("x"), cursor.placeholder("limit"));
/// let y = cursor.call(clamp, [x.into()], [("min".into(), 0.0.into()), ("max".into(), limit.into())])?;
/// cursor.output(y);
///
/// // The same, with a number in place of an input.
/// let mut map = NodeMap::new();
/// map.insert(limit, 6.0);
/// let mut to = Graph::new("relu6");
/// let result = to.at_end().graph_copy(&from, &mut map).unwrap();
/// to.at_end().output(result);
/// assert!(to.to_string().contains("clamp(%x, min = 0.0, max = 6.0)"));
/// # Ok::<(), fx_core::ir::BindError>(())
/// ```
///
/// Nodes that became nothing are none. An id of another graph than the one that was copied finds whatever is at its
/// number.
#[derive(Debug, Clone, Default)]
pub struct NodeMap(SecondaryMap<NodeId, Option<Argument>>);

impl NodeMap {
    /// No nodes yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `from` became `to`.
    ///
    /// In place of what it became before. Said before a copy, it is what readers of `from` read, and `from` is not
    /// copied.
    pub fn insert(&mut self, from: NodeId, to: impl Into<Argument>) {
        self.0[from] = Some(to.into());
    }

    /// The node that the node became, if it became one.
    ///
    /// None if it became plain data or a list, or if nothing is known of it.
    #[must_use]
    pub fn get(&self, from: NodeId) -> Option<NodeId> {
        self.argument(from)?.as_node()
    }

    /// What the node became.
    ///
    /// None if nothing is known of it.
    #[must_use]
    pub fn argument(&self, from: NodeId) -> Option<&Argument> {
        self.0[from].as_ref()
    }

    #[track_caller]
    fn apply(&self, from: &Graph, argument: &Argument) -> Argument {
        let mut of = |id| match self.argument(id) {
            Some(to) => Some(to.clone()),
            None => panic!("%{} of graph `{}` is used, but was not copied", from.node(id).name(), from.name()),
        };
        argument.try_map_nodes(&mut of).unwrap_or_default()
    }

    /// The sizes in terms of the copies, if all they are read from are inputs of `to`.
    fn dynamic(&self, dynamic: &Dynamic, to: &Graph) -> Option<Dynamic> {
        let is_input = |id: &NodeId| to.try_node(*id).is_some_and(|node| node.op() == Op::Placeholder);
        let mapped = dynamic.mapped(&mut |id| self.get(id).filter(is_input));
        (mapped.sizes.len() == dynamic.sizes.len()).then_some(mapped)
    }
}

impl FromIterator<(NodeId, NodeId)> for NodeMap {
    fn from_iter<I: IntoIterator<Item = (NodeId, NodeId)>>(pairs: I) -> Self {
        let mut map = Self::new();
        for (from, to) in pairs {
            map.insert(from, to);
        }
        map
    }
}
