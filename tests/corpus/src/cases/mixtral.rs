//! Mixtral: each token goes to two of four experts.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        mixtral: "prefill",
        build: |weights| mixtral::Model::new(&decoder(r#"{ "num_experts_per_tok": 2, "num_local_experts": 4 }"#)?, weights),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
