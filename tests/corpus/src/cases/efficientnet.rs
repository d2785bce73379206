//! EfficientNet-B0 on a small image: convolutions with padding computed from sizes, normalisation by batch.

use super::prelude::*;

twice! {
    efficientnet:
    pub(super) type Model = efficientnet::EfficientNet;

    pub(super) fn build(weights: VarBuilder<'static>) -> Result<Model> {
        efficientnet::EfficientNet::new(weights, efficientnet::MBConvConfig::b0(), 10)
    }

    pub(super) fn call(model: &Model, inputs: &[Tensor]) -> Result<Tensor> {
        model.forward(&inputs[0])
    }
}

fn image(seed: u64) -> Result<Vec<Tensor>> {
    Ok(vec![uniform(seed, (1, 3, 48, 64))?])
}

pub(super) fn cases() -> Vec<Case> {
    let family = family();
    vec![
        family.case("b0", image, |model, inputs| Ok(fx::trace(model, (&inputs[0],))?)),
        family.case("b0, abstract", image, |model, _| {
            Ok(fx::Tracer::new().input("xs", DType::F32, (1, 3, 48, 64)).trace(model)?)
        }),
    ]
}
