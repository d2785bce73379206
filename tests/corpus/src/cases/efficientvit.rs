//! EfficientViT-M0: cascaded attention over parts of the channels.

use super::prelude::*;

twice! {
    efficientvit:
    pub(super) type Model = candle_nn::Func<'static>;

    pub(super) fn build(weights: VarBuilder<'static>) -> Result<Model> {
        efficientvit::efficientvit(&efficientvit::Config::m0(), 10, weights)
    }

    pub(super) fn call(model: &Model, inputs: &[Tensor]) -> Result<Tensor> {
        model.forward(&inputs[0])
    }
}

fn image(seed: u64) -> Result<Vec<Tensor>> {
    Ok(vec![uniform(seed, (1, 3, 224, 224))?])
}

pub(super) fn cases() -> Vec<Case> {
    built_cases!(family(), image, var_builder(WEIGHTS), |vb| {
        use crate::models::efficientvit;
        efficientvit::efficientvit(&efficientvit::Config::m0(), 10, vb)
    })
}
