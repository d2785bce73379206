//! Gemma 2: soft caps on scores and logits, every second layer with a sliding window.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        gemma2: "prefill",
        build: |weights| gemma2::Model::new(false, &decoder(r#"{ "final_logit_softcapping": 30.0, "attn_logit_softcapping": 50.0, "query_pre_attn_scalar": 8, "sliding_window": 4 }"#)?, weights),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
