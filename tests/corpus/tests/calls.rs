//! Models with caches and recurrent states, over several calls: each call by a graph, all on one state.

use std::error::Error;

use candle::{DType, Device, Tensor};
use corpus::models::{dinov2, efficientnet, llama, mamba, qwen2};
use corpus::weights::{ids, uniform, var_builder};
use fx::{State, Tracer, Value};

#[path = "../examples/generate.rs"]
mod generate;

type Checked = Result<(), Box<dyn Error>>;

#[track_caller]
fn assert_same(wanted: &Tensor, found: &Value) {
    let found = found.as_tensor().expect("one tensor");
    let difference = corpus::difference::difference(found, wanted).expect("they can be compared");
    assert_eq!(difference, corpus::difference::Difference::None);
}

#[test]
fn generated_tokens_are_the_original_s() -> Checked {
    let (prefill, decode) = generate::graphs()?;
    assert_eq!(
        prefill.graph().state(),
        [fx::ir::StateSlot { name: "cache.kvs".into(), reads: vec![None::<i64>; 3].into() }]
    );
    let wanted = generate::original()?;
    // The state begins anew.
    for _ in 0..2 {
        assert_eq!(generate::generated(&prefill, &decode)?, wanted);
    }
    Ok(())
}

/// What is written of a model with a cache is one text, however many layers it has, but for their number.
#[test]
fn the_source_of_llama_does_not_grow() -> Checked {
    let sources = |count: usize| -> Result<[String; 2], Box<dyn Error>> {
        let config = generate::CONFIG.replace(r#""num_hidden_layers": 3"#, &format!(r#""num_hidden_layers": {count}"#));
        let (prefill, decode) = generate::graphs_of(&config)?;
        let source = |graph| Ok::<_, Box<dyn Error>>(fx::codegen::Folder::new().write(graph)?.code().to_string());
        let written = [source(&prefill)?, source(&decode)?];
        Ok(written.map(|source| source.replace(&format!("and {} more", count - 1), "and more")))
    };
    let [few, many, most] = [sources(4)?, sources(32)?, sources(57)?];
    for ((few, many), most) in few.iter().zip(&many).zip(&most) {
        assert_eq!(few.lines().count(), many.lines().count());
        // No other number is 57.
        assert_eq!(*many, most.replace("57", "32"));
        assert!(many.contains("for (block, kv) in self.blocks.iter().zip("), "{many}");
    }
    Ok(())
}

#[test]
fn llama_call_by_call() -> Checked {
    use candle_transformers::models::llama as original;
    const CONFIG: &str = r#"{
        "hidden_size": 32, "intermediate_size": 48, "vocab_size": 60, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "rms_norm_eps": 1e-5, "max_position_embeddings": 32
    }"#;
    let config = serde_json::from_str::<original::LlamaConfig>(CONFIG)?.into_config(false);
    let wanted = original::Llama::load(var_builder(1), &config)?;
    let mut wanted_cache = original::Cache::new(true, DType::F32, &config, &Device::Cpu)?;
    let config = serde_json::from_str::<llama::LlamaConfig>(CONFIG)?.into_config(false);
    let model = llama::Llama::load(var_builder(1), &config)?;
    let mut cache = llama::Cache::new(true, DType::F32, &config, &Device::Cpu)?;
    let (mut state, mut index_pos) = (State::new(), 0);
    // The third reads several tokens with something in the cache.
    for len in [5, 1, 3, 1] {
        let x = ids(len as u64, 60, (2, len))?;
        let graph = Tracer::new().with_state(&state).trace_examples(&model, (&x, index_pos, &cache))?;
        if state.is_empty() {
            state = graph.state();
        }
        let found = graph.run_with_state(&mut state, &[Value::from(&x)])?;
        assert_same(&wanted.forward(&x, index_pos, &mut wanted_cache)?, &found);
        model.forward(&x, index_pos, &mut cache)?;
        index_pos += len;
    }
    assert_eq!(state.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["cache.kvs"]);
    Ok(())
}

const QWEN2: &str = r#"{
    "vocab_size": 60, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 32, "sliding_window": 16, "max_window_layers": 2,
    "tie_word_embeddings": false, "rope_theta": 10000.0, "rms_norm_eps": 1e-5, "use_sliding_window": false,
    "hidden_act": "silu"
}"#;

#[test]
fn qwen2_call_by_call_and_at_every_length() -> Checked {
    use candle_transformers::models::qwen2 as original;
    let mut wanted = original::ModelForCausalLM::new(&serde_json::from_str(QWEN2)?, var_builder(1))?;
    let mut model = qwen2::ModelForCausalLM::new(&serde_json::from_str(QWEN2)?, var_builder(1))?;
    let (mut state, mut offset) = (State::new(), 0usize);
    for len in [5, 1, 1] {
        let x = ids(len as u64, 60, (1, len))?;
        let graph = Tracer::new().with_state(&state).trace_examples(&model, (&x, offset))?;
        if state.is_empty() {
            state = graph.state();
        }
        assert_same(&wanted.forward(&x, offset)?, &graph.run_with_state(&mut state, &[Value::from(&x)])?);
        model.forward(&x, offset)?;
        offset += len;
    }
    let caches = "base_model.layers.*.self_attn.kv_cache";
    let graph = Tracer::new()
        .input("input_ids", DType::U32, (1, 1))
        .concrete_arg("seqlen_offset", offset)
        .dynamic_arg("seqlen_offset")
        .dynamic(caches, 2, "past")
        .trace(&model)?;
    for _ in 0..12 {
        let x = ids(offset as u64, 60, (1, 1))?;
        let found = graph.run_with_state(&mut state, &[Value::from(&x), Value::Int(offset as i64)])?;
        assert_same(&wanted.forward(&x, offset)?, &found);
        offset += 1;
    }
    Ok(())
}

#[test]
fn mamba_token_by_token() -> Checked {
    use candle_transformers::models::mamba as original;
    const CONFIG: &str = r#"{ "d_model": 32, "n_layer": 2, "vocab_size": 60, "pad_vocab_size_multiple": 8 }"#;
    let config: original::Config = serde_json::from_str(CONFIG)?;
    let wanted = original::Model::new(&config, var_builder(1).pp("backbone"))?;
    let mut wanted_state = original::State::new(1, &config, DType::F32, &Device::Cpu)?;
    let config: mamba::Config = serde_json::from_str(CONFIG)?;
    let model = mamba::Model::new(&config, var_builder(1).pp("backbone"))?;
    let mut kept = mamba::State::new(1, &config, DType::F32, &Device::Cpu)?;
    let mut state = State::new();
    for token in 0..6 {
        let x = ids(token, 60, 1)?;
        let graph = Tracer::new().with_state(&state).trace_examples(&model, (&x, &kept))?;
        if state.is_empty() {
            state = graph.state();
        }
        assert_same(&wanted.forward(&x, &mut wanted_state)?, &graph.run_with_state(&mut state, &[Value::from(&x)])?);
        model.forward(&x, &mut kept)?;
    }
    let names: Vec<&str> = state.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["state.hs", "state.prev_xs", "state.pos"]);
    assert_eq!(state.get("state.pos"), Some(&Value::Int(6)));
    Ok(())
}

/// A graph of images of one size, run at others: heights and widths.
fn assert_any_size(
    graph: &fx::GraphModule,
    sizes: &[(usize, usize)],
    original: impl Fn(&Tensor) -> candle::Result<Tensor>,
) -> Checked {
    graph.check()?;
    for (seed, (height, width)) in (7..).zip(sizes) {
        let x = uniform(seed, (1, 3, *height, *width))?;
        assert_same(&original(&x)?, &graph.run(&[Value::from(&x)])?);
    }
    Ok(())
}

#[test]
fn images_of_any_size() -> Checked {
    use candle::Module;
    use candle_transformers::models as original;
    let tracer = |height, width| {
        let tracer = Tracer::new().input("xs", DType::F32, (1, 3, height, width));
        tracer.dynamic("xs", 2, "height").dynamic("xs", 3, "width")
    };
    let wanted = original::dinov2::DinoVisionTransformer::new(var_builder(1), 2, 24, 3)?;
    let graph = tracer(28, 42).trace(&dinov2::DinoVisionTransformer::new(var_builder(1), 2, 24, 3)?)?;
    assert_any_size(&graph, &[(28, 42), (42, 28), (14, 70), (56, 14)], |x| wanted.forward(x))?;

    let config = original::efficientnet::MBConvConfig::b0();
    let wanted = original::efficientnet::EfficientNet::new(var_builder(1), config, 10)?;
    let config = efficientnet::MBConvConfig::b0();
    let graph = tracer(32, 40).trace(&efficientnet::EfficientNet::new(var_builder(1), config, 10)?)?;
    assert_any_size(&graph, &[(32, 40), (40, 32), (33, 64), (57, 35)], |x| wanted.forward(x))
}

#[test]
fn llama_from_any_position() -> Checked {
    use candle_transformers::models::llama as original;
    let config = serde_json::from_str::<original::LlamaConfig>(generate::CONFIG)?.into_config(false);
    let wanted = original::Llama::load(var_builder(1), &config)?;
    let mut wanted_cache = original::Cache::new(false, DType::F32, &config, &Device::Cpu)?;
    let config = serde_json::from_str::<llama::LlamaConfig>(generate::CONFIG)?.into_config(false);
    let model = llama::Llama::load(var_builder(1), &config)?;
    let cache = llama::Cache::new(false, DType::F32, &config, &Device::Cpu)?;
    let graph = Tracer::new()
        .input("x", DType::U32, (2, 1))
        .dynamic("x", 0, "batch")
        .concrete_arg("index_pos", 3usize)
        .dynamic_arg("index_pos")
        .concrete_arg("cache", &cache)
        .trace(&model)?;
    for (batch, index_pos) in [(2, 3), (1, 0), (5, 127), (3, 64)] {
        let x = ids(batch as u64, 200, (batch, 1))?;
        let found = graph.run(&[Value::from(&x), Value::Int(index_pos as i64)])?;
        assert_same(&wanted.forward(&x, index_pos, &mut wanted_cache)?, &found);
    }
    // There are 128 positions.
    let x = ids(1, 200, (1, 1))?;
    assert!(graph.run(&[Value::from(&x), Value::Int(128)]).is_err());
    Ok(())
}

#[test]
fn a_compiled_llama_generates_what_the_original_does() -> Checked {
    let config = serde_json::from_str::<llama::LlamaConfig>(generate::CONFIG)?.into_config(false);
    let model = llama::Llama::load(var_builder(1), &config)?;
    let cache = llama::Cache::new(true, DType::F32, &config, &Device::Cpu)?;
    let compiled = fx::compile!((model, cache), |both, x: Tensor, index_pos: usize| {
        both.0.forward(&x, index_pos, &mut both.1)
    });
    let (mut tokens, mut new, mut index_pos) = (generate::PROMPT.to_vec(), generate::PROMPT.to_vec(), 0);
    for _ in 0..generate::STEPS {
        let x = Tensor::new(new.as_slice(), &Device::Cpu)?.unsqueeze(0)?;
        let token = generate::greedy(&compiled.call((x, index_pos))?)?;
        index_pos += new.len();
        tokens.push(token);
        new = vec![token];
    }
    assert_eq!(tokens, generate::original()?);
    let stats = compiled.stats();
    assert!(stats.captures <= 4 && stats.graph_runs >= generate::STEPS - 3, "{stats:?}");
    Ok(())
}
