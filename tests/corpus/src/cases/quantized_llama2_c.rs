//! The small Llama of llama2.c of quantized matrices, with a cache as a `&mut` parameter.

use super::prelude::*;
use crate::gguf::quantized;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        quantized_llama2_c with llama2_c: "prefill",
        build: |weights| {
            let config = || llama2_c::Config {
                dim: 64,
                vocab_size: 60,
                seq_len: 32,
                n_layers: 2,
                ..llama2_c::Config::tiny_260k()
            };
            let cache = llama2_c::Cache::new(true, &config(), weights.pp("rot"))?;
            Ok((quantized(|weights| quantized_llama2_c::QLlama::load(weights, config()))?, cache))
        },
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.0.forward(&x[0], position, &mut model.1),
    }]
}
