//! Helium reading a prompt.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        helium: "prefill",
        build: |weights| helium::Model::new(&decoder(r#"{ "mlp_bias": false, "bos_token_id": 1, "eos_token_id": 2 }"#)?, weights),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
