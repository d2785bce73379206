//! DeBERTa 2: attention by content and by distance.

use super::prelude::*;

const CONFIG: &str = r#"{
    "vocab_size": 60, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48,
    "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1,
    "max_position_embeddings": 32, "type_vocab_size": 0, "initializer_range": 0.02, "layer_norm_eps": 1e-7,
    "relative_attention": true, "max_relative_positions": -1, "pad_token_id": 0, "position_biased_input": false,
    "pos_att_type": "p2c|c2p", "position_buckets": 8, "share_att_key": true, "norm_rel_ebd": "layer_norm"
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        debertav2: "states",
        build: |weights| debertav2::DebertaV2Model::load(weights, &config(CONFIG)?),
        inputs: |at| Ok([at.tokens()?, at.tokens()?.ones_like()?]),
        call: |model, x| model.forward(&x[0], None, Some(x[1].clone())),
    }]
}
