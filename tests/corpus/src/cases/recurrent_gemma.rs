//! RecurrentGemma: a recurrent layer, then an attention layer.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        recurrent_gemma: "prefill",
        build: |weights| recurrent_gemma::Model::new(
            &decoder(
                r#"{ "lru_width": 32, "attention_window_size": 16, "conv1d_width": 4, "logits_soft_cap": 30.0,
                     "block_types": ["recurrent", "attention"] }"#,
            )?,
            weights,
        ),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
