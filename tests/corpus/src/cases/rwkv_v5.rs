//! RWKV 5: reading one token, with its state as a `&mut` parameter.

use super::prelude::*;

const CONFIG: &str = r#"{
    "vocab_size": 60, "hidden_size": 32, "num_hidden_layers": 2, "attention_hidden_size": 32, "num_attention_heads": 8,
    "head_size": 8, "intermediate_size": 48, "layer_norm_epsilon": 1e-5, "rescale_every": 6
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        rwkv_v5: "one token",
        build: |weights| {
            let config = config(CONFIG)?;
            let state = rwkv_v5::State::new(1, &config, &Device::Cpu)?;
            Ok((rwkv_v5::Model::new(&config, weights)?, state))
        },
        inputs: |at| Ok([at.ids(60, (1, 1))?]),
        call: |model, x| model.0.forward(&x[0], &mut model.1),
    }]
}
