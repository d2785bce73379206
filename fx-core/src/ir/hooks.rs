//! [`Edit`]: what hooks are told of, and how they are registered.
//!
//! Invariant: a hook sees a graph whose users, order and names are right. It cannot change the graph, so that edits do
//! not run inside edits. Without hooks an edit costs one comparison more.

use std::fmt;
use std::sync::Arc;

use super::graph::Graph;
use super::node::NodeId;

/// An edit that hooks are told of.
///
/// It is told while the graph is whole: of a creation or a new name after it, of all else before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit<'a> {
    /// The node was added.
    Create {
        /// It.
        node: NodeId,
    },
    /// The node is about to be erased: it can still be read.
    Erase {
        /// It.
        node: NodeId,
    },
    /// A node is about to read another in place of one that it reads.
    Replace {
        /// What it reads still.
        old: NodeId,
        /// What it will read.
        new: NodeId,
        /// The node that reads.
        user: NodeId,
    },
    /// The node has another name now.
    Rename {
        /// It.
        node: NodeId,
        /// Its name before.
        old: &'a str,
    },
}

/// Names a hook of one graph.
///
/// What [`Graph::register_hook`] returns and [`Graph::unregister_hook`] takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HookId(u64);

type Hook = Arc<dyn Fn(&Graph, Edit<'_>) + Send + Sync>;

/// Empty nearly always.
#[derive(Default)]
pub(super) struct Hooks(Option<Box<Registered>>);

#[derive(Default)]
struct Registered {
    hooks: Vec<(HookId, Hook)>,
    given: u64,
}

/// A clone has no hooks: they watch one graph.
impl Clone for Hooks {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hooks({})", self.0.as_ref().map_or(0, |registered| registered.hooks.len()))
    }
}

impl Graph {
    /// Has `hook` told of every node that is created, erased or renamed, and of every use that is replaced: torch.fx's
    /// create, erase and replace hooks. Hooks are told in the order in which they were registered.
    ///
    /// A clone of the graph has no hooks. Setting arguments anew replaces no use.
    ///
    /// ```
    /// # use std::sync::{Arc, Mutex};
    /// # use fx_core::ir::{Edit, Graph};
    /// let mut graph = Graph::new("g");
    /// let created = Arc::new(Mutex::new(Vec::new()));
    /// let log = created.clone();
    /// let hook = graph.register_hook(move |graph, edit| {
    ///     if let Edit::Create { node } = edit {
    ///         log.lock().unwrap().push(graph.node(node).name().to_owned());
    ///     }
    /// });
    /// graph.at_end().placeholder("x");
    /// graph.unregister_hook(hook);
    /// graph.at_end().placeholder("y");
    /// assert_eq!(*created.lock().unwrap(), ["x"]);
    /// ```
    pub fn register_hook(&mut self, hook: impl Fn(&Self, Edit<'_>) + Send + Sync + 'static) -> HookId {
        let registered = self.hooks.0.get_or_insert_default();
        registered.given += 1;
        let id = HookId(registered.given);
        registered.hooks.push((id, Arc::new(hook)));
        id
    }

    /// Has the hook told of nothing any more. Returns whether it was registered.
    pub fn unregister_hook(&mut self, hook: HookId) -> bool {
        let Some(registered) = &mut self.hooks.0 else { return false };
        let before = registered.hooks.len();
        registered.hooks.retain(|(id, _)| *id != hook);
        registered.hooks.len() < before
    }

    /// Has its hooks told of another graph as well: one that may take its place. This one keeps them, so that nothing is
    /// lost when the other never does, not even by a panic.
    pub(crate) fn share_hooks_with(&self, other: &mut Self) {
        let copy = |all: &Registered| Box::new(Registered { hooks: all.hooks.clone(), given: all.given });
        other.hooks = Hooks(self.hooks.0.as_deref().map(copy));
    }

    /// Whether anybody is told of its edits.
    pub(crate) fn has_hooks(&self) -> bool {
        self.hooks.0.as_ref().is_some_and(|registered| !registered.hooks.is_empty())
    }

    /// Tells the hooks.
    pub(super) fn tell(&self, edit: Edit<'_>) {
        if let Some(registered) = &self.hooks.0 {
            for (_, hook) in &registered.hooks {
                hook(self, edit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::super::samples::{my_module, relu};
    use super::*;

    #[test]
    fn hooks_are_told_of_edits_in_order() {
        let mut graph = my_module();
        let ids: Vec<NodeId> = graph.nodes().map(|(id, _)| id).collect();
        let log = Arc::new(Mutex::new(Vec::new()));
        let hook = |label: &'static str| {
            let log = log.clone();
            move |graph: &Graph, edit: Edit<'_>| {
                let name = |id| graph.node(id).name();
                log.lock().unwrap().push(match edit {
                    Edit::Create { node } => format!("{label} create {}", name(node)),
                    Edit::Erase { node } => format!("{label} erase {}", name(node)),
                    Edit::Replace { old, new, user } => {
                        assert!(graph.users(old).any(|found| found == user), "it reads the old one still");
                        format!("{label} replace {} {} {}", name(old), name(new), name(user))
                    }
                    Edit::Rename { node, old } => format!("{label} rename {old} {}", name(node)),
                });
            }
        };
        let first = graph.register_hook(hook("a"));
        let second = graph.register_hook(hook("b"));
        let new = relu(&mut graph.inserting_after(ids[2]), ids[2]);
        assert!(graph.unregister_hook(first) && !graph.unregister_hook(first));
        graph.replace_all_uses_with(ids[2], new);
        graph.replace_input_with(new, ids[3], ids[0]);
        graph.rename(new, "relu");
        graph.rename(new, "other");
        graph.set_args(ids[5], [ids[3].into()]);
        graph.erase_node(ids[0]).unwrap_err();
        assert!(graph.eliminate_dead_code(None));
        let mut clone = graph.clone();
        clone.at_end().placeholder("y");
        let log = std::mem::take(&mut *log.lock().unwrap());
        assert_eq!(
            log,
            ["a create relu", "b create relu", "b replace add relu linear", "b rename relu other", "b erase clamp"]
        );
        assert!(graph.unregister_hook(second));
    }

    #[test]
    fn graphs_with_hooks_go_to_other_threads() {
        fn check<T: Clone + Send + Sync>() {}
        check::<Graph>();
    }
}
