//! ViT as an image classifier.

use super::prelude::*;

const CONFIG: &str = r#"{
    "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40, "hidden_act": "gelu",
    "layer_norm_eps": 1e-12, "image_size": 32, "patch_size": 8, "num_channels": 3, "qkv_bias": true
}"#;

twice! {
    vit:
    pub(super) type Model = vit::Model;

    pub(super) fn build(weights: VarBuilder<'static>) -> Result<Model> {
        vit::Model::new(&config(CONFIG)?, 10, weights)
    }

    pub(super) fn call(model: &Model, inputs: &[Tensor]) -> Result<Tensor> {
        model.forward(&inputs[0])
    }
}

fn image(seed: u64) -> Result<Vec<Tensor>> {
    Ok(vec![uniform(seed, (2, 3, 32, 32))?])
}

const SIZES: &[&[usize]] = &[&[2, 32, 32], &[1, 32, 32], &[3, 32, 32], &[7, 32, 32]];

fn image_at(seed: u64, sizes: &[usize]) -> Result<Vec<Tensor>> {
    Ok(vec![uniform(seed, (sizes[0], 3, sizes[1], sizes[2]))?])
}

pub(super) fn cases() -> Vec<Case> {
    let family = family();
    vec![
        family.case("classifier", image, |model, inputs| Ok(fx::trace(model, (&inputs[0],))?)),
        family.dynamic("any size", image_at, SIZES, |model| {
            Ok(fx::Tracer::new().input("xs", DType::F32, (2, 3, 32, 32)).dynamic("xs", 0, "batch").trace(model)?)
        }),
        family.case("abstract", image, |model, _| {
            Ok(fx::Tracer::new().input("xs", DType::F32, (2, 3, 32, 32)).trace(model)?)
        }),
    ]
}
