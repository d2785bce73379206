//! ConvNeXt: weights reshaped where the model is built, options that are results.

use super::prelude::*;

twice! {
    convnext:
    pub(super) type Model = candle_nn::Func<'static>;

    pub(super) fn build(weights: VarBuilder<'static>) -> Result<Model> {
        convnext::convnext(&convnext::Config::atto(), 10, weights)
    }

    pub(super) fn call(model: &Model, inputs: &[Tensor]) -> Result<Tensor> {
        model.forward(&inputs[0])
    }
}

fn image(seed: u64) -> Result<Vec<Tensor>> {
    Ok(vec![uniform(seed, (1, 3, 64, 96))?])
}

pub(super) fn cases() -> Vec<Case> {
    built_cases!(family(), image, var_builder(WEIGHTS), |vb| {
        use crate::models::convnext;
        convnext::convnext(&convnext::Config::atto(), 10, vb)
    })
}
