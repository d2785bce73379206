//! Llama-3-70B without its weights: candle-transformers' own `Llama::load` and `forward`, captured from shapes alone.
//!
//! `cargo run --release -p corpus --example llama_70b`

use std::time::Instant;

use candle::{DType, Device};
use corpus::models::llama::{Cache, Llama, LlamaConfig};
use fx::GraphModule;

type Failure = Box<dyn std::error::Error>;

/// Meta-Llama-3-70B's `config.json`, as far as candle-transformers reads it.
pub(crate) const CONFIG: &str = r#"{
    "hidden_size": 8192, "intermediate_size": 28672, "vocab_size": 128256, "num_hidden_layers": 80,
    "num_attention_heads": 64, "num_key_value_heads": 8, "rms_norm_eps": 1e-5, "rope_theta": 500000.0,
    "max_position_embeddings": 8192
}"#;

/// The model of this configuration, with weights that take no memory, and the state before a prompt.
pub(crate) fn model(config: &str) -> Result<(Llama, Cache), Failure> {
    let config = serde_json::from_str::<LlamaConfig>(config)?.into_config(false);
    let llama = Llama::load(fx::meta::var_builder(DType::BF16, &Device::Cpu), &config)?;
    Ok((llama, Cache::new(true, DType::BF16, &config, &Device::Cpu)?))
}

/// Its graph for prompts of this length.
pub(crate) fn capture((llama, cache): &(Llama, Cache), batch: usize, length: usize) -> Result<GraphModule, Failure> {
    let tracer = fx::Tracer::new().input("x", DType::U32, (batch, length));
    Ok(tracer.concrete_arg("index_pos", 0usize).concrete_arg("cache", cache).trace(llama)?)
}

#[allow(dead_code, reason = "tests use the functions alone")]
fn main() -> Result<(), Failure> {
    let start = Instant::now();
    let model = model(CONFIG)?;
    let loaded = start.elapsed();
    let start = Instant::now();
    let module = capture(&model, 1, 128)?;
    let captured = start.elapsed();
    println!("{}", module.summary().depth(1));
    println!("loaded in {loaded:.2?}, captured in {captured:.2?}: {} nodes", module.graph().len());
    Ok(())
}
