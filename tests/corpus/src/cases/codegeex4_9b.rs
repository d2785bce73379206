//! CodeGeeX 4 reading a prompt.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        codegeex4_9b: "prefill",
        build: |weights| {
            let config = codegeex4_9b::Config {
                num_layers: 2,
                padded_vocab_size: 60,
                hidden_size: 32,
                ffn_hidden_size: 48,
                kv_channels: 8,
                num_attention_heads: 4,
                seq_length: 32,
                ..codegeex4_9b::Config::codegeex4()
            };
            codegeex4_9b::Model::new(&config, weights)
        },
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
