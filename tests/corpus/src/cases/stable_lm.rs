//! StableLM: part of each head is rotated.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        stable_lm: "prefill",
        build: |weights| stable_lm::Model::new(&decoder(r#"{ "use_cache": true, "use_qkv_bias": true }"#)?, weights),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
