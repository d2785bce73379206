//! RepVGG: three branches become one convolution where the model is built.

use super::prelude::*;

twice! {
    repvgg:
    pub(super) type Model = candle_nn::Func<'static>;

    pub(super) fn build(weights: VarBuilder<'static>) -> Result<Model> {
        repvgg::repvgg(&repvgg::Config::a0(), 10, weights)
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
        use crate::models::repvgg;
        repvgg::repvgg(&repvgg::Config::a0(), 10, vb)
    })
}
