//! Changing nodes that are in a graph.
//!
//! Invariant: after each method here, users, order and names are right again; arguments of operations are only what
//! [`Graph::verify`] makes of them, because arguments by position and by name are changed one after the other.

use std::sync::Arc;

use super::argument::Argument;
use super::bind::{self, BindError};
use super::graph::Graph;
use super::hooks::Edit;
use super::meta::Meta;
use super::node::{Keyword, Node, NodeId};
use super::target::Target;

impl Graph {
    /// Gives the graph another name.
    pub fn set_name(&mut self, name: impl Into<Arc<str>>) {
        self.name = name.into();
        self.revision += 1;
    }

    /// Replaces the arguments by position.
    ///
    /// Those by name stay. Whether all of them fit an operation is seen by [`Graph::verify`] (V7), because the two are
    /// set one after the other; [`Graph::set_call`] sets both and checks at once.
    ///
    /// # Panics
    ///
    /// If the node, or one in the arguments, was erased or is of another graph; if an argument is nested deeper than
    /// [`Argument::MAX_DEPTH`].
    #[track_caller]
    pub fn set_args(&mut self, id: NodeId, args: impl Into<Box<[Argument]>>) {
        let args = args.into();
        self.expect_arguments(&args, &[]);
        self.change(id, |node| node.args = args);
    }

    /// Replaces the arguments by name. Those of an operation are brought into the order of its parameters.
    ///
    /// Those by position stay; see [`Graph::set_args`].
    ///
    /// # Panics
    ///
    /// If the node, or one in the arguments, was erased or is of another graph; if an argument is nested deeper than
    /// [`Argument::MAX_DEPTH`].
    #[track_caller]
    pub fn set_kwargs(&mut self, id: NodeId, kwargs: impl Into<Box<[(Keyword, Argument)]>>) {
        let mut kwargs = kwargs.into();
        self.expect_arguments(&[], &kwargs);
        if let Some(op) = self.node(id).target.operation() {
            bind::sort(op, &mut kwargs);
        }
        self.change(id, |node| node.kwargs = kwargs);
    }

    /// Replaces the argument at position `index`, and returns the one that was there.
    ///
    /// torch.fx's `update_arg`.
    ///
    /// ```
    /// # use fx_core::{ir::{Argument, Graph}, ops::elementwise::relu};
    /// let mut graph = Graph::new("g");
    /// let [a, b] = ["a", "b"].map(|name| graph.at_end().placeholder(name));
    /// let y = graph.at_end().call(&relu::OP, [a.into()], [])?;
    /// assert_eq!(graph.update_arg(y, 0, b), Argument::Node(a));
    /// assert_eq!((graph.user_count(a), graph.users(b).collect::<Vec<_>>()), (0, vec![y]));
    /// # Ok::<(), fx_core::ir::BindError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no argument at that position, and as [`Graph::set_args`].
    #[track_caller]
    pub fn update_arg(&mut self, id: NodeId, index: usize, value: impl Into<Argument>) -> Argument {
        let value = value.into();
        self.expect_arguments(std::slice::from_ref(&value), &[]);
        let count = self.node(id).args.len();
        assert!(index < count, "%{} has {count} arguments by position, none at {index}", self.node(id).name());
        let mut old = value;
        self.change(id, |node| std::mem::swap(&mut node.args[index], &mut old));
        old
    }

    /// Puts an argument before the one at position `index`; at the end if `index` is how many there are.
    ///
    /// torch.fx's `insert_arg`.
    ///
    /// # Panics
    ///
    /// If there are fewer arguments by position than that, and as [`Graph::set_args`].
    #[track_caller]
    pub fn insert_arg(&mut self, id: NodeId, index: usize, value: impl Into<Argument>) {
        let value = value.into();
        self.expect_arguments(std::slice::from_ref(&value), &[]);
        let mut args = self.node(id).args.to_vec();
        assert!(
            index <= args.len(),
            "%{} has {} arguments by position, so none can be put at {index}",
            self.node(id).name(),
            args.len()
        );
        args.insert(index, value);
        self.change(id, |node| node.args = args.into());
    }

    /// Replaces the argument called `keyword`, which is returned, or adds it.
    ///
    /// torch.fx's `update_kwarg`.
    ///
    /// # Panics
    ///
    /// As [`Graph::set_kwargs`].
    #[track_caller]
    pub fn update_kwarg(
        &mut self,
        id: NodeId,
        keyword: impl Into<Keyword>,
        value: impl Into<Argument>,
    ) -> Option<Argument> {
        let (keyword, mut value) = (keyword.into(), value.into());
        self.expect_arguments(std::slice::from_ref(&value), &[]);
        match self.node(id).kwargs.iter().position(|(found, _)| *found == keyword) {
            Some(position) => {
                self.change(id, |node| std::mem::swap(&mut node.kwargs[position].1, &mut value));
                Some(value)
            }
            None => {
                let mut kwargs = self.node(id).kwargs.to_vec();
                kwargs.push((keyword, value));
                self.set_kwargs(id, kwargs);
                None
            }
        }
    }

    /// Replaces what the node does, with the same arguments.
    ///
    /// The node keeps its name, its place and its users, and what is remembered about it: a fact that is no longer true
    /// is reported by [`Graph::verify`] (V9), and worked out anew by
    /// [`GraphModule::infer_facts`](crate::module::GraphModule::infer_facts).
    ///
    /// # Errors
    ///
    /// If the target is an operation that does not take the node's arguments; the node is left as it was.
    ///
    /// # Panics
    ///
    /// If the node was erased or is of another graph.
    #[track_caller]
    pub fn set_target(&mut self, id: NodeId, target: Target) -> Result<(), BindError> {
        let node = self.node(id);
        let mut kwargs = node.kwargs.clone();
        bind::check(&target, &node.args, &mut kwargs)?;
        self.retarget(id, target);
        self.change(id, |node| node.kwargs = kwargs);
        Ok(())
    }

    /// Replaces what the node does and its arguments.
    ///
    /// As [`Graph::set_target`] otherwise.
    ///
    /// # Errors
    ///
    /// If the target is an operation that does not take the arguments; the node is left as it was.
    ///
    /// # Panics
    ///
    /// If the node, or one in the arguments, was erased or is of another graph; if an argument is nested deeper than
    /// [`Argument::MAX_DEPTH`].
    #[track_caller]
    pub fn set_call(
        &mut self,
        id: NodeId,
        target: Target,
        args: impl Into<Box<[Argument]>>,
        kwargs: impl Into<Box<[(Keyword, Argument)]>>,
    ) -> Result<(), BindError> {
        let (args, mut kwargs) = (args.into(), kwargs.into());
        self.expect_arguments(&args, &kwargs);
        bind::check(&target, &args, &mut kwargs)?;
        self.retarget(id, target);
        self.change(id, |node| {
            node.args = args;
            node.kwargs = kwargs;
        });
        Ok(())
    }

    /// Gives a node a name as close to the candidate as can be, and returns it. Its old name is not used again.
    ///
    /// The candidate is made a legal name of a variable, and gets a number where another node has it: `relu_1`.
    ///
    /// ```
    /// # use fx_core::ir::Graph;
    /// let mut graph = Graph::new("g");
    /// let [x, y] = ["x", "y"].map(|name| graph.at_end().placeholder(name));
    /// assert_eq!(graph.rename(y, "hidden state"), "hidden_state");
    /// assert_eq!(graph.rename(y, "x"), "x_1");
    /// ```
    ///
    /// # Panics
    ///
    /// If the node was erased or is of another graph.
    #[track_caller]
    pub fn rename(&mut self, id: NodeId, candidate: &str) -> &str {
        if self.node(id).name() != candidate {
            let name = self.names.give(candidate, id);
            if let Some(node) = &mut self.nodes[id] {
                let old = std::mem::replace(&mut node.name, name);
                self.names.release(&old);
                self.revision += 1;
                self.tell(Edit::Rename { node: id, old: &old });
            }
        }
        self.node(id).name()
    }

    /// What is remembered about a node, to be changed.
    ///
    /// Metadata is no part of the computation: the [revision](Graph::revision) stays.
    ///
    /// # Panics
    ///
    /// If the node was erased or is of another graph.
    #[track_caller]
    pub fn meta_mut(&mut self, id: NodeId) -> &mut Meta {
        self.expect(id);
        match &mut self.nodes[id] {
            Some(node) => &mut node.meta,
            None => unreachable!("the node was just there"),
        }
    }

    /// Gives a node another target and keeps the table by target right.
    pub(super) fn retarget(&mut self, id: NodeId, target: Target) {
        if let Some(node) = &mut self.nodes[id] {
            self.by_target.remove(id, &node.target);
            self.by_target.add(id, &target);
            node.target = target;
        }
    }

    /// Changes a node and keeps users right.
    #[track_caller]
    fn change(&mut self, id: NodeId, change: impl FnOnce(&mut Node)) {
        self.expect(id);
        self.unlink_users(id);
        if let Some(node) = &mut self.nodes[id] {
            change(node);
        }
        self.link_users(id);
        self.revision += 1;
    }
}
