//! [`renamed`]: the module with its modules and tensors at other paths: those of a checkpoint.
//!
//! Invariant: the graph computes what it computed, and no two paths become one.

use std::collections::HashMap;

use crate::ir::{ModulePath, ModuleStack, Target};
use crate::module::{Attribute, GraphModule};

use super::error::FolderError;

/// Changes paths; what is inside of a layer or a child graph keeps its name there.
pub(super) fn renamed(module: &mut GraphModule, rename: &dyn Fn(&str) -> String) -> Result<(), FolderError> {
    let mut paths = Paths { rename, known: HashMap::new() };
    let (mut moved, mut taken) = (HashMap::new(), HashMap::<ModulePath, ModulePath>::new());
    for (path, _) in module.attributes().iter() {
        // A model that is one tensor or layer may have a name in the checkpoint; one that is a module has its parts there.
        let name = if path.is_root() { ModulePath::new(rename("").trim_matches('.')) } else { paths.of(path) };
        if let Some(other) = taken.insert(name.clone(), path.clone()) {
            return Err(FolderError::Renamed { path: path.clone(), other, name });
        }
        moved.insert(path.clone(), name);
    }
    let attributes = module.attributes_mut();
    // All are taken out before one is put where another was.
    let each: Vec<(ModulePath, Attribute)> = taken
        .into_iter()
        .filter(|(name, path)| name != path)
        .filter_map(|(name, path)| Some((name, attributes.remove(&path)?)))
        .collect();
    each.into_iter().for_each(|(name, attribute)| drop(attributes.insert(name, attribute)));
    let held = |path: &ModulePath| {
        let (mut at, mut inside) = (path.clone(), Vec::new());
        loop {
            if let Some(name) = moved.get(&at) {
                return inside.iter().rev().fold(name.clone(), |name, segment: &String| name.child(segment));
            }
            let (Some(around), Some(last)) = (at.parent(), at.last()) else { return path.clone() };
            inside.push(last.to_owned());
            at = around;
        }
    };
    let graph = module.graph_mut();
    let nodes: Vec<_> = graph.nodes().map(|(id, _)| id).collect();
    for id in nodes {
        let node = graph.node(id);
        let target = match node.target() {
            Target::GetAttr(path) => Some(Target::GetAttr(held(path))),
            Target::CallModule(path) => Some(Target::CallModule(held(path))),
            _ => None,
        };
        let frames: Vec<_> = node.meta().module.frames().collect();
        let stack = frames.into_iter().rev().fold(ModuleStack::ROOT, |stack, frame| {
            stack.enter(paths.of(&frame.path), frame.type_name.clone(), frame.call)
        });
        graph.meta_mut(id).module = stack;
        if let Some(target) = target {
            // What is called takes the arguments that it took.
            let _ = graph.set_target(id, target);
        }
    }
    Ok(())
}

/// The names of paths, each asked for once.
struct Paths<'r> {
    rename: &'r dyn Fn(&str) -> String,
    known: HashMap<ModulePath, ModulePath>,
}

impl Paths<'_> {
    fn of(&mut self, path: &ModulePath) -> ModulePath {
        if path.is_root() {
            return path.clone();
        }
        self.known.entry(path.clone()).or_insert_with(|| ModulePath::new((self.rename)(path.as_str()))).clone()
    }
}
