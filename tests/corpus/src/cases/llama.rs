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
        let position = inputs.get(1).map_or(Ok(0), |position| position.to_scalar::<u32>())?;
        model.forward(&inputs[0], position as usize, &mut cache.clone())
    }
}

fn prompt(seed: u64) -> Result<Vec<Tensor>> {
    Ok(vec![ids(seed, 60, (2, 7))?])
}

fn token(seed: u64) -> Result<Vec<Tensor>> {
    Ok(vec![ids(seed, 60, (2, 1))?])
}

const PROMPTS: &[&[usize]] = &[&[2, 7], &[1, 2], &[3, 32], &[1, 11], &[4, 3]];
const POSITIONS: &[&[usize]] = &[&[2, 3], &[1, 0], &[3, 31], &[1, 1]];

fn prompt_at(seed: u64, sizes: &[usize]) -> Result<Vec<Tensor>> {
    Ok(vec![ids(seed, 60, (sizes[0], sizes[1]))?])
}

fn token_at(seed: u64, sizes: &[usize]) -> Result<Vec<Tensor>> {
    Ok(vec![ids(seed, 60, (sizes[0], 1))?, Tensor::new(sizes[1] as u32, &Device::Cpu)?])
}

pub(super) fn cases() -> Vec<Case> {
    let family = family();
    vec![
        family.case("prefill", prompt, |(model, cache), inputs| Ok(fx::trace(model, (&inputs[0], 0usize, cache))?)),
        family.case("prefill of one token", token, |(model, cache), inputs| {
            Ok(fx::trace(model, (&inputs[0], 0usize, cache))?)
        }),
        family.dynamic("prefill of any size", prompt_at, PROMPTS, |(model, cache)| {
            Ok(fx::Tracer::new()
                .input("x", DType::U32, (2, 7))
                .concrete_arg("index_pos", 0usize)
                .concrete_arg("cache", cache)
                .dynamic("x", 0, "batch")
                .dynamic("x", 1, "seq")
                .trace(model)?)
        }),
        family.dynamic("any position", token_at, POSITIONS, |(model, cache)| {
            Ok(fx::Tracer::new()
                .input("x", DType::U32, (2, 1))
                .concrete_arg("index_pos", 3usize)
                .concrete_arg("cache", cache)
                .dynamic("x", 0, "batch")
                .dynamic_arg("index_pos")
                .trace(model)?)
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
