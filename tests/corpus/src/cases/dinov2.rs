//! DINOv2 on an image whose sides are not those of the position table, which is interpolated.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        dinov2: "interpolated positions",
        build: |weights| dinov2::DinoVisionTransformer::new(weights, 2, 24, 3),
        inputs: |at| Ok([at.uniform((1, 3, 28, 42))?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
