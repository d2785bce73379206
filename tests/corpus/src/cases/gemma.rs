//! Gemma reading a prompt.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        gemma: "prefill",
        build: |weights| gemma::Model::new(false, &decoder(r#"{ "hidden_activation": null }"#)?, weights),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
