//! Mimi: codes of a sound, and the sound of codes.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            mimi: "encoder",
            build: |weights| {
                let mut config = mimi::Config::v0_1(Some(2));
                config.sample_rate = 100.;
                config.seanet.dimension = 16;
                config.seanet.n_filters = 4;
                config.seanet.ratios = vec![2, 2];
                config.transformer.d_model = 16;
                config.transformer.num_heads = 2;
                config.transformer.num_layers = 1;
                config.transformer.dim_feedforward = 24;
                config.transformer.max_seq_len = 64;
                config.quantizer_bins = 16;
                config.quantizer_dim = 8;
                mimi::Model::new(config, weights)
            },
            inputs: |at| Ok([at.uniform((at.batch, 1, 64))?]),
            call: |model, x| model.encode_pre_quantize(&x[0]),
        },
        case! {
            mimi: "decoder",
            build: |weights| {
                let mut config = mimi::Config::v0_1(Some(2));
                config.sample_rate = 100.;
                config.seanet.dimension = 16;
                config.seanet.n_filters = 4;
                config.seanet.ratios = vec![2, 2];
                config.transformer.d_model = 16;
                config.transformer.num_heads = 2;
                config.transformer.num_layers = 1;
                config.transformer.dim_feedforward = 24;
                config.transformer.max_seq_len = 64;
                config.quantizer_bins = 16;
                config.quantizer_dim = 8;
                mimi::Model::new(config, weights)
            },
            inputs: |at| Ok([at.ids(16, (at.batch, 2, at.seq))?]),
            call: |model, x| model.decode(&x[0]),
        },
    ]
}
