//! MobileCLIP: the texts. The tower of its images is `fastvit`, which has a case of its own.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        mobileclip with fastvit, openclip: "text",
        build: |weights| {
            let config = mobileclip::MobileClipConfig {
                text_config: openclip::text_model::Config {
                    vocab_size: 60,
                    embed_dim: 32,
                    intermediate_size: 48,
                    max_position_embeddings: 16,
                    num_hidden_layers: 2,
                    num_attention_heads: 4,
                    projection_dim: 512,
                    ..openclip::text_model::Config::vit_base_patch32()
                },
                vision_config: fastvit::Config {
                    exp_ratio: 3,
                    in_channels: 64,
                    blocks: [1, 1, 1, 1],
                    attn: false,
                    lkc_use_act: true,
                },
                image_size: 64,
            };
            mobileclip::MobileClipModel::new(without(weights, &["conv_scale"]), &config)
        },
        inputs: |at| {
            let texts = at.ended()?;
            Ok([Tensor::cat(&[at.ids(50, (at.batch, 16 - at.seq))?, texts], 1)?])
        },
        call: |model, x| model.get_text_features(&x[0]),
    }]
}
