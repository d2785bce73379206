//! Llama-3-70B without its weights: candle-transformers' own `Llama::load` and `forward`, captured from shapes alone. Then
//! larger and other models: Llama-3.1-405B and Qwen2-72B.
//!
//! `cargo run --release -p corpus --example llama_70b`

use std::time::Instant;

use candle::{DType, Device};
use corpus::models::llama::{Cache, Llama, LlamaConfig};
use corpus::models::qwen2;
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

/// Llama-3.1-405B's `config.json`, but for the scaling of positions beyond its first length.
pub(crate) const CONFIG_405B: &str = r#"{
    "hidden_size": 16384, "intermediate_size": 53248, "vocab_size": 128256, "num_hidden_layers": 126,
    "num_attention_heads": 128, "num_key_value_heads": 8, "rms_norm_eps": 1e-5, "rope_theta": 500000.0,
    "max_position_embeddings": 8192
}"#;

/// Qwen2-72B's `config.json`.
const QWEN2_72B: &str = r#"{
    "vocab_size": 152064, "hidden_size": 8192, "intermediate_size": 29568, "num_hidden_layers": 80,
    "num_attention_heads": 64, "num_key_value_heads": 8, "max_position_embeddings": 32768, "sliding_window": 32768,
    "max_window_layers": 80, "tie_word_embeddings": false, "rope_theta": 1000000.0, "rms_norm_eps": 1e-5,
    "use_sliding_window": false, "hidden_act": "silu"
}"#;

/// Qwen2-72B, captured.
pub(crate) fn qwen2_72b() -> Result<GraphModule, Failure> {
    let weights = fx::meta::var_builder(DType::BF16, &Device::Cpu);
    let model = qwen2::ModelForCausalLM::new(&serde_json::from_str(QWEN2_72B)?, weights)?;
    let tracer = fx::Tracer::new().input("input_ids", DType::U32, (1, 128)).concrete_arg("seqlen_offset", 0usize);
    Ok(tracer.trace(&model)?)
}

/// The most memory that this process has used so far, where the system says it.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("unknown");
    most.trim().to_owned()
}

#[allow(dead_code, reason = "tests use the functions alone")]
fn main() -> Result<(), Failure> {
    for (name, config) in [("Llama-3-70B", CONFIG), ("Llama-3.1-405B", CONFIG_405B)] {
        let start = Instant::now();
        let model = model(config)?;
        let loaded = start.elapsed();
        let start = Instant::now();
        let module = capture(&model, 1, 128)?;
        let captured = start.elapsed();
        if config == CONFIG {
            println!("{}", module.summary().depth(1));
        }
        let (nodes, parameters) = (module.graph().len(), module.summary().totals().parameters);
        println!(
            "{name}: {parameters} parameters, loaded in {loaded:.2?}, captured in {captured:.2?}: {nodes} nodes; memory so far {}",
            memory()
        );
    }
    let start = Instant::now();
    let module = qwen2_72b()?;
    let (nodes, parameters) = (module.graph().len(), module.summary().totals().parameters);
    println!("Qwen2-72B: {parameters} parameters, loaded and captured in {:.2?}: {nodes} nodes", start.elapsed());
    Ok(())
}
