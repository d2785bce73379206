//! Hiera: attention in windows that are unrolled by a closure without weights.

use super::prelude::*;

const CONFIG: &str = r#"{ "channels": 8, "heads": 1, "stages": [1, 1, 1, 2] }"#;

/// What such a model has not, and asks for to see.
fn absent(name: &str, shape: &[usize]) -> bool {
    name.ends_with(".proj.weight")
        && name.starts_with("blocks")
        && !name.contains(".attn.")
        && shape.first() == shape.last()
}

twice! {
    hiera:
    pub(super) type Model = candle_nn::Func<'static>;

    pub(super) fn build(weights: VarBuilder<'static>) -> Result<Model> {
        hiera::hiera(&config(CONFIG)?, 10, without(weights, absent))
    }

    pub(super) fn call(model: &Model, inputs: &[Tensor]) -> Result<Tensor> {
        model.forward(&inputs[0])
    }
}

fn image(seed: u64) -> Result<Vec<Tensor>> {
    Ok(vec![uniform(seed, (1, 3, 224, 224))?])
}

pub(super) fn cases() -> Vec<Case> {
    built_cases!(family(), image, without(var_builder(WEIGHTS), absent), |vb| {
        use crate::models::hiera;
        hiera::hiera(&config(CONFIG)?, 10, vb)
    })
}
