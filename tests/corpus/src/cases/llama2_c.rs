//! The small Llama of llama2.c, with a cache as a `&mut` parameter.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        llama2_c: "prefill",
        build: |weights| {
            let config = llama2_c::Config { vocab_size: 60, seq_len: 32, n_layers: 2, ..llama2_c::Config::tiny_260k() };
            let cache = llama2_c::Cache::new(true, &config, weights.pp("rot"))?;
            Ok((llama2_c::Llama::load(weights, config)?, cache))
        },
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.0.forward(&x[0], position, &mut model.1),
    }]
}
