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

const SIZES: &[&[usize]] = &[&[1, 48, 64], &[2, 33, 47], &[3, 64, 40], &[1, 97, 32]];

fn image_at(seed: u64, sizes: &[usize]) -> Result<Vec<Tensor>> {
    Ok(vec![uniform(seed, (sizes[0], 3, sizes[1], sizes[2]))?])
}

pub(super) fn cases() -> Vec<Case> {
    let family = family();
    vec![
        family.case("b0", image, |model, inputs| Ok(fx::trace(model, (&inputs[0],))?)),
        family.dynamic("any size", image_at, SIZES, |model| {
            Ok(fx::Tracer::new()
                .input("xs", DType::F32, (1, 3, 48, 64))
                .dynamic("xs", 0, "batch")
                .dynamic("xs", 2, "height")
                .dynamic("xs", 3, "width")
                .trace(model)?)
        }),
        family.case("b0, abstract", image, |model, _| {
            Ok(fx::Tracer::new().input("xs", DType::F32, (1, 3, 48, 64)).trace(model)?)
        }),
    ]
}
