//! Phi: part of each head is rotated, attention and perceptron run beside each other.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        phi: "prefill",
        build: |weights| phi::Model::new(&decoder(r#"{ "qk_layernorm": false }"#)?, weights),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
