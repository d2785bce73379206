//! Würstchen: the prior, and the coder of images. Its denoiser has a billion parameters, in every configuration.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            wuerstchen: "prior",
            build: |weights| wuerstchen::prior::WPrior::new(4, 32, 16, 16, 1, 4, false, weights),
            inputs: |at| Ok([at.uniform((at.batch, 4, 8, 8))?, at.uniform(at.batch)?, at.uniform((at.batch, at.seq, 16))?]),
            call: |model, x| model.forward(&x[0], &x[1], &x[2]),
        },
        case! {
            wuerstchen: "image encoder and decoder",
            build: |weights| wuerstchen::paella_vq::PaellaVQ::new(weights),
            inputs: |at| Ok([at.uniform((at.batch, 3, 8, 8))?]),
            call: |model, x| model.forward(&x[0]),
        },
    ]
}
