//! MobileOne-S0: four branches and more become one convolution, without the attention of the largest.

use super::prelude::*;

/// What such a model has not, and asks for to see.
fn absent(name: &str, _: &[usize]) -> bool {
    name.contains(".attn.")
}

twice! {
    mobileone:
    pub(super) type Model = candle_nn::Func<'static>;

    pub(super) fn build(weights: VarBuilder<'static>) -> Result<Model> {
        mobileone::mobileone(&mobileone::Config::s0(), 10, without(weights, absent))
    }

    pub(super) fn call(model: &Model, inputs: &[Tensor]) -> Result<Tensor> {
        model.forward(&inputs[0])
    }
}

fn image(seed: u64) -> Result<Vec<Tensor>> {
    Ok(vec![uniform(seed, (2, 3, 64, 64))?])
}

pub(super) fn cases() -> Vec<Case> {
    built_cases!(family(), image, without(var_builder(WEIGHTS), absent), |vb| {
        use crate::models::mobileone;
        mobileone::mobileone(&mobileone::Config::s0(), 10, vb)
    })
}
