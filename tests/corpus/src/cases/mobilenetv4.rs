//! MobileNet-v4, small: blocks chosen by an enum with fields, convolutions that are there or not.

use super::prelude::*;

/// What such a model has not, and asks for to see.
fn absent(_: &str, shape: &[usize]) -> bool {
    shape.contains(&0)
}

twice! {
    mobilenetv4:
    pub(super) type Model = candle_nn::Func<'static>;

    pub(super) fn build(weights: VarBuilder<'static>) -> Result<Model> {
        mobilenetv4::mobilenetv4(&mobilenetv4::Config::small(), 10, without(weights, absent))
    }

    pub(super) fn call(model: &Model, inputs: &[Tensor]) -> Result<Tensor> {
        model.forward(&inputs[0])
    }
}

fn image(seed: u64) -> Result<Vec<Tensor>> {
    Ok(vec![uniform(seed, (1, 3, 64, 64))?])
}

pub(super) fn cases() -> Vec<Case> {
    built_cases!(family(), image, without(var_builder(WEIGHTS), absent), |vb| {
        use crate::models::mobilenetv4;
        mobilenetv4::mobilenetv4(&mobilenetv4::Config::small(), 10, vb)
    })
}
