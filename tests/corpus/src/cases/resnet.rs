//! ResNet-18: blocks are closures that functions build, in loops, of layers and of each other.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![built! {
        resnet: "18",
        weights: |weights| weights,
        build: |weights| resnet::resnet18(10, weights),
        twin: |weights| resnet::resnet18(10, weights),
        inputs: |at| Ok([at.uniform((at.batch, 3, 64, 64))?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
