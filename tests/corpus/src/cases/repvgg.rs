//! RepVGG: three branches become one convolution where the model is built.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![built! {
        repvgg: "a0",
        weights: |weights| weights,
        build: |weights| repvgg::repvgg(&repvgg::Config::a0(), 10, weights),
        twin: |weights| repvgg::repvgg(&repvgg::Config::a0(), 10, weights),
        inputs: |at| Ok([at.uniform((at.batch, 3, 64, 64))?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
