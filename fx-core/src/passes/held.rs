//! The layers and tensors of a module while a pass changes which of them the graph names.
//!
//! Invariant: what no node named before the pass stays; what only nodes that are gone named goes.

use std::collections::HashSet;

use crate::ir::{Graph, ModulePath};
use crate::module::Attributes;

/// The first free path `prefix0`, `prefix1`, … from `next` on, which is left one further.
pub(super) fn numbered_path(attributes: &Attributes, prefix: &str, next: &mut usize) -> ModulePath {
    loop {
        let path = ModulePath::new(format!("{prefix}{next}"));
        *next += 1;
        if !attributes.contains(&path) {
            return path;
        }
    }
}

/// The paths that nodes name, and those of what they are inside of.
pub(super) fn named(graph: &Graph) -> HashSet<ModulePath> {
    let mut named = HashSet::new();
    for (_, node) in graph.nodes() {
        let mut next = node.target().path().cloned();
        while let Some(path) = next {
            next = path.parent();
            if !named.insert(path) {
                break;
            }
        }
    }
    named
}

/// Takes away what was named before and is not named by the graph as it is now.
pub(super) fn drop_stale(before: &HashSet<ModulePath>, graph: &Graph, attributes: &mut Attributes) {
    let after = named(graph);
    attributes.retain(|path, _| after.contains(path) || !before.contains(path));
}
