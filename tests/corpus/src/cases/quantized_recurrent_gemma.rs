//! RecurrentGemma of quantized matrices: a recurrent layer, then an attention layer.

use super::prelude::*;
use crate::gguf::quantized;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        quantized_recurrent_gemma: "prefill",
        build: |_| quantized(|weights| quantized_recurrent_gemma::Model::new(
            &decoder(
                r#"{ "lru_width": 32, "attention_window_size": 16, "conv1d_width": 4, "logits_soft_cap": 30.0,
                     "intermediate_size": 64, "block_types": ["recurrent", "attention"] }"#,
            )?,
            weights,
        )),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
