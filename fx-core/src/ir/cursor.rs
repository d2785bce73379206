//! [`Cursor`]: where the next node goes.
//!
//! A cursor is between two nodes. What it creates comes before the node after it, so that nodes are in the order in
//! which they were created. It also walks: [`Cursor::advance`] steps over a node, and erasing a node through the cursor
//! leaves it where it was.
//!
//! Invariant: the node that a cursor is before is in the graph.

use super::argument::Argument;
use super::bind::{self, BindError};
use super::edit::StillUsed;
use super::graph::Graph;
use super::meta::{Meta, Source};
use super::module_stack::ModuleStack;
use super::node::{Keyword, NodeId};
use super::path::ModulePath;
use super::target::Target;
use crate::entity::SecondaryMap;
use crate::ops::OpRef;

/// Where the next node goes, and what it is stamped with.
#[derive(Debug)]
pub struct Cursor<'g> {
    graph: &'g mut Graph,
    // None is the end: before the output, if there is one.
    at: Option<NodeId>,
    source: Option<Source>,
    module: ModuleStack,
}

impl<'g> Cursor<'g> {
    pub(super) fn new(graph: &'g mut Graph, at: Option<NodeId>) -> Self {
        Self { graph, at, source: None, module: ModuleStack::ROOT }
    }

    /// New nodes are said to be written there by the user.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Source>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// New nodes are said to be recorded in these modules.
    #[must_use]
    pub fn with_module(mut self, module: ModuleStack) -> Self {
        self.module = module;
        self
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        self.graph
    }

    /// Adds an input of the graph: a parameter of this name.
    pub fn placeholder(&mut self, name: &str) -> NodeId {
        self.insert(Target::Placeholder(name.into()), [].into(), [].into(), Some(name))
    }

    /// Adds a read of a parameter or buffer of the model.
    pub fn get_attr(&mut self, path: impl Into<ModulePath>) -> NodeId {
        self.insert(Target::GetAttr(path.into()), [].into(), [].into(), None)
    }

    /// Adds a call of an operation that Rust writes as a function or operator.
    ///
    /// # Errors
    ///
    /// If the operation does not take these arguments or is a method.
    ///
    /// # Panics
    ///
    /// As [`Cursor::create_node`].
    #[track_caller]
    pub fn call_function(
        &mut self,
        op: OpRef,
        args: impl Into<Box<[Argument]>>,
        kwargs: impl Into<Box<[(Keyword, Argument)]>>,
    ) -> Result<NodeId, BindError> {
        self.create_node(Target::CallFunction(op), args, kwargs, None)
    }

    /// Adds a call of an operation that Rust writes as a method. The receiver is the first argument.
    ///
    /// # Errors
    ///
    /// If the operation does not take these arguments or is a function.
    ///
    /// # Panics
    ///
    /// As [`Cursor::create_node`].
    #[track_caller]
    pub fn call_method(
        &mut self,
        op: OpRef,
        args: impl Into<Box<[Argument]>>,
        kwargs: impl Into<Box<[(Keyword, Argument)]>>,
    ) -> Result<NodeId, BindError> {
        self.create_node(Target::CallMethod(op), args, kwargs, None)
    }

    /// Adds a call of an operation, by the opcode that goes with how Rust writes it.
    ///
    /// # Errors
    ///
    /// If the operation does not take these arguments.
    ///
    /// # Panics
    ///
    /// As [`Cursor::create_node`].
    #[track_caller]
    pub fn call(
        &mut self,
        op: OpRef,
        args: impl Into<Box<[Argument]>>,
        kwargs: impl Into<Box<[(Keyword, Argument)]>>,
    ) -> Result<NodeId, BindError> {
        self.create_node(Target::call(op), args, kwargs, None)
    }

    /// Adds a call of a module that stays whole.
    ///
    /// # Panics
    ///
    /// As [`Cursor::create_node`].
    #[track_caller]
    pub fn call_module(
        &mut self,
        path: impl Into<ModulePath>,
        args: impl Into<Box<[Argument]>>,
        kwargs: impl Into<Box<[(Keyword, Argument)]>>,
    ) -> NodeId {
        self.insert(Target::CallModule(path.into()), args.into(), kwargs.into(), None)
    }

    /// Adds the result of the graph.
    ///
    /// # Panics
    ///
    /// As [`Cursor::create_node`].
    #[track_caller]
    pub fn output(&mut self, value: impl Into<Argument>) -> NodeId {
        self.insert(Target::Output, [value.into()].into(), [].into(), None)
    }

    /// Adds any node. Its name is as close to `name` as can be, or is made from the target.
    ///
    /// # Errors
    ///
    /// If the target is an operation that does not take these arguments.
    ///
    /// # Panics
    ///
    /// If a node in the arguments was erased or is of another graph, or if an argument is nested deeper than
    /// [`Argument::MAX_DEPTH`].
    #[track_caller]
    pub fn create_node(
        &mut self,
        target: Target,
        args: impl Into<Box<[Argument]>>,
        kwargs: impl Into<Box<[(Keyword, Argument)]>>,
        name: Option<&str>,
    ) -> Result<NodeId, BindError> {
        let (args, mut kwargs) = (args.into(), kwargs.into());
        bind::check(&target, &args, &mut kwargs)?;
        Ok(self.insert(target, args, kwargs, name))
    }

    /// Adds a copy of a node of another graph, with its name as the candidate and everything that is remembered about
    /// it, and puts it into `map`: torch.fx's `node_copy`.
    ///
    /// # Panics
    ///
    /// If the node is not in `from`, or if it reads a node that is not in `map`.
    #[track_caller]
    pub fn copy(&mut self, from: &Graph, id: NodeId, map: &mut NodeMap) -> NodeId {
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
    /// `map`, and returns what the output would read: torch.fx's `graph_copy`.
    ///
    /// # Panics
    ///
    /// If a node reads one that is neither before it nor in `map`.
    #[track_caller]
    pub fn copy_graph(&mut self, from: &Graph, map: &mut NodeMap) -> Option<Argument> {
        let output = from.output();
        let mut next = from.first();
        while let Some(id) = next {
            if Some(id) != output && map.get(id).is_none() {
                self.copy(from, id, map);
            }
            next = from.next(id);
        }
        Some(map.apply(from, from.node(output?).args.first()?))
    }

    /// The node after the cursor. At the end there is none, even if the output comes after it.
    #[must_use]
    pub fn next(&self) -> Option<NodeId> {
        self.at
    }

    /// Steps over the node after the cursor and returns it. What is created now comes after that node.
    pub fn advance(&mut self) -> Option<NodeId> {
        let next = self.at?;
        self.at = self.graph.next(next);
        Some(next)
    }

    /// [`Graph::erase`]; the cursor stays where it is.
    ///
    /// # Errors
    ///
    /// If other nodes read it.
    ///
    /// # Panics
    ///
    /// If it was already erased or is of another graph.
    #[track_caller]
    pub fn erase(&mut self, id: NodeId) -> Result<(), StillUsed> {
        let next = self.graph.next(id);
        self.graph.erase(id)?;
        if self.at == Some(id) {
            self.at = next;
        }
        Ok(())
    }

    /// [`Graph::replace_all_uses`].
    ///
    /// # Panics
    ///
    /// If one of the nodes was erased or is of another graph.
    #[track_caller]
    pub fn replace_all_uses(&mut self, old: NodeId, new: NodeId) -> usize {
        self.graph.replace_all_uses(old, new)
    }

    /// [`Graph::meta_mut`].
    ///
    /// # Panics
    ///
    /// If the node was erased or is of another graph.
    #[track_caller]
    pub fn meta_mut(&mut self, id: NodeId) -> &mut Meta {
        self.graph.meta_mut(id)
    }

    #[track_caller]
    fn insert(
        &mut self,
        target: Target,
        args: Box<[Argument]>,
        kwargs: Box<[(Keyword, Argument)]>,
        name: Option<&str>,
    ) -> NodeId {
        let meta = Meta::recorded(self.source.clone(), self.module.clone());
        let at = self.before();
        self.graph.insert(target, args, kwargs, meta, name, at)
    }

    /// The node that the next one comes before.
    fn before(&self) -> Option<NodeId> {
        self.at.or_else(|| self.graph.output())
    }
}

/// Which node of one graph became which node of another.
#[derive(Debug, Clone, Default)]
pub struct NodeMap(SecondaryMap<NodeId, Option<NodeId>>);

impl NodeMap {
    /// No nodes yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `from` became `to`.
    pub fn insert(&mut self, from: NodeId, to: NodeId) {
        self.0[from] = Some(to);
    }

    /// What the node became.
    #[must_use]
    pub fn get(&self, from: NodeId) -> Option<NodeId> {
        self.0[from]
    }

    #[track_caller]
    fn apply(&self, from: &Graph, argument: &Argument) -> Argument {
        argument.map_nodes(&mut |id| match self.get(id) {
            Some(to) => to,
            None => panic!("%{} of graph `{}` is used, but was not copied", from.node(id).name(), from.name()),
        })
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
