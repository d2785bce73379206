//! Making nodes read others, and what the new node takes over from the old.
//!
//! Invariant: after each method here, users are right again; a signature is left as it is.

use std::sync::Arc;

use super::graph::Graph;
use super::hooks::Edit;
use super::meta::Origin;
use super::node::NodeId;

/// A node that something is remembered about already, so that it takes over nothing.
///
/// As torch.fx, which asks for a fresh node there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("%{new} does not take over what is remembered about %{old}: it has metadata of its own; change that instead")]
pub struct MetaNotEmpty {
    /// Name of the node that would take over.
    pub new: String,
    /// Name of the node that it would take over from.
    pub old: String,
}

impl Graph {
    /// Makes every node that reads `old` read `new` instead, and returns those that did, in the order of first use.
    ///
    /// If `new` itself reads `old`, it goes on to: the usual way to put a node between another and its users. torch.fx
    /// makes it read itself there unless a filter prevents it; [`Graph::replace_uses_where`] does as its filter says.
    ///
    /// ```
    /// # use fx_core::ir::Graph;
    /// let mut graph = Graph::new("g");
    /// let mut cursor = graph.at_end();
    /// let x = cursor.placeholder("x");
    /// let (a, b) = (cursor.call_module("a", [x.into()], []), cursor.call_module("b", [x.into()], []));
    /// let norm = graph.inserting_after(x).call_module("norm", [x.into()], []);
    /// assert_eq!(graph.replace_all_uses_with(x, norm), [a, b]);
    /// assert_eq!(graph.users(x).collect::<Vec<_>>(), [norm]);
    /// ```
    ///
    /// `old` stays, without users, to be erased. A [signature](Graph::signature) is no user.
    ///
    /// # Panics
    ///
    /// If one of the nodes was erased or is of another graph.
    #[track_caller]
    pub fn replace_all_uses_with(&mut self, old: NodeId, new: NodeId) -> Vec<NodeId> {
        self.replace_uses_where(old, new, |user| user != new)
    }

    /// [`Graph::replace_all_uses_with`] for the users that `pick` accepts: torch.fx's `delete_user_cb`. `new` is asked
    /// about like any other if it reads `old`, and reads itself if it is accepted.
    ///
    /// # Panics
    ///
    /// If one of the nodes was erased or is of another graph.
    #[track_caller]
    pub fn replace_uses_where(
        &mut self,
        old: NodeId,
        new: NodeId,
        mut pick: impl FnMut(NodeId) -> bool,
    ) -> Vec<NodeId> {
        self.expect(new);
        self.expect(old);
        if old == new {
            return Vec::new();
        }
        let users: Vec<NodeId> = self.users(old).filter(|&user| pick(user)).collect();
        for &user in &users {
            self.replace_input_with(user, old, new);
        }
        users
    }

    /// Makes one node read `new` wherever it reads `old`. Replacing all inputs of a node one after the other takes time
    /// in proportion to how many there are.
    ///
    /// # Panics
    ///
    /// If one of the nodes was erased or is of another graph.
    #[track_caller]
    pub fn replace_input_with(&mut self, id: NodeId, old: NodeId, new: NodeId) {
        self.expect(id);
        self.expect(new);
        self.expect(old);
        let times = self.users[old].times(id);
        if times == 0 || old == new {
            return;
        }
        self.tell(Edit::Replace { old, new, user: id });
        if let Some(node) = &mut self.nodes[id] {
            self.occurrences.replace(id, node, old, new);
        }
        self.users[old].remove(id, times);
        self.users[new].add(id, times);
        self.revision += 1;
    }

    /// Remembers about `new` everything that is remembered about `old`: torch.fx's `propagate_meta`.
    ///
    /// The fact comes along, too: this is for a node that computes the same.
    ///
    /// # Errors
    ///
    /// If something is remembered about `new` already; it is left as it was.
    ///
    /// # Panics
    ///
    /// If one of the nodes was erased or is of another graph.
    #[track_caller]
    pub fn propagate_meta(&mut self, old: NodeId, new: NodeId) -> Result<(), MetaNotEmpty> {
        let meta = self.node(old).meta.clone();
        if !self.node(new).meta.is_empty() {
            let name = |id| self.node(id).name().to_owned();
            return Err(MetaNotEmpty { new: name(new), old: name(old) });
        }
        *self.meta_mut(new) = meta;
        Ok(())
    }

    /// Adds to what is remembered about `new` that `pass` made it out of `old`, after how `old` came to be: torch.fx's
    /// `from_node`. A node that is made out of several is told so for each; a step that it has already is not added
    /// again. Copies into other graphs take it along.
    ///
    /// ```
    /// # use fx_core::ir::Graph;
    /// let mut graph = Graph::new("g");
    /// let mut cursor = graph.at_end();
    /// let x = cursor.placeholder("x");
    /// let (conv, bn) = (cursor.call_module("conv", [x.into()], []), cursor.call_module("bn", [x.into()], []));
    /// let fused = cursor.call_module("fused", [x.into()], []);
    /// graph.record_origin(fused, conv, "fuse");
    /// graph.record_origin(fused, bn, "fuse");
    /// let steps: Vec<&str> = graph.node(fused).meta().from().iter().map(|step| &*step.node).collect();
    /// assert_eq!(steps, ["conv", "bn"]);
    /// ```
    ///
    /// # Panics
    ///
    /// If one of the nodes was erased or is of another graph.
    #[track_caller]
    pub fn record_origin(&mut self, new: NodeId, old: NodeId, pass: impl Into<Arc<str>>) {
        self.expect(new);
        let node = self.node(old);
        let mut steps = node.meta.from().to_vec();
        steps.push(Origin { pass: pass.into(), node: node.name.as_str().into(), graph: self.name.clone() });
        let meta = self.meta_mut(new);
        for step in steps {
            if !meta.from().contains(&step) {
                meta.add_origin(step);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{my_module, relu};
    use super::super::{NodeMap, Source};
    use super::*;

    #[test]
    fn metadata_is_taken_over_by_a_node_without() {
        let mut graph = my_module();
        let [x, _, add, linear] = [0, 1, 2, 3].map(|i| graph.nodes().nth(i).map(|(id, _)| id).unwrap());
        graph.meta_mut(add).source = Some(Source::text("model.rs", 7));
        let new = relu(&mut graph.inserting_after(add), x);
        assert_eq!(graph.propagate_meta(add, new), Ok(()));
        assert_eq!(graph.node(new).meta().source, Some(Source::text("model.rs", 7)));
        graph.meta_mut(linear).set_note("mine");
        let error = graph.propagate_meta(add, linear).unwrap_err();
        assert_eq!(
            error.to_string(),
            "%linear does not take over what is remembered about %add: it has metadata of its own; change that instead"
        );
        assert_eq!(graph.node(linear).meta().source, None);
    }

    #[test]
    fn steps_of_provenance_follow_each_other_and_are_copied() {
        let mut graph = my_module();
        let add = graph.node_named("add").unwrap();
        let first = relu(&mut graph.inserting_after(add), add);
        graph.record_origin(first, add, "one");
        let second = relu(&mut graph.inserting_after(first), add);
        graph.record_origin(second, first, "two");
        graph.record_origin(second, first, "two");
        let mut copy = Graph::new("copy");
        let mut map = NodeMap::new();
        copy.at_end().graph_copy(&graph, &mut map);
        let steps: Vec<String> = copy
            .node(map.get(second).unwrap())
            .meta()
            .from()
            .iter()
            .map(|step| format!("{} {} {}", step.pass, step.node, step.graph))
            .collect();
        assert_eq!(steps, ["one add my_module", "two relu my_module"]);
    }
}
