//! SegFormer: attention over reduced images, a label for each pixel.

use super::prelude::*;

const CONFIG: &str = r#"{
    "num_channels": 3, "num_encoder_blocks": 4, "depths": [1, 1, 1, 1], "sr_ratios": [8, 4, 2, 1],
    "hidden_sizes": [8, 16, 16, 24], "patch_sizes": [7, 3, 3, 3], "strides": [4, 2, 2, 2],
    "num_attention_heads": [1, 2, 2, 3], "mlp_ratios": [2, 2, 2, 2], "hidden_act": "gelu", "layer_norm_eps": 1e-6,
    "decoder_hidden_size": 24
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            segformer: "segmentation",
            build: |weights| segformer::SemanticSegmentationModel::new(&config(CONFIG)?, 5, weights),
            inputs: |at| Ok([at.uniform((at.batch, 3, 64, 64))?]),
            call: |model, x| model.forward(&x[0]),
        },
        case! {
            segformer: "classifier",
            build: |weights| segformer::ImageClassificationModel::new(&config(CONFIG)?, 5, weights),
            inputs: |at| Ok([at.uniform((at.batch, 3, 64, 64))?]),
            call: |model, x| model.forward(&x[0]),
        },
    ]
}
