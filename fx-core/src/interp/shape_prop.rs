//! [`ShapeProp`]: the shapes and dtypes that a run has.
//!
//! Invariant: only what was seen is written, and only if the run came to its end.

use crate::ir::NodeId;
use crate::module::GraphModule;
use crate::value::{Fact, Value};

use super::error::RunError;
use super::execution::{Execution, Observer};
use super::interpreter::Running;

/// Writes to each node what its value was in a run: shape and dtype of tensors, part by part of tuples.
///
/// ```
/// use candle_core::{DType, Device, Tensor};
/// use fx_core::{interp::ShapeProp, trace::Tracer};
///
/// let mut module = Tracer::new().trace_fn(|inputs| inputs.tensor("x")?.sqr())?;
/// ShapeProp::propagate(&mut module, &[Tensor::zeros((2, 3), DType::F32, &Device::Cpu)?.into()])?;
/// let sqr = module.graph().node_named("sqr").unwrap();
/// assert_eq!(module.graph().node(sqr).meta().fact.to_string(), "f32[2, 3]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct ShapeProp {
    facts: Vec<(NodeId, Fact)>,
}

impl ShapeProp {
    /// Runs the module on these inputs and writes what was seen; the result.
    ///
    /// # Errors
    /// [`RunError`], as [`GraphModule::run`]; nothing is written then.
    pub fn propagate(module: &mut GraphModule, inputs: &[Value]) -> Result<Value, RunError> {
        let mut seen = Self::default();
        let result = Execution::new(module).observe(&mut seen).run(&mut (), inputs)?;
        let graph = module.graph_mut();
        for (id, fact) in seen.facts {
            graph.meta_mut(id).fact = fact;
        }
        Ok(result)
    }
}

impl Observer for ShapeProp {
    fn after(&mut self, at: Running<'_>, value: &Value) {
        // A fact holds no tensor: it would keep its memory.
        let is_shape = |fact: &Fact| !matches!(fact, Fact::Data(data) if !data.tensors().is_empty());
        let known = &at.node().meta().fact;
        let fact = match at.graph().dynamic() {
            // What follows the sizes says more than what it is for these; and what it is for these is not what it was at
            // the capture.
            Some(_) if known.is_symbolic() && known.holds_of(value, at.sizes()) => return,
            Some(dynamic) if dynamic.sizes.iter().any(|size| at.sizes().get(&size.name) != Some(size.hint)) => {
                if known.holds_of(value, at.sizes()) { return } else { Fact::Unknown }
            }
            _ => Some(Fact::of(value)).filter(is_shape).unwrap_or_default(),
        };
        self.facts.push((at.id(), fact));
    }
}
