//! Mistral of quantized matrices, whose weights come by name.

use super::prelude::*;
use crate::gguf::quantized;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        quantized_mistral: "prefill",
        build: |_| quantized(|weights| {
            quantized_mistral::Model::new(&decoder(r#"{ "sliding_window": 4 }"#)?, weights)
        }),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
