//! RWKV 7 reading one token, with its state as a `&mut` parameter.

use super::prelude::*;

const CONFIG: &str = r#"{
    "version": "V7", "vocab_size": 60, "hidden_size": 32, "num_hidden_layers": 2, "head_size": 8,
    "intermediate_size": 48, "rescale_every": 0
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        rwkv_v7: "one token",
        build: |weights| {
            let config = config(CONFIG)?;
            let state = rwkv_v7::State::new(&config, &Device::Cpu)?;
            Ok((rwkv_v7::Model::new(&config, weights)?, state))
        },
        inputs: |at| Ok([at.ids(60, (1, 1))?]),
        call: |model, x| model.0.forward(&x[0], &mut model.1, &[1]),
    }]
}
