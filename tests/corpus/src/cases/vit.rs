//! ViT as an image classifier.

use super::prelude::*;

const CONFIG: &str = r#"{
    "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40, "hidden_act": "gelu",
    "layer_norm_eps": 1e-12, "image_size": 32, "patch_size": 8, "num_channels": 3, "qkv_bias": true
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        vit: "classifier",
        build: |weights| vit::Model::new(&config(CONFIG)?, 10, weights),
        inputs: |at| Ok([at.uniform((at.batch, 3, 32, 32))?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
