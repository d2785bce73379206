//! What a layer computes, captured by itself: a graph with the layer's tensors as its own.
//!
//! Invariant: the layer is entered, whatever it is part of.

use candle_core::Result;

use crate::module::GraphModule;
use crate::trace::{Proxy, Scope, Traceable, Tracer};
use crate::value::Fact;

use super::layer::Layer;

/// What a layer computes of inputs of which this is known.
pub(super) fn entered<L: Layer>(layer: &L, tensors: &[&Fact]) -> Result<GraphModule> {
    let names: Vec<String> = (0..tensors.len()).map(|i| format!("xs_{i}")).collect();
    let tracer =
        names.iter().zip(tensors).fold(Tracer::new().name(L::NAME), |tracer, (name, fact)| match fact.as_tensor() {
            Some(fact) => tracer.input(name, fact.dtype, fact.dims()),
            None => tracer,
        });
    let captured = tracer.trace_with(&Within(layer.clone()), |within, inputs| {
        let inputs: Vec<Proxy> = names.iter().map(|name| inputs.tensor(name)).collect::<Result<_>>()?;
        within.layer.through_all(&within.scope, &inputs)
    });
    captured.map_err(candle_core::Error::wrap)
}

/// A layer, to be captured as a model is whose tensors are its own.
struct Within<L>(L);

/// The layer, and where its tensors stand.
struct WithinMirror<L> {
    layer: L,
    scope: Scope,
}

impl<L: Layer> Traceable for Within<L> {
    type Symbolic = WithinMirror<L>;

    fn symbolic(&self, scope: &Scope) -> WithinMirror<L> {
        WithinMirror { layer: self.0.clone(), scope: scope.clone() }
    }
}
