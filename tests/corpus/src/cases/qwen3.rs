//! Qwen 3: normalised queries and keys, a cache of `candle_nn`.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        qwen3: "prefill",
        build: |weights| qwen3::ModelForCausalLM::new(&decoder("{}")?, weights),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
