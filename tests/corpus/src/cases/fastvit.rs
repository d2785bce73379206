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

pub(super) fn cases() -> Vec<Case> {
    vec![built! {
        fastvit: "with attention",
        weights: |weights| lacking(weights, absent),
        build: |weights| fastvit::fastvit(&config(CONFIG)?, 10, weights),
        twin: |weights| fastvit::fastvit(&config(CONFIG)?, 10, weights),
        inputs: |at| Ok([at.uniform((at.batch, 3, 64, 64))?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
