//! What a hidden layer computes, told by its case: a graph takes the place of a layer that shows nobody what it is made of, as
//! a user's pass would do, so that the model can be written as source.
//!
//! Invariant: the graph gives the bits that the layer gave.

use candle::Tensor;
use candle_nn::VarBuilder;
use fx::symbolic::Tensor as Proxy;
use fx::{Argument, Attribute, GraphModule, Inputs, ModulePath, Target, TensorFact, ToOutput, Tracer, Value};

use crate::case::Failure;
use crate::difference::Difference;
use crate::later::Tensors;

/// A layer that is called at one place.
pub struct Hidden {
    /// Its path in the model.
    pub path: String,
    /// What is known of the tensors that it is called on.
    pub facts: Vec<TensorFact>,
    /// Their names.
    names: Vec<&'static str>,
    /// The weights of the model.
    pub weights: VarBuilder<'static>,
}

/// Says what such a layer computes.
pub type Tell = Box<dyn Fn(&Hidden) -> Result<GraphModule, Failure> + Send + Sync>;

impl Hidden {
    /// The graph of these steps. Where sizes differ from run to run, no shape is known.
    ///
    /// # Errors
    ///
    /// Why they cannot be captured.
    pub fn capture<R: ToOutput>(
        &self,
        steps: impl Fn(&Inputs<'_>, &[Proxy]) -> candle::Result<R>,
    ) -> Result<GraphModule, Failure> {
        let is_fixed = self.facts.iter().all(|fact| fact.extents().is_none());
        let known = self.names.iter().zip(&self.facts).filter(|_| is_fixed);
        let tracer = known.fold(Tracer::new(), |tracer, (name, fact)| tracer.input(*name, fact.dtype, fact.dims()));
        let graph = tracer.trace_fn(|given| {
            let inputs: Vec<Proxy> = self.names.iter().map(|name| given.tensor(name)).collect::<candle::Result<_>>()?;
            steps(given, &inputs)
        });
        Ok(graph?)
    }
}

/// Puts what layers of a type compute in their place.
///
/// # Errors
///
/// If that is something else than what they gave of these inputs.
pub(crate) fn tell(
    graph: &mut GraphModule,
    layer: &str,
    weights: &VarBuilder<'static>,
    tell: &Tell,
    inputs: &[Tensor],
) -> Result<(), Failure> {
    let mut hidden: Vec<(ModulePath, Hidden)> = Vec::new();
    for (_, node) in graph.graph().nodes() {
        let Target::CallModule(path) = node.target() else { continue };
        let Some(Attribute::Layer(found)) = graph.attributes().get(path) else { continue };
        if found.type_name() != layer {
            continue;
        }
        // One tensor can be given twice.
        let given =
            node.args().iter().chain(node.kwargs().iter().map(|(_, given)| given)).filter_map(Argument::as_node);
        let facts = given.filter_map(|input| graph.graph().node(input).meta().fact.as_tensor().cloned());
        let names = found.called().parameters().collect();
        let (facts, weights) = (facts.collect(), weights.clone());
        hidden.push((path.clone(), Hidden { path: path.to_string(), facts, names, weights }));
    }
    let run = |graph: &GraphModule| -> Result<Tensors, Failure> {
        let inputs: Vec<Value> = inputs.iter().map(Value::from).collect();
        graph.reset_state();
        Ok(Tensors::of_value(&graph.run(&inputs)?))
    };
    let wanted = run(graph)?;
    for (path, hidden) in &hidden {
        graph.set_attribute(path.clone(), tell(hidden)?);
    }
    match crate::case::differences(&run(graph)?, &wanted)? {
        Difference::None => Ok(()),
        difference => Err(format!("what the case says of {layer} differs by {difference}").into()),
    }
}
