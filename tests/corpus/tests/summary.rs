//! Tables of real models: every number is worked out anew from the configuration.

#[path = "../examples/llama_70b.rs"]
mod llama_70b;

use candle::{DType, Device};
use corpus::models::bert;
use fx::summary::RowKind;
use fx::{GraphModule, Summary};

/// Sizes of a transformer.
struct Sizes {
    width: u64,
    inside: u64,
    vocabulary: u64,
    layers: u64,
    /// How wide keys and values are.
    keys: u64,
    batch: u64,
    length: u64,
}

impl Sizes {
    fn tokens(&self) -> u64 {
        self.batch * self.length
    }

    /// Queries by keys and weights by values, of all heads together.
    fn attention(&self) -> u64 {
        2 * self.batch * self.length * self.length * self.width
    }
}

fn summary(module: &GraphModule) -> Summary {
    let summary = module.summary();
    let totals = summary.totals();
    assert_eq!((totals.unknown_macs, totals.unknown_shapes, totals.untold), (0, 0, 0), "{summary}");
    let rows = summary.rows();
    assert_eq!(rows.iter().filter_map(|row| row.parameters).sum::<u64>(), totals.parameters);
    assert_eq!(rows.iter().filter_map(|row| row.macs).sum::<u64>(), totals.macs);
    assert_eq!((rows[0].depth, rows[0].end), (0, rows.len()));
    summary
}

fn check_llama(config: &str, sizes: &Sizes) {
    let model = llama_70b::model(config).expect("it is built");
    let module = llama_70b::capture(&model, sizes.batch as usize, sizes.length as usize).expect("it is captured");
    let summary = summary(&module);
    let &Sizes { width, inside, vocabulary, layers, keys, batch, .. } = sizes;
    let projections = 2 * width * width + 2 * width * keys + 3 * width * inside;
    let totals = summary.totals();
    assert_eq!(totals.parameters, 2 * vocabulary * width + width + layers * (projections + 2 * width));
    // Of the last layer, only the last token goes on.
    let per_layer = sizes.tokens() * projections + sizes.attention();
    assert_eq!(totals.macs, layers * per_layer + batch * vocabulary * width);
    assert_eq!(totals.parameter_bytes, 2 * totals.parameters);
    assert_eq!(totals.trainable, 0);
    let block = summary.row("blocks.1").expect("a row");
    assert_eq!((block.kind, &*block.type_name, &*block.name), (RowKind::Module, "Block", "blocks.1"));
    assert_eq!(block.output.to_string(), format!("bf16[{}, {}, {width}]", sizes.batch, sizes.length));
}

#[test]
fn llama_is_counted() {
    let config = r#"{
        "hidden_size": 32, "intermediate_size": 48, "vocab_size": 60, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "rms_norm_eps": 1e-5, "max_position_embeddings": 32
    }"#;
    check_llama(config, &Sizes { width: 32, inside: 48, vocabulary: 60, layers: 2, keys: 16, batch: 2, length: 7 });
}

#[test]
fn llama_3_70b_is_counted_to_the_parameter() {
    let sizes =
        Sizes { width: 8192, inside: 28672, vocabulary: 128_256, layers: 80, keys: 1024, batch: 1, length: 128 };
    check_llama(llama_70b::CONFIG, &sizes);
    let model = llama_70b::model(llama_70b::CONFIG).expect("it is built");
    let module = llama_70b::capture(&model, 1, 1).expect("it is captured");
    assert_eq!(module.summary().totals().parameters, 70_553_706_496);
}

#[test]
fn larger_models_are_counted_to_the_parameter() {
    let sizes =
        Sizes { width: 16384, inside: 53248, vocabulary: 128_256, layers: 126, keys: 1024, batch: 1, length: 128 };
    check_llama(llama_70b::CONFIG_405B, &sizes);
    let (width, inside, vocabulary, layers, keys) = (8192, 29568, 152_064, 80, 1024);
    // Queries, keys and values have a bias.
    let attention = 2 * width * width + width + 2 * (width * keys + keys);
    let layer = attention + 3 * width * inside + 2 * width;
    let module = llama_70b::qwen2_72b().expect("it is captured");
    assert_eq!(module.summary().totals().parameters, 2 * vocabulary * width + width + layers * layer);
}

#[test]
fn bert_is_counted() {
    let config = r#"{
        "vocab_size": 60, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40,
        "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "max_position_embeddings": 16, "type_vocab_size": 2,
        "initializer_range": 0.02, "layer_norm_eps": 1e-12, "pad_token_id": 0
    }"#;
    let config = serde_json::from_str::<bert::Config>(config).expect("a configuration");
    let weights = corpus::weights::var_builder(1);
    let model = bert::BertModel::load(weights, &config).expect("it is built");
    let tracer = ["input_ids", "token_type_ids", "attention_mask"]
        .into_iter()
        .fold(fx::Tracer::new(), |tracer, name| tracer.input(name, DType::U32, (2, 7)));
    let module = tracer.trace(&model).expect("it is captured");
    let summary = summary(&module);
    let sizes = Sizes { width: 24, inside: 40, vocabulary: 60, layers: 2, keys: 24, batch: 2, length: 7 };
    let &Sizes { width, inside, vocabulary, layers, .. } = &sizes;
    let norm = 2 * width;
    let layer = 4 * (width * width + width) + (width * inside + inside) + (inside * width + width) + 2 * norm;
    assert_eq!(summary.totals().parameters, (vocabulary + 16 + 2) * width + norm + layers * layer);
    let macs = sizes.tokens() * (4 * width * width + 2 * width * inside) + sizes.attention();
    assert_eq!(summary.totals().macs, layers * macs);
    insta::assert_snapshot!(summary.depth(4));
}

#[test]
fn weights_without_memory_are_those_that_a_model_asks_for() {
    let vb = fx::meta::var_builder(DType::F16, &Device::Cpu);
    let weight = vb.pp("a").get((3, 4), "b").expect("a weight");
    assert_eq!((weight.dims(), weight.dtype(), fx::meta::is_meta(&weight)), (&[3, 4][..], DType::F16, true));
    assert!(vb.get_unchecked("b").unwrap_err().to_string().contains("var_builder_of"));
}
