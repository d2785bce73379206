//! MobileOne-S0: four branches and more become one convolution, without the attention of the largest.

use super::prelude::*;

/// What such a model has not, and asks for to see.
fn absent(name: &str, _: &[usize]) -> bool {
    name.contains(".attn.")
}

pub(super) fn cases() -> Vec<Case> {
    vec![built! {
        mobileone: "s0",
        weights: |weights| lacking(weights, absent),
        build: |weights| mobileone::mobileone(&mobileone::Config::s0(), 10, weights),
        twin: |weights| mobileone::mobileone(&mobileone::Config::s0(), 10, weights),
        inputs: |at| Ok([at.uniform((at.batch, 3, 64, 64))?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
