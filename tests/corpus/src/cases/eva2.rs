//! EVA 2: rotary positions in two dimensions.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        eva2: "classifier",
        build: |weights| eva2::EVA2VisionTransformer::new(weights, 1, 192, 3),
        inputs: |at| Ok([at.uniform((1, 3, 448, 448))?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
