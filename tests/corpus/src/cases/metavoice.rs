//! MetaVoice: the transformer of tokens, and the one of all codebooks at once.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            metavoice: "tokens",
            build: |weights| {
                let config = metavoice::transformer::Config {
                    block_size: 32,
                    vocab_size: 60,
                    n_layer: 2,
                    n_head: 4,
                    dim: 32,
                    speaker_emb_dim: 16,
                    intermediate_size: Some(48),
                    ..metavoice::transformer::Config::cfg1b_v0_1()
                };
                metavoice::transformer::Model::new(&config, weights)
            },
            inputs: |at| Ok([at.tokens()?, at.uniform((2, 1, 16))?]),
            call: |model, x, position| model.forward(&x[0], &x[1], position),
        },
        case! {
            metavoice: "codebooks",
            build: |weights| {
                let config = metavoice::gpt::Config {
                    block_size: 32,
                    vocab_sizes: vec![60, 50],
                    target_vocab_sizes: vec![40, 40],
                    n_layer: 2,
                    n_head: 4,
                    n_embd: 32,
                    ..metavoice::gpt::Config::cfg1b_v0_1()
                };
                metavoice::gpt::Model::new(config, weights)
            },
            inputs: |at| Ok([at.ids(50, (at.batch, 2, at.seq))?]),
            call: |model, x| model.forward(&x[0]),
        },
    ]
}
