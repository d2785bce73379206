//! Changing nodes that are in a graph.
//!
//! Invariant: after each method here, users, order and names are right again; arguments of operations are only what
//! [`Graph::verify`] makes of them, because arguments by position and by name are changed one after the other.

use std::sync::Arc;

use super::argument::Argument;
use super::bind::{self, BindError};
use super::graph::Graph;
use super::meta::Meta;
use super::node::{Keyword, Node, NodeId};
use super::target::Target;

/// A node that cannot be erased, because others read it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot erase %{node}: it is used by {}", list(*count, users))]
pub struct StillUsed {
    /// Its name.
    pub node: String,
    /// How many nodes read it.
    pub count: usize,
    /// Names of the first few of them.
    pub users: Vec<String>,
}

fn list(count: usize, users: &[String]) -> String {
    let mut text: Vec<String> = users.iter().map(|user| format!("%{user}")).collect();
    if count > users.len() {
        text.push(format!("{} more", count - users.len()));
    }
    text.join(", ")
}

impl Graph {
    /// Gives the graph another name.
    pub fn set_name(&mut self, name: impl Into<Arc<str>>) {
        self.name = name.into();
        self.revision += 1;
    }

    /// Replaces the arguments by position.
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

    /// Replaces what the node does, with the same arguments.
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
        self.change(id, |node| {
            node.target = target;
            node.kwargs = kwargs;
        });
        Ok(())
    }

    /// Replaces what the node does and its arguments.
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
        self.change(id, |node| {
            node.target = target;
            node.args = args;
            node.kwargs = kwargs;
        });
        Ok(())
    }

    /// Makes every node that reads `old` read `new` instead, and returns how many did. If `new` itself reads `old`, it
    /// goes on to: the usual way to put a node between another and its users.
    ///
    /// # Panics
    ///
    /// If one of the nodes was erased or is of another graph.
    #[track_caller]
    pub fn replace_all_uses(&mut self, old: NodeId, new: NodeId) -> usize {
        self.replace_uses_where(old, new, |_| true)
    }

    /// [`Graph::replace_all_uses`] for the users that `pick` accepts.
    ///
    /// # Panics
    ///
    /// If one of the nodes was erased or is of another graph.
    #[track_caller]
    pub fn replace_uses_where(&mut self, old: NodeId, new: NodeId, mut pick: impl FnMut(NodeId) -> bool) -> usize {
        self.expect(new);
        let users: Vec<NodeId> = self.users(old).filter(|&user| user != new && pick(user)).collect();
        for &user in &users {
            self.replace_input(user, old, new);
        }
        if old == new { 0 } else { users.len() }
    }

    /// Makes one node read `new` wherever it reads `old`: torch.fx's `replace_input_with`.
    ///
    /// # Panics
    ///
    /// If one of the nodes was erased or is of another graph.
    #[track_caller]
    pub fn replace_input(&mut self, id: NodeId, old: NodeId, new: NodeId) {
        self.expect(new);
        self.expect(old);
        let node = match self.nodes.get_mut(id) {
            Some(Some(node)) => node,
            _ => self.no_such_node(id),
        };
        let mut times = 0;
        for argument in node.arguments_mut() {
            argument.for_each_node_mut(&mut |input| {
                if *input == old {
                    *input = new;
                    times += 1;
                }
            });
        }
        if times > 0 {
            self.users[old].remove(id, times);
            self.users[new].add(id, times);
            self.revision += 1;
        }
    }

    /// Moves a node right before another.
    ///
    /// # Panics
    ///
    /// If one of them was erased or is of another graph.
    #[track_caller]
    pub fn move_before(&mut self, id: NodeId, at: NodeId) {
        self.expect(at);
        self.expect(id);
        if id != at {
            self.layout.remove(id);
            self.layout.insert(id, Some(at));
            self.revision += 1;
        }
    }

    /// Moves a node right after another.
    ///
    /// # Panics
    ///
    /// If one of them was erased or is of another graph.
    #[track_caller]
    pub fn move_after(&mut self, id: NodeId, at: NodeId) {
        self.expect(at);
        self.expect(id);
        if id != at {
            self.layout.remove(id);
            self.layout.insert(id, self.layout.next(at));
            self.revision += 1;
        }
    }

    /// Removes a node that no other reads. Its id and its name are not used again.
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
        let node = self.node(id);
        let users = &self.users[id];
        if users.len() > 0 {
            return Err(StillUsed {
                node: node.name().to_owned(),
                count: users.len(),
                users: users.iter().take(8).map(|user| self.node(user).name().to_owned()).collect(),
            });
        }
        self.unlink_users(id);
        self.layout.remove(id);
        if let Some(node) = self.nodes[id].take() {
            self.names.release(&node.name);
        }
        self.revision += 1;
        Ok(())
    }

    /// Gives a node a name as close to the candidate as can be, and returns it. Its old name is not used again.
    ///
    /// # Panics
    ///
    /// If the node was erased or is of another graph.
    #[track_caller]
    pub fn rename(&mut self, id: NodeId, candidate: &str) -> &str {
        if self.node(id).name() != candidate {
            let name = self.names.give(candidate, id);
            self.names.release(&self.node(id).name.clone());
            self.change(id, |node| node.name = name);
        }
        self.node(id).name()
    }

    /// What is remembered about a node, to be changed.
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
