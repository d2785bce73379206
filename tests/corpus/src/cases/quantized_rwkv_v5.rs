//! RWKV 5 of quantized matrices: a recurrence, a token at a time.

use super::prelude::*;
use crate::gguf::quantized;

const CONFIG: &str = r#"{
    "vocab_size": 60, "hidden_size": 32, "num_hidden_layers": 2, "attention_hidden_size": 32, "num_attention_heads": 8,
    "head_size": 8, "intermediate_size": 64, "layer_norm_epsilon": 1e-5, "rescale_every": 6
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        quantized_rwkv_v5: "one token",
        build: |_| {
            let config = config(CONFIG)?;
            let state = quantized_rwkv_v5::State::new(2, &config, &Device::Cpu)?;
            Ok((quantized(|weights| quantized_rwkv_v5::Model::new(&config, weights))?, state))
        },
        inputs: |at| Ok([at.ids(60, (2, 1))?]),
        call: |model, x| model.0.forward(&x[0], &mut model.1),
    }]
}
