//! MMDiT of Stable Diffusion 3: joint attention of an image and a text, modulated by layers in a row.

use candle_nn::VarBuilder;

use super::prelude::*;

/// The configuration of the module in scope, which is the original's or the copy's.
macro_rules! small {
    () => {
        &mmdit::model::Config {
            patch_size: 2,
            in_channels: 4,
            out_channels: 4,
            depth: 2,
            head_size: 8,
            adm_in_channels: 24,
            pos_embed_max_size: 8,
            context_embed_size: 24,
            frequency_embedding_size: 16,
        }
    };
}

pub(super) fn cases() -> Vec<Case> {
    vec![built! {
        mmdit: "denoiser",
        weights: |weights: VarBuilder<'static>| weights.to_dtype(DType::F16),
        build: |weights| mmdit::model::MMDiT::new(small!(), false, weights),
        twin: |weights| fx::Symbolic::<mmdit::model::MMDiT>::new(small!(), false, weights),
        inputs: |at| Ok([
            at.uniform((at.batch, 4, 8, 8))?.to_dtype(DType::F16)?,
            at.uniform(at.batch)?,
            at.uniform((at.batch, 24))?.to_dtype(DType::F16)?,
            at.uniform((at.batch, at.seq, 24))?.to_dtype(DType::F16)?,
        ]),
        call: |model, x| model.forward(&x[0], &x[1], &x[2], &x[3], None),
    }]
}
