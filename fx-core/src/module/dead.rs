//! What calls do besides computing their result, and taking out what a module does not need, in child graphs too.
//!
//! Invariant: a call of a layer counts as what the layer says it does, one of a child graph as what the child does,
//! unlike in torch.fx, where both count as pure. Each child is looked into once.

use std::collections::HashMap;
use std::sync::Arc;

use crate::ir::{Graph, ModulePath, NodeId, Target};
use crate::ops::Effect;

use super::attributes::{Attribute, Attributes};
use super::graph_module::GraphModule;
use super::shared::path_of;

/// What running child graphs does, each looked into once. It holds them, so that none changes meanwhile.
#[derive(Default)]
pub(crate) struct Effects {
    known: HashMap<*const GraphModule, (Arc<GraphModule>, Effect)>,
}

impl Effects {
    /// What a node does besides computing its result. A call of what is not there counts as one that must stay:
    /// whoever checks the module says what is wrong.
    pub(crate) fn of_node(&mut self, graph: &Graph, id: NodeId, attributes: &Attributes) -> Effect {
        let node = graph.node(id);
        match node.target() {
            Target::CallFunction(op) | Target::CallMethod(op) => op.effect,
            Target::Placeholder(_) | Target::Output | Target::GetAttr(_) => Effect::Pure,
            Target::CallModule(path) => match attributes.callee(path) {
                Ok(Attribute::Layer(layer)) => layer.effect(node.args(), node.kwargs()),
                Ok(Attribute::Module(child)) => self.of_child(&child),
                _ => Effect::Changes,
            },
        }
    }

    fn of_child(&mut self, child: &Arc<GraphModule>) -> Effect {
        // From the inside, so that those inside are known, and without recursion.
        let mut pending = vec![(child.clone(), false)];
        while let Some((module, is_inside_known)) = pending.pop() {
            let at = Arc::as_ptr(&module);
            if self.known.contains_key(&at) {
                continue;
            }
            if is_inside_known {
                let effect = self.of_graph(&module);
                self.known.insert(at, (module, effect));
                continue;
            }
            let inner = module.attributes().iter().filter_map(|(_, attribute)| match attribute {
                Attribute::Module(inner) if !self.known.contains_key(&Arc::as_ptr(inner)) => Some(inner.clone()),
                _ => None,
            });
            let inner: Vec<Arc<GraphModule>> = inner.collect();
            pending.push((module, true));
            pending.extend(inner.into_iter().map(|inner| (inner, false)));
        }
        self.known.get(&Arc::as_ptr(child)).map_or(Effect::Changes, |(_, effect)| *effect)
    }

    /// The strongest effect of its nodes.
    fn of_graph(&mut self, module: &GraphModule) -> Effect {
        let mut strongest = Effect::Pure;
        for (id, _) in module.graph().nodes() {
            match self.of_node(module.graph(), id, module.attributes()) {
                Effect::Changes => return Effect::Changes,
                Effect::Random => strongest = Effect::Random,
                Effect::Pure => {}
            }
        }
        strongest
    }
}

/// Whether an unused call that does this stays; random ones do if `impure_random`.
pub(crate) fn stays(effect: Effect, impure_random: bool) -> bool {
    match effect {
        Effect::Pure => false,
        Effect::Random => impure_random,
        Effect::Changes => true,
    }
}

impl GraphModule {
    /// Whether running it does something besides computing its result: a node of it, or of a child graph that it calls,
    /// is impure ([`Graph::is_impure`]), or calls a layer that is ([`LayerModule::effect`](super::LayerModule::effect)).
    ///
    /// A call of something that is not there counts as one that has to stay.
    #[must_use]
    pub fn is_impure(&self, impure_random: bool) -> bool {
        let mut effects = Effects::default();
        stays(effects.of_graph(self), impure_random)
    }

    /// Erases the nodes that neither the outputs nor impure nodes need, in child graphs too
    /// ([`Graph::eliminate_dead_code`]), and returns the paths of the graphs in which there were any, the root for this
    /// one; of a child that has several paths the first. What layers do, they say
    /// ([`LayerModule::effect`](super::LayerModule::effect)). Attributes stay;
    /// [`GraphModule::delete_all_unused_submodules`] takes out what is left over.
    ///
    /// Random calls stay; [`DeadCode`](crate::passes::DeadCode) can take them too. A child graph that others hold is
    /// changed in this module only.
    pub fn eliminate_dead_code(&mut self) -> Vec<ModulePath> {
        let mut effects = Effects::default();
        // Whether it changed, from the inside out, this one last.
        let mut changed = Vec::new();
        self.edit_each(&mut |module| {
            changed.push(module.erase_dead(&mut effects, true));
            changed.last() == Some(&true)
        });
        let mut paths = Vec::new();
        if changed.pop() == Some(true) {
            paths.push(ModulePath::ROOT);
        }
        let held = self.held_graphs();
        let changed = changed.into_iter().rev().enumerate().filter(|(_, changed)| *changed);
        paths.extend(changed.map(|(number, _)| path_of(&held, number)));
        paths
    }

    /// Erases dead nodes of this graph alone, and says whether there were any.
    pub(crate) fn erase_dead(&mut self, effects: &mut Effects, impure_random: bool) -> bool {
        let effects = std::cell::RefCell::new(effects);
        let (graph, attributes) = self.graph_and_attributes();
        graph.eliminate_dead_code(Some(&|graph, id| {
            stays(effects.borrow_mut().of_node(graph, id, attributes), impure_random)
        }))
    }
}
