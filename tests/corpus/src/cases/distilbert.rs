//! DistilBERT with a mask per query and key, and the head that turns its states into words.

use super::prelude::*;

const CONFIG: &str = r#"{
    "vocab_size": 60, "dim": 24, "n_layers": 2, "n_heads": 3, "hidden_dim": 40, "activation": "gelu",
    "max_position_embeddings": 16, "initializer_range": 0.02, "pad_token_id": 0, "model_type": "distilbert"
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            distilbert: "mask",
            build: |weights| distilbert::DistilBertModel::load(weights, &config(CONFIG)?),
            inputs: |at| {
                // What is masked is 1. The first key never is: a query that sees nothing has no finite result.
                let mask = at.ids(2, (at.seq, at.seq - 1))?.pad_with_zeros(1, 1, 0)?;
                Ok([at.ids(60, (at.batch, at.seq))?, mask])
            },
            call: |model, x| model.forward(&x[0], &x[1]),
        },
        case! {
            distilbert: "head",
            build: |weights| distilbert::DistilBertOnlyMLMHead::load(weights, &config(CONFIG)?),
            inputs: |at| Ok([at.uniform((at.batch, at.seq, 24))?]),
            call: |model, x| model.forward(&x[0]),
        },
    ]
}
