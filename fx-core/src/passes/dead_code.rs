//! [`DeadCode`]: what nobody needs goes.
//!
//! Invariant: inputs, outputs and calls with effects stay; so do calls of layers that do not tell what they are made
//! of, because what else they do is not known.

use super::held;
use super::pass::{Fuel, Pass, PassFailure};
use crate::ir::{Graph, ModulePath, NodeId, Op, Target};
use crate::module::{Attribute, Attributes, GraphModule};

/// [`Graph::eliminate_dead_code`] as a pass, which also looks into child graphs, and takes away the layers and tensors
/// that are named no more.
///
/// ```
/// use fx_core::passes::{DeadCode, Fuel, Pass, PassFailure};
/// use fx_core::trace::Tracer;
///
/// let mut module = Tracer::new().trace_fn(|inputs| {
///     let x = inputs.tensor("x")?;
///     x.exp()?.tanh()?;
///     x.relu()
/// })?;
/// assert!(DeadCode::new().run(&mut module, &mut Fuel::unlimited())?);
/// assert_eq!(module.graph().len(), 3);
/// # Ok::<(), PassFailure>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct DeadCode {
    keep_random: bool,
}

impl DeadCode {
    /// Takes away everything without effect, random calls included.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether random calls stay: without them those after draw other numbers.
    pub fn keep_random(mut self, keep: bool) -> Self {
        self.keep_random = keep;
        self
    }

    fn must_stay(&self, graph: &Graph, id: NodeId, attributes: &Attributes) -> bool {
        let Target::CallModule(path) = graph.node(id).target() else { return graph.is_impure(id, self.keep_random) };
        match attributes.callee(path) {
            Ok(Attribute::Layer(layer)) => layer.state().is_none(),
            Ok(Attribute::Module(child)) => {
                let graph = child.graph();
                let is_inside = |op: Op| !matches!(op, Op::Placeholder | Op::Output);
                // As deep as graphs can be nested.
                graph.nodes().any(|(id, node)| is_inside(node.op()) && self.must_stay(graph, id, child.attributes()))
            }
            // The module is not correct; whoever checks it says why.
            _ => true,
        }
    }

    /// Recurses as deep as graphs can be nested.
    fn eliminate(&self, module: &mut GraphModule, depth: usize) -> bool {
        let before = held::named(module.graph());
        let attributes = module.attributes().clone();
        let must_stay = |graph: &Graph, id: NodeId| self.must_stay(graph, id, &attributes);
        let mut changed = module.graph_mut().eliminate_dead_code(Some(&must_stay));
        if changed {
            let mut attributes = attributes;
            held::drop_stale(&before, module.graph(), &mut attributes);
            *module.attributes_mut() = attributes;
        }
        if depth < GraphModule::MAX_DEPTH {
            let children: Vec<ModulePath> = module.children().map(|(path, _)| path.clone()).collect();
            for path in children {
                if let Some(child) = module.child_mut(path) {
                    changed |= self.eliminate(child, depth + 1);
                }
            }
        }
        changed
    }
}

impl Pass for DeadCode {
    /// All of it is one rewrite.
    fn run(&mut self, module: &mut GraphModule, fuel: &mut Fuel) -> Result<bool, PassFailure> {
        Ok(fuel.take() && self.eliminate(module, 0))
    }
}
