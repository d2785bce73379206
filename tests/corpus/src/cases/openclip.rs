//! The text model of OpenCLIP.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            openclip: "text",
            build: |weights| {
                let config = openclip::text_model::Config {
                    vocab_size: 60,
                    embed_dim: 32,
                    intermediate_size: 48,
                    max_position_embeddings: 16,
                    num_hidden_layers: 2,
                    num_attention_heads: 4,
                    projection_dim: 16,
                    ..openclip::text_model::Config::vit_base_patch32()
                };
                openclip::text_model::OpenClipTextTransformer::new(weights, &config)
            },
            inputs: |at| Ok([at.ids(60, (at.batch, 16))?]),
            call: |model, x| model.forward(&x[0]),
        },
        case! {
            openclip: "end of text",
            build: |weights| {
                let config = openclip::text_model::Config {
                    vocab_size: 60,
                    embed_dim: 32,
                    intermediate_size: 48,
                    max_position_embeddings: 16,
                    num_hidden_layers: 2,
                    num_attention_heads: 4,
                    projection_dim: 16,
                    ..openclip::text_model::Config::vit_base_patch32()
                };
                openclip::text_model::OpenClipTextTransformer::new(weights, &config)
            },
            inputs: |at| {
                let texts = at.ended()?;
                Ok([Tensor::cat(&[at.ids(50, (at.batch, 16 - at.seq))?, texts], 1)?])
            },
            call: |model, x| x[0].apply(&*model),
        },
    ]
}
