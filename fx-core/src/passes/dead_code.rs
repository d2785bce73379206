//! [`DeadCode`]: what nobody needs goes.
//!
//! Invariant: inputs, outputs and calls with effects stay; so do calls of layers that do not tell what they are made
//! of, because what else they do is not known.

use super::held;
use super::pass::{Fuel, Pass, PassFailure};
use crate::ir::{Graph, NodeId, Target};
use crate::module::{Attributes, GraphModule};

/// [`Graph::eliminate_dead_code`] as a pass, which also takes away the layers and tensors that are named no more.
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
        match graph.node(id).target() {
            Target::CallModule(path) => attributes.layer(path).is_ok_and(|layer| layer.state().is_none()),
            _ => graph.is_impure(id, self.keep_random),
        }
    }
}

impl Pass for DeadCode {
    /// All of it is one rewrite.
    fn run(&mut self, module: &mut GraphModule, fuel: &mut Fuel) -> Result<bool, PassFailure> {
        if !fuel.take() {
            return Ok(false);
        }
        let mut attributes = module.attributes().clone();
        let before = held::named(module.graph());
        let held = &attributes;
        let changed =
            module.graph_mut().eliminate_dead_code(Some(&|graph: &Graph, id| self.must_stay(graph, id, held)));
        if changed {
            held::drop_stale(&before, module.graph(), &mut attributes);
            module.set_attributes(attributes);
        }
        Ok(changed)
    }
}
