//! Depth Anything 2 on features of DINOv2.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        depth_anything_v2 with dinov2: "depth",
        build: |weights| {
            let features = dinov2::DinoVisionTransformer::new(weights.pp("pretrained"), 4, 24, 3)?;
            let config = depth_anything_v2::DepthAnythingV2Config::new(
                [4, 4, 8, 8],
                24,
                8,
                false,
                false,
                vec![0, 1, 2, 3],
                56,
                4,
            );
            depth_anything_v2::DepthAnythingV2::new(features.into(), config, weights)
        },
        inputs: |at| Ok([at.uniform((1, 3, 56, 56))?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
