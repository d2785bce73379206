//! Falcon: one key-value head for all queries.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        falcon: "prefill",
        build: |weights| {
            let config = falcon::Config {
                vocab_size: 60,
                hidden_size: 32,
                num_hidden_layers: 2,
                num_attention_heads: 4,
                ..falcon::Config::falcon7b()
            };
            falcon::Falcon::load(weights, config)
        },
        inputs: |at| Ok([at.ids(60, (1, at.seq))?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
