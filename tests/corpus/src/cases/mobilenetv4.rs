//! MobileNet-v4, small: blocks chosen by an enum with fields, convolutions that are there or not.

use super::prelude::*;

/// What such a model has not, and asks for to see.
fn absent(_: &str, shape: &[usize]) -> bool {
    shape.contains(&0)
}

pub(super) fn cases() -> Vec<Case> {
    vec![built! {
        mobilenetv4: "small",
        weights: |weights| lacking(weights, absent),
        build: |weights| mobilenetv4::mobilenetv4(&mobilenetv4::Config::small(), 10, weights),
        twin: |weights| mobilenetv4::mobilenetv4(&mobilenetv4::Config::small(), 10, weights),
        inputs: |at| Ok([at.uniform((at.batch, 3, 64, 64))?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
