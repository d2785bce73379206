//! Flux: streams of an image and of a text, and its decoder of images.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            flux: "denoiser",
            build: |weights| {
                let config = flux::model::Config {
                    in_channels: 16,
                    vec_in_dim: 24,
                    context_in_dim: 24,
                    hidden_size: 32,
                    num_heads: 2,
                    depth: 1,
                    depth_single_blocks: 1,
                    axes_dim: vec![4, 6, 6],
                    ..flux::model::Config::dev()
                };
                flux::model::Flux::new(&config, weights)
            },
            inputs: |at| Ok([
                at.uniform((at.batch, 6, 16))?,
                at.ids(4, (at.batch, 6, 3))?.to_dtype(DType::F32)?,
                at.uniform((at.batch, at.seq, 24))?,
                at.ids(1, (at.batch, at.seq, 3))?.to_dtype(DType::F32)?,
                at.uniform(at.batch)?,
                at.uniform((at.batch, 24))?,
                at.uniform(at.batch)?,
            ]),
            call: |model, x| {
                #[allow(unused_imports, reason = "the mirror has the method itself")]
                use flux::WithForward as _;
                model.forward(&x[0], &x[1], &x[2], &x[3], &x[4], &x[5], Some(&x[6]))
            },
        },
        case! {
            flux: "image decoder",
            build: |weights| {
                let config = flux::autoencoder::Config {
                    ch: 32,
                    ch_mult: vec![1, 2],
                    num_res_blocks: 1,
                    z_channels: 4,
                    ..flux::autoencoder::Config::dev()
                };
                flux::autoencoder::AutoEncoder::new(&config, weights)
            },
            inputs: |at| Ok([at.uniform((at.batch, 4, 8, 8))?]),
            call: |model, x| model.decode(&x[0]),
        },
    ]
}
