//! [`Cursor`]: where the next node goes.
//!
//! A cursor is between two nodes. What it creates comes before the node after it, so that nodes are in the order in
//! which they were created. It also walks: [`Cursor::advance`] steps over a node, and erasing a node through the cursor
//! leaves it where it was.
//!
//! Invariant: the node that a cursor is before is in the graph.

use super::argument::Argument;
use super::bind::{self, BindError};
use super::dead::StillUsed;
use super::graph::Graph;
use super::meta::{Meta, Source};
use super::module_stack::ModuleStack;
use super::node::{Keyword, NodeId};
use super::path::ModulePath;
use super::target::Target;
use crate::ops::OpRef;

/// Where the next node goes, and what it is stamped with.
///
/// ```
/// # use fx_core::{ir::Graph, ops::elementwise::{neg, relu}};
/// let mut graph = Graph::new("g");
/// let mut cursor = graph.at_end();
/// let x = cursor.placeholder("x");
/// let y = cursor.call(&relu::OP, [x.into()], [])?;
/// cursor.output(y);
///
/// let mut cursor = graph.inserting_before(y);
/// let before = cursor.call(&neg::OP, [x.into()], [])?;
/// assert_eq!(cursor.advance(), Some(y));
/// let after = cursor.call(&neg::OP, [y.into()], [])?;
/// let order: Vec<_> = graph.nodes().map(|(id, _)| id).collect();
/// assert_eq!(order[..4], [x, before, y, after]);
/// # Ok::<(), fx_core::ir::BindError>(())
/// ```
#[derive(Debug)]
pub struct Cursor<'g> {
    pub(super) graph: &'g mut Graph,
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
    ///
    /// It is [`Meta::source`](super::Meta::source) of each, for as long as this cursor lives. Captures say so by
    /// themselves.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Source>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// New nodes are said to be recorded in these modules.
    ///
    /// It is [`Meta::module`](super::Meta::module) of each.
    #[must_use]
    pub fn with_module(mut self, module: ModuleStack) -> Self {
        self.module = module;
        self
    }

    /// The graph.
    ///
    /// To read it between two additions; what a cursor cannot do itself is done when it is dropped.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        self.graph
    }

    /// Adds an input of the graph: a parameter of this name.
    ///
    /// The node has that name, or the nearest that Rust allows and no other node has; the parameter keeps its own.
    /// Inputs have to come first: where the graph has calls already, add one after its last placeholder.
    pub fn placeholder(&mut self, name: &str) -> NodeId {
        self.insert(Target::Placeholder(name.into()), [].into(), [].into(), None)
    }

    /// Adds a read of a parameter or buffer of the model.
    ///
    /// Whether there is a tensor at the path is seen by [`GraphModule::check`](crate::module::GraphModule::check). Each
    /// call adds a node, also for a path that is read already.
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
    /// Arguments are as the operation's [`params`](crate::ops::OpDef::params) say: tensors, and what can be one, by
    /// position, everything else by name in any order. Every parameter needs one.
    ///
    /// ```
    /// use fx_core::ir::{BindError, Graph};
    /// use fx_core::ops::{linalg::matmul, reduce::sum};
    ///
    /// let mut graph = Graph::new("g");
    /// let mut cursor = graph.at_end();
    /// let (x, w) = (cursor.placeholder("x"), cursor.placeholder("w"));
    /// let product = cursor.call(&matmul::OP, [x.into(), w.into()], [])?;
    /// let error = cursor.call(&sum::OP, [product.into()], []).unwrap_err();
    /// assert!(matches!(error, BindError::Missing { .. }), "{error}");
    /// // What is refused is not added.
    /// assert_eq!(graph.len(), 3);
    /// # Ok::<(), BindError>(())
    /// ```
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

    /// Adds a call of a module that stays whole: a layer or a child graph of the module that the graph is of. A layer is
    /// given its input by position and its options by name, a child graph one argument for each of its placeholders.
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

    /// Adds the result of the graph: a node, or any structure of nodes and plain data. What is added at the end later
    /// comes before it.
    ///
    /// There must be one, as the last node; a second one is a fault that [`Graph::verify`] reports (V6). In a graph
    /// with state it has what is written to the state too ([`Graph::result_and_written`]).
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
    /// It is what the other methods are short for. Arguments of targets that are no operations are not checked here.
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

    /// The node after the cursor. At the end there is none, even if the output comes after it.
    #[must_use]
    pub fn next(&self) -> Option<NodeId> {
        self.at
    }

    /// Steps over the node after the cursor and returns it. What is created now comes after that node.
    ///
    /// None at the end, where the cursor stays.
    pub fn advance(&mut self) -> Option<NodeId> {
        let next = self.at?;
        self.at = self.graph.next(next);
        Some(next)
    }

    /// Moves a node of the graph to where the next new one would come. Nodes that are moved one after the other come in
    /// this order: so a range of nodes is moved.
    ///
    /// ```
    /// # use fx_core::ir::Graph;
    /// let mut graph = Graph::new("g");
    /// let mut cursor = graph.at_end();
    /// let [_a, b, c, d] = ["a", "b", "c", "d"].map(|name| cursor.placeholder(name));
    /// let mut cursor = graph.at_start();
    /// for id in [b, d] {
    ///     cursor.move_here(id);
    /// }
    /// assert_eq!(graph.to_string(), "graph g(%b, %d, %a, %c) {\n}");
    /// assert!(graph.is_before(d, c));
    /// ```
    ///
    /// # Panics
    ///
    /// If the node was erased or is of another graph.
    #[track_caller]
    pub fn move_here(&mut self, id: NodeId) {
        if self.at == Some(id) {
            self.at = self.graph.next(id);
            return;
        }
        match self.before() {
            Some(at) => self.graph.prepend(at, id),
            None => self.graph.append(self.graph.last().unwrap_or(id), id),
        }
    }

    /// [`Graph::erase_node`]; the cursor stays where it is.
    ///
    /// So a cursor can go over a graph and take nodes out on the way.
    ///
    /// # Errors
    ///
    /// If other nodes read it.
    ///
    /// # Panics
    ///
    /// If it was already erased or is of another graph.
    #[track_caller]
    pub fn erase_node(&mut self, id: NodeId) -> Result<(), StillUsed> {
        let next = self.graph.next(id);
        self.graph.erase_node(id)?;
        if self.at == Some(id) {
            self.at = next;
        }
        Ok(())
    }

    /// [`Graph::replace_all_uses_with`].
    ///
    /// # Panics
    ///
    /// If one of the nodes was erased or is of another graph.
    #[track_caller]
    pub fn replace_all_uses_with(&mut self, old: NodeId, new: NodeId) -> Vec<NodeId> {
        self.graph.replace_all_uses_with(old, new)
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
    pub(super) fn before(&self) -> Option<NodeId> {
        self.at.or_else(|| self.graph.output_node())
    }
}
