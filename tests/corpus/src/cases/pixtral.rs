//! Pixtral: an image by patches, and a prompt.

use super::prelude::*;

const IMAGE: &str = r#"{
    "hidden_size": 24, "num_channels": 3, "image_size": 32, "patch_size": 8, "rope_theta": 10000.0,
    "intermediate_size": 40, "num_hidden_layers": 2, "head_dim": 8, "num_attention_heads": 3, "hidden_act": "silu"
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            pixtral: "image",
            build: |weights| pixtral::Model::new(&pixtral::Config {
                projector_hidden_act: candle_nn::Activation::Gelu,
                text_config: decoder("{}")?,
                vision_config: config(IMAGE)?,
                image_token_index: 10,
                image_seq_length: 4,
            }, weights),
            inputs: |at| Ok([at.uniform((1, 3, 16, 24))?]),
            call: |model, x| model.encode_image(&x[0]),
        },
        case! {
            pixtral: "prompt",
            build: |weights| pixtral::Model::new(
                &pixtral::Config {
                    projector_hidden_act: candle_nn::Activation::Gelu,
                    text_config: decoder("{}")?,
                    vision_config: config(IMAGE)?,
                    image_token_index: 10,
                    image_seq_length: 4,
                },
                weights,
            ),
            inputs: |at| Ok([at.tokens()?]),
            call: |model, x| model.lm_forward(&x[0]),
        },
    ]
}
