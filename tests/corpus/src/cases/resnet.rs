//! ResNet-18: blocks are closures that functions build, in loops, of layers and of each other.

use super::prelude::*;

twice! {
    resnet:
    pub(super) type Model = candle_nn::Func<'static>;

    pub(super) fn build(weights: VarBuilder<'static>) -> Result<Model> {
        resnet::resnet18(10, weights)
    }

    pub(super) fn call(model: &Model, inputs: &[Tensor]) -> Result<Tensor> {
        model.forward(&inputs[0])
    }
}

fn image(seed: u64) -> Result<Vec<Tensor>> {
    Ok(vec![uniform(seed, (2, 3, 64, 64))?])
}

pub(super) fn cases() -> Vec<Case> {
    built_cases!(family(), image, var_builder(WEIGHTS), |vb| {
        use crate::models::resnet;
        resnet::resnet18(10, vb)
    })
}
