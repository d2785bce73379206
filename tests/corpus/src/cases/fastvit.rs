//! FastViT with attention in its last stage: branches become one convolution where the model is built.

use super::prelude::*;

const CONFIG: &str =
    r#"{ "exp_ratio": 2, "in_channels": 8, "blocks": [1, 1, 1, 1], "attn": true, "lkc_use_act": false }"#;

/// What such a model has not, and asks for to see.
fn absent(name: &str, _: &[usize]) -> bool {
    let attention = name.contains(".se.") && !name.starts_with("final_conv") && !name.contains(".proj.0.");
    // The branch of kernels of one element, beside a kernel that has only one.
    let scale = name.contains("stem.2.conv_scale") || name.contains(".proj.1.conv_scale");
    attention || scale || name.starts_with("stages.0.downsample")
}

twice! {
    fastvit:
    pub(super) type Model = candle_nn::Func<'static>;

    pub(super) fn build(weights: VarBuilder<'static>) -> Result<Model> {
        fastvit::fastvit(&config(CONFIG)?, 10, without(weights, absent))
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
        use crate::models::fastvit;
        fastvit::fastvit(&config(CONFIG)?, 10, vb)
    })
}
