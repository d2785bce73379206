//! GLM 4 of 2025: norms on both sides of attention and perceptron.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        glm4_new: "prefill",
        build: |weights| glm4_new::ModelForCausalLM::new(&decoder("{}")?, weights),
        inputs: |at| Ok([at.ids(60, (1, at.seq))?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
