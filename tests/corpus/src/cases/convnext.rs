//! ConvNeXt: weights reshaped where the model is built, options that are results.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![built! {
        convnext: "atto",
        weights: |weights| weights,
        build: |weights| convnext::convnext(&convnext::Config::atto(), 10, weights),
        twin: |weights| convnext::convnext(&convnext::Config::atto(), 10, weights),
        inputs: |at| Ok([at.uniform((at.batch, 3, 64, 96))?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
