//! Mistral: a sliding window and grouped key-value heads.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        mistral: "prefill",
        build: |weights| mistral::Model::new(&decoder(r#"{ "sliding_window": 4 }"#)?, weights),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
