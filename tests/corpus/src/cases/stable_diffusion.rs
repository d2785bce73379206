//! Stable Diffusion: denoising of a latent image with a text, and its decoding.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            stable_diffusion: "denoiser",
            build: |weights| {
                let block = |out_channels, use_cross_attn| stable_diffusion::unet_2d::BlockConfig {
                    out_channels,
                    use_cross_attn,
                    attention_head_dim: 4,
                };
                let config = stable_diffusion::unet_2d::UNet2DConditionModelConfig {
                    blocks: vec![block(32, Some(1)), block(64, None)],
                    layers_per_block: 1,
                    norm_num_groups: 8,
                    cross_attention_dim: 24,
                    ..Default::default()
                };
                stable_diffusion::unet_2d::UNet2DConditionModel::new(weights, 4, 4, false, config)
            },
            inputs: |at| Ok([at.uniform((at.batch, 4, 8, 8))?, at.uniform((at.batch, at.seq, 24))?]),
            call: |model, x| model.forward(&x[0], 3.0, &x[1]),
        },
        case! {
            stable_diffusion: "image decoder",
            build: |weights| {
                let config = stable_diffusion::vae::AutoEncoderKLConfig {
                    block_out_channels: vec![16, 32],
                    layers_per_block: 1,
                    latent_channels: 4,
                    norm_num_groups: 8,
                    use_quant_conv: true,
                    use_post_quant_conv: true,
                };
                stable_diffusion::vae::AutoEncoderKL::new(weights, 3, 3, config)
            },
            inputs: |at| Ok([at.uniform((at.batch, 4, 8, 8))?]),
            call: |model, x| model.decode(&x[0]),
        },
    ]
}
