//! BEiT: biases by relative position.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        beit: "classifier",
        build: |weights| beit::BeitVisionTransformer::new(weights, 1, 24, 3),
        inputs: |at| Ok([at.uniform((1, 3, 384, 384))?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
