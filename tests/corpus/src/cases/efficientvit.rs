//! EfficientViT-M0: cascaded attention over parts of the channels.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![built! {
        efficientvit: "m0",
        weights: |weights| weights,
        build: |weights| efficientvit::efficientvit(&efficientvit::Config::m0(), 10, weights),
        twin: |weights| efficientvit::efficientvit(&efficientvit::Config::m0(), 10, weights),
        inputs: |at| Ok([at.uniform((at.batch, 3, 224, 224))?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
