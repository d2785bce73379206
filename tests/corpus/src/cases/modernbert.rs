//! ModernBERT: every second layer sees its neighbours only.

use super::prelude::*;

const CONFIG: &str = r#"{
    "vocab_size": 60, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48,
    "max_position_embeddings": 32, "layer_norm_eps": 1e-5, "pad_token_id": 0, "global_attn_every_n_layers": 2,
    "global_rope_theta": 160000.0, "local_attention": 4, "local_rope_theta": 10000.0
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        modernbert: "masked language model",
        build: |weights| modernbert::ModernBertForMaskedLM::load(weights, &config(CONFIG)?),
        inputs: |at| Ok([at.tokens()?, at.tokens()?.ones_like()?]),
        call: |model, x| model.forward(&x[0], &x[1]),
    }]
}
