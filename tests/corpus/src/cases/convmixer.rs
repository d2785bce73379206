//! ConvMixer: functions that return `impl Module`, padding computed from sizes.

use super::prelude::*;

twice! {
    convmixer:
    pub(super) type Model = candle_nn::Func<'static>;

    pub(super) fn build(weights: VarBuilder<'static>) -> Result<Model> {
        convmixer::c1024_20(10, weights)
    }

    pub(super) fn call(model: &Model, inputs: &[Tensor]) -> Result<Tensor> {
        model.forward(&inputs[0])
    }
}

fn image(seed: u64) -> Result<Vec<Tensor>> {
    Ok(vec![uniform(seed, (1, 3, 56, 42))?])
}

pub(super) fn cases() -> Vec<Case> {
    built_cases!(family(), image, var_builder(WEIGHTS), |vb| {
        use crate::models::convmixer;
        convmixer::c1024_20(10, vb)
    })
}
