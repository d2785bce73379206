//! SigLIP: images and texts compared by a sigmoid.

use super::prelude::*;

const CONFIG: &str = r#"{
    "text_config": {
        "vocab_size": 60, "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 3,
        "max_position_embeddings": 16
    },
    "vision_config": {
        "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 3, "image_size": 32,
        "patch_size": 8
    }
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        siglip: "image and text",
        build: |weights| siglip::Model::new(&config(CONFIG)?, weights),
        inputs: |at| Ok([at.uniform((at.batch, 3, 32, 32))?, at.ids(60, (at.batch, 16))?]),
        call: |model, x| model.forward(&x[0], &x[1]),
    }]
}
