//! [`Graph`]: nodes, their order, who reads them, and their names; reading them, and the one way in.
//!
//! Invariant: a node is in the order if and only if it is in the arena; users are exactly what the arguments say; no
//! argument names an erased node or is nested deeper than [`Argument::MAX_DEPTH`]. What is *not* kept, because edits
//! pass through such states, is what [`Graph::verify`] checks: definitions before uses, one output, arguments that fit.

use std::fmt;
use std::sync::Arc;

use super::argument::Argument;
use super::by_target::ByTarget;
use super::cursor::Cursor;
use super::dynamic::Dynamic;
use super::hooks::{Edit, Hooks};
use super::layout::Layout;
use super::meta::Meta;
use super::names::Names;
use super::node::{Keyword, Node, NodeId};
use super::occurrences::Occurrences;
use super::signature::Signature;
use super::target::{Op, Target};
use super::users::Users;
use super::walk::Nodes;
use crate::entity::{EntityRef, PrimaryMap, SecondaryMap};

/// A computation: nodes in program order, each reading the values of nodes before it.
///
/// Methods that take a [`NodeId`] panic if this graph never had a node of that number, or it was erased;
/// [`Graph::try_node`] asks. An id is a number and does not know its graph: one of another graph names whatever has that
/// number here, so ids are carried from graph to graph by a [`NodeMap`](super::NodeMap).
///
/// ```
/// # use fx_core::ir::Graph;
/// let mut graph = Graph::new("mlp");
/// let mut cursor = graph.at_end();
/// let x = cursor.placeholder("x");
/// let hidden = cursor.call_module("layers.0", [x.into()], []);
/// let logits = cursor.call_module("layers.1", [hidden.into()], []);
/// cursor.output(logits);
///
/// // A layer in between: its users read it instead.
/// let dropout = graph.inserting_after(hidden).call_module("dropout", [hidden.into()], []);
/// graph.replace_all_uses_with(hidden, dropout);
///
/// graph.verify()?;
/// assert_eq!(
///     graph.to_string(),
///     "\
/// graph mlp(%x) {
///     %layers_0 = call_module layers.0(%x)
///     %dropout = call_module dropout(%layers_0)
///     %layers_1 = call_module layers.1(%dropout)
///     output %layers_1
/// }"
/// );
/// # Ok::<(), fx_core::ir::VerifyErrors>(())
/// ```
#[derive(Clone)]
pub struct Graph {
    pub(super) name: Arc<str>,
    // Erased nodes leave a hole, so that an old id is recognised.
    pub(super) nodes: PrimaryMap<NodeId, Option<Node>>,
    pub(super) layout: Layout,
    pub(super) users: SecondaryMap<NodeId, Users>,
    pub(super) occurrences: Occurrences,
    pub(super) names: Names,
    pub(super) by_target: ByTarget,
    pub(super) signature: Option<Signature>,
    pub(super) dynamic: Option<Box<Dynamic>>,
    pub(super) hooks: Hooks,
    pub(super) revision: u64,
}

impl Graph {
    /// A graph of this name without nodes.
    ///
    /// It is correct only with an output ([`Graph::verify`], V6). Nodes are added through a [`Cursor`], such as
    /// [`Graph::at_end`].
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            nodes: PrimaryMap::new(),
            layout: Layout::default(),
            users: SecondaryMap::new(),
            occurrences: Occurrences::default(),
            names: Names::default(),
            by_target: ByTarget::default(),
            signature: None,
            dynamic: None,
            hooks: Hooks::default(),
            revision: 0,
        }
    }

    /// Its name: of the captured model, in snake case.
    ///
    /// It is text for people and for generated code; a model's own paths do not contain it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.layout.len()
    }

    /// Whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A number that rises with every change of nodes, arguments, names, order or signature; not with changes of metadata.
    ///
    /// It is for what is derived from a graph, such as the plan that it runs by: what was made at another revision is
    /// made anew. Revisions of two graphs say nothing about each other, not even of clones.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The node.
    ///
    /// # Panics
    ///
    /// If it was erased or is of another graph.
    #[must_use]
    #[track_caller]
    pub fn node(&self, id: NodeId) -> &Node {
        self.try_node(id).unwrap_or_else(|| self.no_such_node(id))
    }

    /// The node, or none if it was erased or is of another graph.
    ///
    /// As for every id, only the number is looked at: of a node of another graph it is none only if this graph has no
    /// such number.
    #[must_use]
    pub fn try_node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id)?.as_ref()
    }

    /// Whether the node is in this graph.
    ///
    /// As [`Graph::try_node`] asks.
    #[must_use]
    pub fn contains(&self, id: NodeId) -> bool {
        self.try_node(id).is_some()
    }

    /// The node with this name.
    ///
    /// Names are looked up, not searched. None if no node has it now, also if an erased one had it.
    #[must_use]
    pub fn node_named(&self, name: &str) -> Option<NodeId> {
        self.names.owner(name)
    }

    /// The nodes in program order.
    ///
    /// With their ids, and from either end. The graph is borrowed meanwhile: to edit on the way, use
    /// [`Walk`](super::Walk), or what [`Graph::find_nodes`] returns.
    ///
    /// ```
    /// # use fx_core::ir::Graph;
    /// let mut graph = Graph::new("g");
    /// let mut cursor = graph.at_end();
    /// let x = cursor.placeholder("x");
    /// cursor.output(x);
    /// let names: Vec<&str> = graph.nodes().rev().map(|(_, node)| node.name()).collect();
    /// assert_eq!((names, graph.nodes().len()), (vec!["output", "x"], 2));
    /// ```
    #[must_use]
    pub fn nodes(&self) -> Nodes<'_> {
        Nodes::new(self)
    }

    /// The first node.
    #[must_use]
    pub fn first(&self) -> Option<NodeId> {
        self.layout.first()
    }

    /// The last node.
    #[must_use]
    pub fn last(&self) -> Option<NodeId> {
        self.layout.last()
    }

    /// The node after this one in program order.
    ///
    /// None after the last.
    ///
    /// # Panics
    ///
    /// If the node was erased or is of another graph.
    #[must_use]
    #[track_caller]
    pub fn next(&self, id: NodeId) -> Option<NodeId> {
        self.expect(id);
        self.layout.next(id)
    }

    /// The node before this one in program order.
    ///
    /// None before the first.
    ///
    /// # Panics
    ///
    /// If the node was erased or is of another graph.
    #[must_use]
    #[track_caller]
    pub fn prev(&self, id: NodeId) -> Option<NodeId> {
        self.expect(id);
        self.layout.prev(id)
    }

    /// Whether `a` comes before `b` in program order. Takes constant time.
    ///
    /// False of a node and itself. It is torch.fx's `a < b`.
    ///
    /// # Panics
    ///
    /// If one of them was erased or is of another graph.
    #[must_use]
    #[track_caller]
    pub fn is_before(&self, a: NodeId, b: NodeId) -> bool {
        self.expect(a);
        self.expect(b);
        self.layout.label(a) < self.layout.label(b)
    }

    /// The nodes that read this one, in the order of first use, each once.
    ///
    /// A node that reads another in several arguments comes once. The output is a user as any other; a
    /// [signature](Graph::signature) is none.
    ///
    /// # Panics
    ///
    /// If the node was erased or is of another graph.
    #[track_caller]
    pub fn users(&self, id: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + Clone {
        self.expect(id);
        self.users[id].iter()
    }

    /// How many nodes read this one.
    ///
    /// # Panics
    ///
    /// If the node was erased or is of another graph.
    #[must_use]
    #[track_caller]
    pub fn user_count(&self, id: NodeId) -> usize {
        self.expect(id);
        self.users[id].len()
    }

    /// The result: the last node, if it is an output. A graph that is being built may have none yet.
    #[must_use]
    pub fn output_node(&self) -> Option<NodeId> {
        self.layout.last().filter(|&last| self.node(last).op() == Op::Output)
    }

    /// Where new nodes come last: before the output, if there is one.
    ///
    /// It is at the end also while the graph grows, so one cursor can build a whole graph, output included.
    pub fn at_end(&mut self) -> Cursor<'_> {
        Cursor::new(self, None)
    }

    /// Where new nodes come right before this one.
    ///
    /// Before an input, calls would come among the inputs, which [`Graph::verify`] reports (V6).
    ///
    /// # Panics
    ///
    /// If the node was erased or is of another graph.
    #[track_caller]
    pub fn inserting_before(&mut self, id: NodeId) -> Cursor<'_> {
        self.expect(id);
        Cursor::new(self, Some(id))
    }

    /// Where new nodes come right after this one; after the last one is [`Graph::at_end`].
    ///
    /// After the output is [`Graph::at_end`] too: nothing comes after it.
    ///
    /// # Panics
    ///
    /// If the node was erased or is of another graph.
    #[track_caller]
    pub fn inserting_after(&mut self, id: NodeId) -> Cursor<'_> {
        let next = self.next(id);
        Cursor::new(self, next)
    }

    /// Where new nodes come first.
    ///
    /// Before the inputs: this is for placeholders. Calls that read none go before the first node that is not a
    /// placeholder.
    pub fn at_start(&mut self) -> Cursor<'_> {
        let first = self.first();
        Cursor::new(self, first)
    }

    /// Makes room for that many more nodes.
    pub(super) fn reserve(&mut self, more: usize) {
        self.nodes.reserve(more);
        self.layout.reserve(more);
        self.users.reserve(more);
    }

    /// The one way in: every node is added here. `at` is the node it comes before; none is the very end.
    #[track_caller]
    pub(super) fn insert(
        &mut self,
        target: Target,
        args: Box<[Argument]>,
        kwargs: Box<[(Keyword, Argument)]>,
        meta: Meta,
        name: Option<&str>,
        at: Option<NodeId>,
    ) -> NodeId {
        self.expect_arguments(&args, &kwargs);
        let id = NodeId::new(self.nodes.len());
        let name = match name {
            Some(name) => self.names.give(name, id),
            None => self.names.give_after(&target, id),
        };
        self.by_target.add(id, &target);
        self.nodes.push(Some(Node { name, target, args, kwargs, meta }));
        self.layout.insert(id, at);
        self.link_users(id);
        self.revision += 1;
        self.tell(Edit::Create { node: id });
        id
    }

    /// The nodes that `id` reads learn that it does.
    pub(super) fn link_users(&mut self, id: NodeId) {
        let Self { nodes, users, .. } = self;
        if let Some(node) = &nodes[id] {
            node.for_each_use(&mut |input| users[input].add(id, 1));
        }
    }

    /// The nodes that `id` reads forget that it does: its arguments are about to change.
    pub(super) fn unlink_users(&mut self, id: NodeId) {
        let Self { nodes, users, occurrences, .. } = self;
        occurrences.forget(id);
        if let Some(node) = &nodes[id] {
            node.for_each_use(&mut |input| users[input].remove(id, 1));
        }
    }

    #[track_caller]
    pub(super) fn expect(&self, id: NodeId) {
        if !self.contains(id) {
            self.no_such_node(id);
        }
    }

    /// Arguments that may become those of a node.
    #[track_caller]
    pub(super) fn expect_arguments(&self, args: &[Argument], kwargs: &[(Keyword, Argument)]) {
        for argument in args.iter().chain(kwargs.iter().map(|(_, argument)| argument)) {
            assert!(
                !argument.is_deeper_than(Argument::MAX_DEPTH),
                "an argument is nested more than {} deep",
                Argument::MAX_DEPTH
            );
            // Not a closure, so that the caller is named.
            if let Argument::Node(id) = argument {
                self.expect(*id);
            } else {
                argument.for_each_node(&mut |id| self.expect(id));
            }
        }
    }

    #[cold]
    #[track_caller]
    pub(super) fn no_such_node(&self, id: NodeId) -> ! {
        let why = if id.index() < self.nodes.len() { "was erased from" } else { "is not in" };
        panic!("node {} {why} graph `{}`", id.index(), self.name)
    }
}

/// Short: `Display` writes the nodes.
impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({}, {} nodes)", self.name, self.len())
    }
}
