//! Depth Anything 2 on features of DINOv2: a list of layers of which only the trait is known, and layers in a row.

use candle_nn::VarBuilder;

use super::prelude::*;

/// Builds the model in scope, which is the original or the copy.
macro_rules! build {
    ($weights:ident) => {{
        let features = dinov2::DinoVisionTransformer::new($weights.pp("pretrained"), 4, 24, 3)?;
        let (channels, layers) = ([4, 4, 8, 8], vec![0, 1, 2, 3]);
        let config =
            depth_anything_v2::DepthAnythingV2Config::new(channels, 24, 8, false, false, layers, 56, 4);
        depth_anything_v2::DepthAnythingV2::new(features.into(), config, $weights)
    }};
}

pub(super) fn cases() -> Vec<Case> {
    vec![built! {
        depth_anything_v2 with dinov2: "depth",
        weights: |weights| weights,
        build: |weights: VarBuilder<'static>| build!(weights),
        twin: {
            #[fx::module]
            fn twin(weights: VarBuilder<'static>) -> candle::Result<depth_anything_v2::DepthAnythingV2> {
                let features = dinov2::DinoVisionTransformer::new(weights.pp("pretrained"), 4, 24, 3)?;
                let (channels, layers) = ([4, 4, 8, 8], vec![0, 1, 2, 3]);
                let config =
                    depth_anything_v2::DepthAnythingV2Config::new(channels, 24, 8, false, false, layers, 56, 4);
                depth_anything_v2::DepthAnythingV2::new(features.into(), config, weights)
            }
            twin
        },
        inputs: |at| Ok([at.uniform((1, 3, 56, 56))?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
