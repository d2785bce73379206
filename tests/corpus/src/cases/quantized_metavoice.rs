//! MetaVoice of quantized matrices: the transformer of tokens.

use super::prelude::*;
use crate::gguf::quantized;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        quantized_metavoice with metavoice: "tokens",
        build: |_| quantized(|weights| {
            let config = metavoice::transformer::Config {
                block_size: 32,
                vocab_size: 60,
                n_layer: 2,
                n_head: 4,
                dim: 32,
                speaker_emb_dim: 32,
                intermediate_size: Some(64),
                ..metavoice::transformer::Config::cfg1b_v0_1()
            };
            quantized_metavoice::transformer::Model::new(&config, weights)
        }),
        inputs: |at| Ok([at.tokens()?, at.uniform((2, 1, 32))?]),
        call: |model, x, position| model.forward(&x[0], &x[1], position),
    }]
}
