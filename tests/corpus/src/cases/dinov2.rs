//! DINOv2 on an image whose sides are not those of the position table, which is interpolated.

use super::prelude::*;

twice! {
    dinov2:
    pub(super) type Model = dinov2::DinoVisionTransformer;

    pub(super) fn build(weights: VarBuilder<'static>) -> Result<Model> {
        dinov2::DinoVisionTransformer::new(weights, 2, 24, 3)
    }

    pub(super) fn call(model: &Model, inputs: &[Tensor]) -> Result<Tensor> {
        model.forward(&inputs[0])
    }
}

fn image(seed: u64) -> Result<Vec<Tensor>> {
    Ok(vec![uniform(seed, (1, 3, 28, 42))?])
}

const SIZES: &[&[usize]] = &[&[1, 28, 42], &[1, 42, 28], &[1, 14, 70], &[1, 56, 14]];

fn image_at(seed: u64, sizes: &[usize]) -> Result<Vec<Tensor>> {
    Ok(vec![uniform(seed, (sizes[0], 3, sizes[1], sizes[2]))?])
}

pub(super) fn cases() -> Vec<Case> {
    let family = family();
    vec![
        family.case("interpolated positions", image, |model, inputs| Ok(fx::trace(model, (&inputs[0],))?)),
        family.dynamic("any size", image_at, SIZES, |model| {
            Ok(fx::Tracer::new()
                .input("xs", DType::F32, (1, 3, 28, 42))
                .dynamic("xs", 2, "height")
                .dynamic("xs", 3, "width")
                .trace(model)?)
        }),
        family.case("abstract", image, |model, _| {
            Ok(fx::Tracer::new().input("xs", DType::F32, (1, 3, 28, 42)).trace(model)?)
        }),
    ]
}
