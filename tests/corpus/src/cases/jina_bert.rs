//! Jina BERT: biases by distance in place of positions, gated perceptron.

use super::prelude::*;

const CONFIG: &str = r#"{
    "vocab_size": 60, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48,
    "hidden_act": "gelu", "max_position_embeddings": 16, "type_vocab_size": 2, "initializer_range": 0.02,
    "layer_norm_eps": 1e-12, "pad_token_id": 0, "position_embedding_type": "alibi"
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        jina_bert: "tokens",
        build: |weights| jina_bert::BertModel::new(weights, &config(CONFIG)?),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
