//! Phi 3: one projection for queries, keys and values.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        phi3: "prefill",
        build: |weights| phi3::Model::new(&decoder(r#"{ "partial_rotary_factor": null }"#)?, weights),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
