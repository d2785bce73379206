//! PaliGemma: an image in front of a prompt.

use super::prelude::*;

const IMAGE: &str = r#"{
    "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 3, "image_size": 32,
    "patch_size": 8
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        paligemma: "image and prompt",
        build: |weights| {
            let config = paligemma::Config {
                vision_config: config(IMAGE)?,
                text_config: decoder(r#"{ "hidden_activation": null }"#)?,
                projection_dim: 32,
            };
            paligemma::Model::new(&config, weights)
        },
        inputs: |at| Ok([at.uniform((at.batch, 3, 32, 32))?, at.tokens()?]),
        call: |model, x, position| match position {
            0 => model.setup(&x[0], &x[1]),
            _ => model.forward(&x[1]),
        },
    }]
}
