//! EfficientNet-B0 on a small image: convolutions with padding computed from sizes, normalisation by batch.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        efficientnet: "b0",
        build: |weights| efficientnet::EfficientNet::new(weights, efficientnet::MBConvConfig::b0(), 10),
        inputs: |at| Ok([at.uniform((1, 3, 32, 32))?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
