//! Z-Image: a denoiser with a text, its text encoder, and its decoder of images.

use super::prelude::*;

const CONFIG: &str = r#"{
    "in_channels": 4, "dim": 32, "n_layers": 1, "n_refiner_layers": 1, "n_heads": 2, "n_kv_heads": 2,
    "cap_feat_dim": 24, "axes_dims": [4, 6, 6], "axes_lens": [64, 16, 16], "use_accelerated_attn": false
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            z_image: "denoiser",
            build: |weights| z_image::transformer::ZImageTransformer2DModel::new(&config(CONFIG)?, weights),
            inputs: |at| Ok([
                at.uniform((at.batch, 4, 1, 8, 8))?,
                at.uniform(at.batch)?,
                at.uniform((at.batch, at.seq, 24))?,
                Tensor::ones((at.batch, at.seq), DType::U8, &Device::Cpu)?,
            ]),
            call: |model, x| model.forward(&x[0], &x[1], &x[2], &x[3]),
        },
        case! {
            z_image: "text encoder",
            build: |weights| z_image::text_encoder::ZImageTextEncoder::new(&decoder("{}")?, weights),
            inputs: |at| Ok([at.tokens()?]),
            call: |model, x| model.forward(&x[0]),
        },
        case! {
            z_image: "image decoder",
            build: |weights| {
                let config = config(
                    r#"{ "latent_channels": 4, "block_out_channels": [16, 32], "layers_per_block": 1, "norm_num_groups": 8 }"#,
                )?;
                z_image::vae::AutoEncoderKL::new(&config, weights)
            },
            inputs: |at| Ok([at.uniform((at.batch, 4, 8, 8))?]),
            call: |model, x| model.decode(&x[0]),
        },
    ]
}
