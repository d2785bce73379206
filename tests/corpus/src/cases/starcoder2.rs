//! StarCoder 2: biases everywhere, a sliding window.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        starcoder2: "prefill",
        build: |weights| starcoder2::Model::new(&decoder(r#"{ "norm_epsilon": 1e-5, "use_bias": true }"#)?, weights),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
