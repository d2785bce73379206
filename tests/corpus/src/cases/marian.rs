//! Marian translating: encoder and decoder.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        marian: "encoder and decoder",
        build: |weights| {
            let config = marian::Config {
                vocab_size: 60,
                decoder_vocab_size: Some(60),
                max_position_embeddings: 32,
                encoder_layers: 2,
                encoder_ffn_dim: 48,
                encoder_attention_heads: 4,
                decoder_layers: 2,
                decoder_ffn_dim: 48,
                decoder_attention_heads: 4,
                d_model: 32,
                ..marian::Config::opus_mt_fr_en()
            };
            marian::MTModel::new(&config, weights)
        },
        inputs: |at| Ok([at.tokens()?, at.ids(60, (at.batch, 5))?]),
        call: |model, x, position| {
            let states = model.encoder().forward(&x[0], 0)?;
            model.decode(&x[1], &states, position)
        },
        later: (5, |at| Ok([at.tokens()?, at.ids(60, (at.batch, 1))?])),
    }]
}
