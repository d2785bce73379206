//! MMDiT of Stable Diffusion 3: joint attention of an image and a text.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        mmdit: "denoiser",
        build: |weights| {
            let config = mmdit::model::Config {
                patch_size: 2,
                in_channels: 4,
                out_channels: 4,
                depth: 2,
                head_size: 8,
                adm_in_channels: 24,
                pos_embed_max_size: 8,
                context_embed_size: 24,
                frequency_embedding_size: 16,
            };
            mmdit::model::MMDiT::new(&config, false, weights.to_dtype(DType::F16))
        },
        inputs: |at| Ok([
            at.uniform((at.batch, 4, 8, 8))?.to_dtype(DType::F16)?,
            at.uniform(at.batch)?,
            at.uniform((at.batch, 24))?.to_dtype(DType::F16)?,
            at.uniform((at.batch, at.seq, 24))?.to_dtype(DType::F16)?,
        ]),
        call: |model, x| model.forward(&x[0], &x[1], &x[2], &x[3], None),
    }]
}
