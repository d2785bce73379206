//! CLIP: images and texts compared.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        clip: "image and text",
        build: |weights| {
            let config = clip::ClipConfig {
                text_config: clip::text_model::ClipTextConfig {
                    vocab_size: 60,
                    embed_dim: 32,
                    intermediate_size: 48,
                    max_position_embeddings: 16,
                    num_hidden_layers: 2,
                    num_attention_heads: 4,
                    projection_dim: 16,
                    ..clip::text_model::ClipTextConfig::vit_base_patch32()
                },
                vision_config: clip::vision_model::ClipVisionConfig {
                    embed_dim: 24,
                    intermediate_size: 40,
                    num_hidden_layers: 2,
                    num_attention_heads: 3,
                    projection_dim: 16,
                    image_size: 32,
                    patch_size: 8,
                    ..clip::vision_model::ClipVisionConfig::vit_base_patch32()
                },
                image_size: 32,
                ..clip::ClipConfig::vit_base_patch32()
            };
            clip::ClipModel::new(weights, &config)
        },
        inputs: |at| Ok([at.uniform((at.batch, 3, 32, 32))?, at.ended()?]),
        call: |model, x| model.forward(&x[0], &x[1]),
    }]
}
