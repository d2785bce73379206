//! Text with graphs: candle-transformers' Llama, tiny and with random weights, reads a prompt by one graph and adds each
//! token by another. Both work on one state, the cache of keys and values; nothing is captured again as it grows.
//!
//! `cargo run --release -p corpus --example generate`

use std::error::Error;
use std::time::Instant;

use candle::{DType, Device, IndexOp, Tensor};
use corpus::models::llama;
use corpus::weights::var_builder;
use fx::{GraphModule, Tracer, Value};

pub(crate) const CONFIG: &str = r#"{
    "hidden_size": 64, "intermediate_size": 96, "vocab_size": 200, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "rms_norm_eps": 1e-5, "max_position_embeddings": 128
}"#;
pub(crate) const PROMPT: [u32; 6] = [7, 100, 3, 42, 42, 9];
pub(crate) const STEPS: usize = 64;

/// The likeliest token after the last.
pub(crate) fn greedy(logits: &Tensor) -> candle::Result<u32> {
    logits.i(0)?.argmax(0)?.to_scalar()
}

/// What candle-transformers itself generates.
pub(crate) fn original() -> Result<Vec<u32>, Box<dyn Error>> {
    use candle_transformers::models::llama;
    let config = serde_json::from_str::<llama::LlamaConfig>(CONFIG)?.into_config(false);
    let model = llama::Llama::load(var_builder(1), &config)?;
    let mut cache = llama::Cache::new(true, DType::F32, &config, &Device::Cpu)?;
    let mut tokens = PROMPT.to_vec();
    let (mut index_pos, mut new) = (0, PROMPT.to_vec());
    for _ in 0..STEPS {
        let x = Tensor::new(new.as_slice(), &Device::Cpu)?.unsqueeze(0)?;
        let token = greedy(&model.forward(&x, index_pos, &mut cache)?)?;
        index_pos += new.len();
        tokens.push(token);
        new = vec![token];
    }
    Ok(tokens)
}

/// Captures the model twice: as it reads a prompt, and as it adds a token. Both graphs share their state.
pub(crate) fn graphs() -> Result<(GraphModule, GraphModule), Box<dyn Error>> {
    graphs_of(CONFIG)
}

/// The same of another size.
pub(crate) fn graphs_of(config: &str) -> Result<(GraphModule, GraphModule), Box<dyn Error>> {
    let config = serde_json::from_str::<llama::LlamaConfig>(config)?.into_config(false);
    let model = llama::Llama::load(var_builder(1), &config)?;
    let mut cache = llama::Cache::new(true, DType::F32, &config, &Device::Cpu)?;
    let prompt = Tensor::new(&PROMPT, &Device::Cpu)?.unsqueeze(0)?;
    let prefill = Tracer::new().name("prefill").trace_examples(&model, (&prompt, 0usize, &cache))?;

    // With something in the cache, the model goes another way.
    model.forward(&prompt, 0, &mut cache)?;
    let mut decode = Tracer::new()
        .name("decode")
        .input("x", DType::U32, (1, 1))
        .concrete_arg("index_pos", PROMPT.len())
        .dynamic_arg("index_pos")
        .concrete_arg("cache", &cache)
        .dynamic("cache.kvs", 2, "past")
        .trace(&model)?;
    decode.share_state(&prefill)?;
    Ok((prefill, decode))
}

/// What the graphs generate.
pub(crate) fn generated(prefill: &GraphModule, decode: &GraphModule) -> Result<Vec<u32>, Box<dyn Error>> {
    prefill.reset_state();
    let mut tokens = PROMPT.to_vec();
    let mut token = greedy(&prefill.forward(&[Tensor::new(&PROMPT, &Device::Cpu)?.unsqueeze(0)?])?)?;
    for index_pos in PROMPT.len().. {
        tokens.push(token);
        if tokens.len() == PROMPT.len() + STEPS {
            break;
        }
        let x = Tensor::new(&[[token]], &Device::Cpu)?;
        let Value::Tensor(logits) = decode.run(&[x.into(), Value::Int(index_pos as i64)])? else {
            return Err("the graph returns one tensor".into());
        };
        token = greedy(&logits)?;
    }
    Ok(tokens)
}

#[allow(dead_code, reason = "a test uses the rest")]
fn main() -> Result<(), Box<dyn Error>> {
    let (prefill, decode) = graphs()?;
    println!("{}\n", decode.graph());
    let start = Instant::now();
    let tokens = generated(&prefill, &decode)?;
    let by_graphs = start.elapsed();
    let start = Instant::now();
    let wanted = original()?;
    println!("{tokens:?}");
    println!("{} tokens by two graphs in {by_graphs:.1?}, by candle-transformers in {:.1?}", STEPS, start.elapsed());
    println!("{}", decode.state());
    assert_eq!(tokens, wanted, "the original generates other tokens");
    Ok(())
}
