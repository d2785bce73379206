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

pub(super) fn cases() -> Vec<Case> {
    vec![built! {
        hiera: "tiny",
        weights: |weights| lacking(weights, absent),
        build: |weights| hiera::hiera(&config(CONFIG)?, 10, weights),
        twin: |weights| hiera::hiera(&config(CONFIG)?, 10, weights),
        inputs: |at| Ok([at.uniform((1, 3, 224, 224))?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
