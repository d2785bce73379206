//! StableLM of quantized matrices.

use super::prelude::*;
use crate::gguf::quantized;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        quantized_stable_lm: "prefill",
        build: |_| quantized(|weights| {
            quantized_stable_lm::Model::new(&decoder(r#"{ "use_cache": true, "use_qkv_bias": true }"#)?, weights)
        }),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
