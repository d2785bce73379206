//! Llama reading a prompt: grouped key-value heads, rotary embedding, and a cache as a `&mut` parameter.

use super::prelude::*;

const CONFIG: &str = r#"{
    "hidden_size": 32, "intermediate_size": 48, "vocab_size": 60, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "rms_norm_eps": 1e-5, "max_position_embeddings": 32
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            llama: "prefill",
            build: |weights| {
                let config = config::<llama::LlamaConfig>(CONFIG)?.into_config(false);
                let cache = llama::Cache::new(true, DType::F32, &config, &Device::Cpu)?;
                Ok((llama::Llama::load(weights, &config)?, cache))
            },
            inputs: |at| Ok([at.ids(60, (at.batch, at.seq))?]),
            call: |model, x, position| model.0.forward(&x[0], position, &mut model.1),
        },
        case! {
            llama: "prefill of one token",
            build: |weights| {
                let config = config::<llama::LlamaConfig>(CONFIG)?.into_config(false);
                let cache = llama::Cache::new(true, DType::F32, &config, &Device::Cpu)?;
                Ok((llama::Llama::load(weights, &config)?, cache))
            },
            inputs: |at| Ok([at.ids(60, (at.batch, 1))?]),
            call: |model, x, position| model.0.forward(&x[0], position, &mut model.1),
        },
    ]
}
