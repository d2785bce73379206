//! Gemma 4: text, and an image in front of it.

use super::prelude::*;

const CONFIG: &str = r#"{
    "text_config": {
        "head_dim": 8, "hidden_size": 32, "intermediate_size": 48, "num_attention_heads": 4, "num_hidden_layers": 2,
        "num_key_value_heads": 2, "vocab_size": 60, "sliding_window": 16, "max_position_embeddings": 32,
        "layer_types": ["sliding_attention", "full_attention"], "global_head_dim": 8
    },
    "vision_config": {
        "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 1, "num_attention_heads": 3,
        "num_key_value_heads": 3, "head_dim": 8, "patch_size": 8, "position_embedding_size": 64,
        "pooling_kernel_size": 2, "default_output_length": 4
    }
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            gemma4: "prefill",
            build: |weights| gemma4::Model::new(&config(CONFIG)?, weights),
            inputs: |at| Ok([at.tokens()?]),
            call: |model, x, position| model.forward(&x[0], position),
        },
        case! {
            gemma4: "image",
            build: |weights| gemma4::Model::new(&config(CONFIG)?, weights),
            inputs: |at| Ok([at.uniform((1, 3, 32, 32))?]),
            call: |model, x| model.vision_tower.forward(&x[..1]),
        },
    ]
}
