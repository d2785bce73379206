//! Qwen 2 with a language head.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        qwen2: "prefill",
        build: |weights| qwen2::ModelForCausalLM::new(&decoder("{}")?, weights),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
