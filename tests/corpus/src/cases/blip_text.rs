//! The text decoder of BLIP, which attends to an image.

use super::prelude::*;

const TEXT: &str = r#"{
    "vocab_size": 60, "hidden_size": 32, "encoder_hidden_size": 24, "intermediate_size": 48, "projection_dim": 16,
    "num_hidden_layers": 2, "num_attention_heads": 4, "max_position_embeddings": 32, "hidden_act": "gelu",
    "layer_norm_eps": 1e-12, "is_decoder": true
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        blip_text: "decoder",
        build: |weights| blip_text::TextLMHeadModel::new(&config(TEXT)?, weights),
        inputs: |at| Ok([at.ids(60, (1, at.seq))?, at.uniform((1, 5, 24))?]),
        call: |model, x| model.forward(&x[0], &x[1]),
    }]
}
