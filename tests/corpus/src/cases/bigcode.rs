//! StarCoder: one key-value head for all queries, learned positions.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        bigcode: "prefill",
        build: |weights| {
            let config = bigcode::Config {
                vocab_size: 60,
                max_position_embeddings: 32,
                num_hidden_layers: 2,
                hidden_size: 32,
                n_inner: Some(48),
                num_attention_heads: 4,
                ..bigcode::Config::starcoder_1b()
            };
            bigcode::GPTBigCode::load(weights, config)
        },
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
