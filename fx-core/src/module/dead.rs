//! Taking out what a module does not need, in child graphs too.
//!
//! Invariant: a call of a child graph counts as what the child does, unlike in torch.fx, where it counts as pure.

use std::collections::HashSet;
use std::sync::Arc;

use crate::ir::{Graph, ModulePath, NodeId, Target};

use super::attributes::{Attribute, Attributes};
use super::graph_module::GraphModule;

impl GraphModule {
    /// Whether running it does something besides computing its result: a node of it, or of a child graph that it calls,
    /// is impure ([`Graph::is_impure`]).
    #[must_use]
    pub fn is_impure(&self, impure_random: bool) -> bool {
        let (mut seen, mut pending) = (HashSet::new(), vec![self]);
        while let Some(module) = pending.pop() {
            for (id, node) in module.graph().nodes() {
                match node.target() {
                    Target::Placeholder(_) | Target::Output => {}
                    _ if module.graph().is_impure(id, impure_random) => return true,
                    _ => {}
                }
            }
            for (_, child) in module.children() {
                if seen.insert(std::ptr::from_ref(child)) {
                    pending.push(child);
                }
            }
        }
        false
    }

    /// Erases the nodes that neither the outputs nor impure nodes need, in child graphs too
    /// ([`Graph::eliminate_dead_code`]), and returns the paths of the graphs in which there were any, the root for this
    /// one. Attributes stay; [`GraphModule::delete_all_unused_submodules`] takes out what is left over.
    pub fn eliminate_dead_code(&mut self) -> Vec<ModulePath> {
        self.eliminate_at(0)
    }

    fn eliminate_at(&mut self, depth: usize) -> Vec<ModulePath> {
        let mut changed = Vec::new();
        let paths: Vec<ModulePath> = self.children().map(|(path, _)| path.clone()).collect();
        for path in paths {
            let Some(Attribute::Module(child)) = self.attributes_mut().get_mut(&path) else { continue };
            if depth < Self::MAX_DEPTH {
                let mut edited = GraphModule::clone(child);
                let below = edited.eliminate_at(depth + 1);
                // A child that has nothing to erase stays shared.
                if !below.is_empty() {
                    *child = Arc::new(edited);
                    changed.extend(below.iter().map(|inner| path.join(inner)));
                }
            }
        }
        // The graph is out of the module while the attributes are asked.
        let mut graph = std::mem::replace(self.graph_mut(), Graph::new(""));
        if graph.eliminate_dead_code(Some(&|graph, id| must_stay(graph, id, self.attributes()))) {
            changed.insert(0, ModulePath::ROOT);
        }
        *self.graph_mut() = graph;
        changed
    }
}

fn must_stay(graph: &Graph, id: NodeId, attributes: &Attributes) -> bool {
    match graph.node(id).target() {
        Target::CallModule(path) => match attributes.fetch(path) {
            Some(Attribute::Module(child)) => child.is_impure(true),
            _ => false,
        },
        _ => graph.is_impure(id, true),
    }
}
