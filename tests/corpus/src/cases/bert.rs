//! BERT with token types, with and without an attention mask.

use super::prelude::*;

const CONFIG: &str = r#"{
    "vocab_size": 60, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40,
    "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "max_position_embeddings": 16, "type_vocab_size": 2,
    "initializer_range": 0.02, "layer_norm_eps": 1e-12, "pad_token_id": 0
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            bert: "token types",
            build: |weights| bert::BertModel::load(weights, &config(CONFIG)?),
            inputs: |at| Ok([at.ids(60, (at.batch, at.seq))?, at.ids(2, (at.batch, at.seq))?]),
            call: |model, x| model.forward(&x[0], &x[1], None),
        },
        case! {
            bert: "token types and mask",
            build: |weights| bert::BertModel::load(weights, &config(CONFIG)?),
            inputs: |at| {
                let ids = |below| at.ids(below, (at.batch, at.seq));
                Ok([ids(60)?, ids(2)?, ids(2)?])
            },
            call: |model, x| model.forward(&x[0], &x[1], Some(&x[2])),
        },
    ]
}
