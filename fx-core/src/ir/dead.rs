//! Taking nodes out: one that nobody reads, or all that nobody needs, and which those are.
//!
//! Invariant: whether a call may go is read off the operation's description; inputs and outputs never go.

use super::graph::Graph;
use super::hooks::Edit;
use super::node::NodeId;
use super::target::{Op, Target};
use crate::ops::Effect;

/// A node that cannot be erased, because others read it.
///
/// Make its users read something else first ([`Graph::replace_all_uses_with`]), or erase them.
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

/// Says whether a node of a graph must stay even if nobody reads it.
///
/// What [`Graph::eliminate_dead_code`] is given. It sees the graph as it is then, with the nodes after this one done.
pub type IsImpure<'p> = dyn Fn(&Graph, NodeId) -> bool + 'p;

impl Graph {
    /// Removes a node that no other reads. Its id and its name are not used again.
    ///
    /// What it reads has one user less. [`Graph::eliminate_dead_code`] erases all that is not needed.
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
        let node = self.node(id);
        let users = &self.users[id];
        if users.len() > 0 {
            return Err(StillUsed {
                node: node.name().to_owned(),
                count: users.len(),
                users: users.iter().take(8).map(|user| self.node(user).name().to_owned()).collect(),
            });
        }
        self.tell(Edit::Erase { node: id });
        self.unlink_users(id);
        self.layout.remove(id);
        if let Some(node) = self.nodes[id].take() {
            self.by_target.remove(id, &node.target);
            self.names.release(&node.name);
        }
        self.revision += 1;
        Ok(())
    }

    /// Whether a node must stay even if nobody reads it: inputs, outputs, and calls of operations that do something
    /// besides computing their result, such as asserting something. A call that draws random numbers is one of them if
    /// `impure_random` says so, because without it the calls after it draw others.
    ///
    /// Unlike in torch.fx, methods are judged as functions are, so that one that changes its receiver stays. What a
    /// called module does is not known here: it counts as pure.
    ///
    /// # Panics
    ///
    /// If the node was erased or is of another graph.
    #[must_use]
    #[track_caller]
    pub fn is_impure(&self, id: NodeId, impure_random: bool) -> bool {
        match self.node(id).target() {
            Target::Placeholder(_) | Target::Output => true,
            Target::CallFunction(op) | Target::CallMethod(op) => match op.effect {
                Effect::Pure => false,
                Effect::Random => impure_random,
                Effect::Changes => true,
            },
            Target::GetAttr(_) | Target::CallModule(_) => false,
        }
    }

    /// Erases the nodes that neither the output nor an impure node needs, in one way back through the graph, and returns
    /// whether there were any. Inputs and outputs stay.
    ///
    /// What is impure, `is_impure` says; without it [`Graph::is_impure`] does, random calls included. It is asked only
    /// about nodes that nobody reads. Who knows the model can say what its modules do, and look into graphs that are
    /// modules of this one.
    ///
    /// In a graph that is out of order, what is read by a node before it stays.
    ///
    /// ```
    /// # use fx_core::ir::{Graph, Op};
    /// let mut graph = Graph::new("g");
    /// let mut cursor = graph.at_end();
    /// let x = cursor.placeholder("x");
    /// let unused = cursor.call_module("logger", [x.into()], []);
    /// cursor.output(x);
    ///
    /// let calls = |graph: &Graph, id| graph.node(id).op() == Op::CallModule;
    /// assert!(!graph.eliminate_dead_code(Some(&calls)));
    /// assert!(graph.eliminate_dead_code(None));
    /// assert!(!graph.contains(unused));
    /// ```
    pub fn eliminate_dead_code(&mut self, is_impure: Option<&IsImpure<'_>>) -> bool {
        let before = self.len();
        let mut next = self.last();
        while let Some(id) = next {
            next = self.layout.prev(id);
            let must_stay = |graph: &Self| match (graph.node(id).op(), is_impure) {
                (Op::Placeholder | Op::Output, _) => true,
                (_, Some(is_impure)) => is_impure(graph, id),
                (_, None) => graph.is_impure(id, true),
            };
            if self.users[id].len() == 0 && !must_stay(self) {
                self.erase_node(id).expect("nobody reads it");
            }
        }
        self.len() < before
    }
}
