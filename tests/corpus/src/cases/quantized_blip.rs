//! BLIP of quantized matrices, describing an image.

use super::prelude::*;
use crate::gguf::quantized;

const IMAGE: &str = r#"{
    "hidden_size": 32, "intermediate_size": 64, "projection_dim": 16, "num_hidden_layers": 2, "num_attention_heads": 4,
    "image_size": 32, "patch_size": 8, "hidden_act": "gelu", "layer_norm_eps": 1e-5
}"#;

const TEXT: &str = r#"{
    "vocab_size": 60, "hidden_size": 32, "encoder_hidden_size": 32, "intermediate_size": 64, "projection_dim": 16,
    "num_hidden_layers": 2, "num_attention_heads": 4, "max_position_embeddings": 32, "hidden_act": "gelu",
    "layer_norm_eps": 1e-12, "is_decoder": true
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        quantized_blip: "image and text",
        build: |_| quantized(|weights| {
            let config = quantized_blip::Config {
                text_config: config(TEXT)?,
                vision_config: config(IMAGE)?,
                ..quantized_blip::Config::image_captioning_large()
            };
            quantized_blip::BlipForConditionalGeneration::new(&config, weights)
        }),
        inputs: |at| Ok([at.uniform((1, 3, 32, 32))?, at.ids(60, (1, at.seq))?]),
        call: |model, x| {
            let states = model.vision_model().forward(&x[0])?;
            model.text_decoder().forward(&x[1], &states)
        },
    }]
}
