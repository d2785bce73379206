//! DINOv2 with registers.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        dinov2reg4: "classifier",
        build: |weights| dinov2reg4::DinoVisionTransformer::new(weights, 1, 24, 3),
        inputs: |at| Ok([at.uniform((1, 3, 518, 518))?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
