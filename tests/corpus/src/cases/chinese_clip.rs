//! Chinese CLIP: images and texts compared, the text by a BERT.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        chinese_clip: "image and text",
        build: |weights| {
            let config = chinese_clip::ChineseClipConfig {
                text_config: chinese_clip::text_model::ChineseClipTextConfig {
                    vocab_size: 60,
                    hidden_size: 32,
                    num_hidden_layers: 2,
                    num_attention_heads: 4,
                    intermediate_size: 48,
                    max_position_embeddings: 16,
                    ..chinese_clip::text_model::ChineseClipTextConfig::clip_vit_base_patch16()
                },
                vision_config: chinese_clip::vision_model::ChineseClipVisionConfig {
                    hidden_size: 24,
                    intermediate_size: 40,
                    projection_dim: 16,
                    num_hidden_layers: 2,
                    num_attention_heads: 3,
                    image_size: 32,
                    patch_size: 8,
                    ..chinese_clip::vision_model::ChineseClipVisionConfig::clip_vit_base_patch16()
                },
                projection_dim: 16,
                image_size: 32,
                ..chinese_clip::ChineseClipConfig::clip_vit_base_patch16()
            };
            chinese_clip::ChineseClipModel::new(weights, &config)
        },
        inputs: |at| Ok([at.uniform((at.batch, 3, 32, 32))?, at.tokens()?]),
        call: |model, x| model.forward(&x[0], &x[1], None, None),
    }]
}
