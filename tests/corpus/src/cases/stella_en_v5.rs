//! Stella: a decoder that reads in both directions, pooled.

use super::prelude::*;

const CONFIG: &str = r#"{
    "variant": "Large", "vocab_size": 60, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
    "num_attention_heads": 4, "max_position_embeddings": 32, "rope_theta": 10000.0,
    "embed_head": { "in_features": 32, "out_features": 16 }, "norm_eps": 1e-5, "activation_fn": "silu",
    "num_key_value_heads": 2, "type_vocab_size": 0, "scaling_factor": 0.0
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        stella_en_v5: "large",
        build: |weights| stella_en_v5::EmbeddingModel::new(&config(CONFIG)?, weights.pp("base"), weights.pp("embed")),
        inputs: |at| Ok([at.tokens()?, at.tokens()?.ones_like()?]),
        call: |model, x| model.forward_norm(&x[0], &x[1]),
    }]
}
