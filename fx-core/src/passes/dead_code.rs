//! [`DeadCode`]: what nobody needs goes.
//!
//! Invariant: inputs, outputs and calls with effects stay; what calls of layers do, the layers say.

use super::held;
use super::pass::{Fuel, Pass, PassFailure};
use crate::module::GraphModule;
use crate::module::dead::Effects;

/// [`Graph::eliminate_dead_code`](crate::ir::Graph::eliminate_dead_code) as a pass, which also looks into child graphs,
/// and takes away the layers and tensors that are named no more.
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

    /// Of one graph.
    fn eliminate(&self, module: &mut GraphModule, effects: &mut Effects) -> bool {
        let before = held::named(module.graph());
        let changed = module.erase_dead(effects, self.keep_random);
        if changed {
            let mut attributes = module.attributes().clone();
            held::drop_stale(&before, module.graph(), &mut attributes);
            *module.attributes_mut() = attributes;
        }
        changed
    }
}

impl Pass for DeadCode {
    /// All of it is one rewrite.
    fn run(&mut self, module: &mut GraphModule, fuel: &mut Fuel) -> Result<bool, PassFailure> {
        let mut effects = Effects::default();
        Ok(fuel.take() && module.edit_each(&mut |module| self.eliminate(module, &mut effects)))
    }
}
