//! Llama reading a prompt: grouped key-value heads, rotary embedding, and a cache as a `&mut` parameter.

use super::prelude::*;
use candle::Device;

const CONFIG: &str = r#"{
    "hidden_size": 32, "intermediate_size": 48, "vocab_size": 60, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "rms_norm_eps": 1e-5, "max_position_embeddings": 32
}"#;

twice! {
    llama:
    /// With the cache as it is before the prompt: every call starts from a clone of it.
    pub(super) type Model = (llama::Llama, llama::Cache);

    pub(super) fn build(weights: VarBuilder<'static>) -> Result<Model> {
        let config = config::<llama::LlamaConfig>(CONFIG)?.into_config(false);
        let cache = llama::Cache::new(true, DType::F32, &config, &Device::Cpu)?;
        Ok((llama::Llama::load(weights, &config)?, cache))
    }

    pub(super) fn call((model, cache): &Model, inputs: &[Tensor]) -> Result<Tensor> {
        model.forward(&inputs[0], 0, &mut cache.clone())
    }
}

fn prompt(seed: u64) -> Result<Vec<Tensor>> {
    Ok(vec![ids(seed, 60, (2, 7))?])
}

fn token(seed: u64) -> Result<Vec<Tensor>> {
    Ok(vec![ids(seed, 60, (2, 1))?])
}

pub(super) fn cases() -> Vec<Case> {
    let family = family();
    vec![
        family.case("prefill", prompt, |(model, cache), inputs| Ok(fx::trace(model, (&inputs[0], 0usize, cache))?)),
        family.case("prefill of one token", token, |(model, cache), inputs| {
            Ok(fx::trace(model, (&inputs[0], 0usize, cache))?)
        }),
        family.case("prefill, abstract", prompt, |(model, cache), _| {
            Ok(fx::Tracer::new()
                .input("x", DType::U32, (2, 7))
                .concrete_arg("index_pos", 0usize)
                .concrete_arg("cache", cache)
                .trace(model)?)
        }),
    ]
}
