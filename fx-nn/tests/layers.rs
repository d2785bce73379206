//! What PyTorch's documentation says of layers, where its cases do not reach: initialisation, texts, training, errors,
//! containers and layers of layers.

#[path = "layers/summary.rs"]
mod summary;

use candle_core::{DType, Device, Module, ModuleT, Result, Tensor};
use candle_nn::{VarBuilder, VarMap};
use fx_core::module::GraphModule;
use fx_core::trace::{self, Proxy, Traceable, Tracer, TracerRules};
use fx_core::value::Value;
use fx_nn::*;

fn vb(vars: &VarMap) -> VarBuilder<'static> {
    VarBuilder::from_varmap(vars, DType::F32, &Device::Cpu)
}

fn ramp(dims: &[usize]) -> Result<Tensor> {
    let count: usize = dims.iter().product();
    Tensor::arange(0f32, count as f32, &Device::Cpu)?.affine(0.1, -1.0)?.reshape(dims)
}

fn largest(x: &Tensor) -> Result<f32> {
    x.abs()?.max_all()?.to_scalar()
}

#[test]
fn texts_are_torch_s() -> Result<()> {
    let vars = VarMap::new();
    let batch = BatchNorm2d::new(3, BatchNormConfig::default(), vb(&vars).pp("a"))?;
    let gru = GRUConfig { num_layers: 2, batch_first: true, bidirectional: true, ..GRUConfig::default() };
    let texts = [
        (
            batch.to_string(),
            "BatchNorm2d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)",
        ),
        (
            GRU::new(3, 4, gru, vb(&vars).pp("b"))?.to_string(),
            "GRU(3, 4, num_layers=2, batch_first=True, bidirectional=True)",
        ),
        (
            MaxPool2d::new(3, MaxPoolConfig::default().padding(1))?.to_string(),
            "MaxPool2d(kernel_size=3, stride=3, padding=1, dilation=1, ceil_mode=False)",
        ),
        (AdaptiveAvgPool2d::new([None, Some(2)]).to_string(), "AdaptiveAvgPool2d(output_size=(None, 2))"),
        (Softmax::new(Some(-1)).to_string(), "Softmax(dim=-1)"),
        (GELU::default().to_string(), "GELU(approximate='none')"),
        (ELU::new(1e-5).to_string(), "ELU(alpha=1e-05)"),
        (ReflectionPad2d::new([(1, 2), (3, 4)]).to_string(), "ReflectionPad2d((1, 2, 3, 4))"),
    ];
    for (found, expected) in texts {
        assert_eq!(found, expected);
    }
    Ok(())
}

#[test]
fn tensors_begin_in_the_documented_bounds() -> Result<()> {
    let vars = VarMap::new();
    Linear::new(16, 64, LinearConfig::default(), vb(&vars).pp("linear"))?;
    Conv2d::new(4, 32, 2, Conv2dConfig::default(), vb(&vars).pp("conv"))?;
    Embedding::new(64, 8, EmbeddingConfig { padding_idx: Some(-1), ..Default::default() }, vb(&vars).pp("table"))?;
    MultiheadAttention::new(16, 2, MultiheadAttentionConfig::default(), vb(&vars).pp("attention"))?;
    let data = vars.data().lock().expect("nobody panicked");
    for (name, bound) in [
        ("linear.weight", 0.25),
        ("linear.bias", 0.25),
        ("conv.weight", 0.25),
        ("conv.bias", 0.25),
        ("attention.in_proj_weight", (6f32 / 64.0).sqrt()),
    ] {
        let found = largest(data[name].as_tensor())?;
        // Of 32 numbers or more, one is in the upper half; the chance that none is, is below one in a billion.
        assert!(found <= bound && found > 0.5 * bound, "{name}: {found} of {bound}");
    }
    assert_eq!(largest(&data["table.weight"].get(63)?)?, 0.0);
    assert!(largest(&data["table.weight"].get(62)?)? > 0.0);
    assert_eq!(largest(data["attention.in_proj_bias"].as_tensor())?, 0.0);
    Ok(())
}

#[test]
fn dropout_keeps_the_mean_in_training_and_drops_whole_channels() -> Result<()> {
    let x = Tensor::ones((4, 64, 16), DType::F32, &Device::Cpu)?;
    let y = Dropout::new(0.5)?.forward_t(&x, true)?;
    let values = y.flatten_all()?.to_vec1::<f32>()?;
    assert!(values.iter().all(|&value| value == 0.0 || value == 2.0));
    assert!((y.mean_all()?.to_scalar::<f32>()? - 1.0).abs() < 0.2);
    for channel in Dropout1d::new(0.5)?.forward_t(&x, true)?.to_vec3::<f32>()?.into_iter().flatten() {
        assert!(channel.iter().all(|&value| value == channel[0]));
    }
    assert_eq!(largest(&Dropout::new(1.0)?.forward_t(&x, true)?)?, 0.0);
    assert!(Dropout::new(1.5).is_err());
    Ok(())
}

#[test]
fn running_statistics_without_momentum_are_averages_of_all_batches() -> Result<()> {
    let config = BatchNormConfig { momentum: None, ..BatchNormConfig::default() };
    let norm = BatchNorm1d::new(1, config, vb(&VarMap::new()))?;
    for batch in [[1f32, 3.0], [5.0, 7.0]] {
        norm.forward_t(&Tensor::new(&batch, &Device::Cpu)?.reshape((2, 1))?, true)?;
    }
    let mean = norm.running_mean().expect("it is tracked").to_vec1::<f32>()?;
    assert_eq!(mean, [4.0]);
    let one = norm.forward_t(&Tensor::zeros((1, 1), DType::F32, &Device::Cpu)?, true).expect_err("one value");
    assert!(one.to_string().contains("more than one value per channel"), "{one}");
    assert_eq!(norm.running_mean().expect("it is tracked").to_vec1::<f32>()?, [4.0]);
    Ok(())
}

#[test]
fn folding_undoes_unfolding_where_windows_do_not_overlap() -> Result<()> {
    let x = ramp(&[2, 3, 6, 8])?;
    let config = FoldConfig::default().stride((3, 2)).dilation(1);
    let columns = Unfold::new((3, 2), config.clone()).forward(&x)?;
    assert_eq!(columns.dims(), [2, 18, 8]);
    let back = Fold::new((6, 8), (3, 2), config).forward(&columns)?;
    assert_eq!(largest(&(back - x)?)?, 0.0);
    Ok(())
}

#[test]
fn a_mask_hides_what_it_marks() -> Result<()> {
    let attention = MultiheadAttention::new(8, 2, MultiheadAttentionConfig::default(), vb(&VarMap::new()))?;
    let x = ramp(&[3, 1, 8])?;
    let padding = Tensor::new(&[[0u8, 0, 1]], &Device::Cpu)?;
    let causal = Tensor::new(
        &[[0f32, f32::NEG_INFINITY, f32::NEG_INFINITY], [0.0, 0.0, f32::NEG_INFINITY], [0.0; 3]],
        &Device::Cpu,
    )?;
    let (_, weights) = attention.forward_t(&x, &x, &x, Some(&padding), Some(&causal), true, false)?;
    let weights = weights.squeeze(0)?.to_vec2::<f32>()?;
    for (row, shown) in weights.iter().zip([1, 2, 2]) {
        assert!(row[shown..].iter().all(|&weight| weight == 0.0), "{weights:?}");
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{weights:?}");
    }
    Ok(())
}

#[test]
fn stacks_of_transformer_layers_are_their_layers_in_turn() -> Result<()> {
    let vars = VarMap::new();
    let config = TransformerLayerConfig { dim_feedforward: 16, dropout: 0.0, ..Default::default() };
    let norm = LayerNorm::new(vec![8], LayerNormConfig::default(), vb(&vars).pp("norm"))?;
    let encoder = TransformerEncoder::new(8, 2, 2, &config, Some(norm.clone()), vb(&vars))?;
    let layer = |i: usize| TransformerEncoderLayer::new(8, 2, config.clone(), vb(&vars).pp("layers").pp(i));
    let x = ramp(&[5, 2, 8])?;
    let expected = layer(1)?.forward(&layer(0)?.forward(&x, None, None)?, None, None)?;
    let memory = encoder.forward(&x, None, None)?;
    assert!(largest(&(&memory - norm.forward(&expected)?)?)? < 1e-5);
    let decoder = TransformerDecoder::new(8, 2, 2, &config, None, vb(&vars).pp("decoder"))?;
    assert_eq!(decoder.forward(&ramp(&[3, 2, 8])?, &memory)?.dims(), [3, 2, 8]);
    let module = Tracer::new()
        .input("x", DType::F32, (5, 2, 8))
        .trace_with(&(encoder,), |(encoder,), inputs| encoder.forward(&inputs.tensor("x")?, None, None))
        .expect("it is captured");
    assert!(module.graph().to_string().contains("f32[5, 2, 8]"), "{}", module.graph());
    Ok(())
}

#[test]
fn containers_are_entered_and_keep_torch_s_names() -> Result<()> {
    let vars = VarMap::new();
    let linear = |from, to, name: &str| Linear::new(from, to, LinearConfig::default(), vb(&vars).pp(name));
    let blocks = Sequential::new()
        .push(linear(4, 4, "0")?)
        .add("norm", BatchNorm1d::new(4, BatchNormConfig::default(), vb(&vars).pp("norm"))?)
        .push(Sequential::new().push(ReLU::new()));
    let list: ModuleList<Linear> = [linear(4, 3, "a")?, linear(3, 2, "b")?].into_iter().collect();
    let dict: ModuleDict<Linear> = [("last", linear(2, 1, "c")?)].into_iter().collect();
    let model = (blocks, list, dict);
    let x = ramp(&[2, 4])?;
    let module = Tracer::new()
        .trace_with(&model, |(blocks, list, dict), inputs| {
            let mut x = blocks.forward(&inputs.tensor("x")?)?;
            for layer in &*list {
                x = layer.forward(&x)?;
            }
            dict["last"].forward(&x)
        })
        .expect("it is captured");
    let targets: Vec<String> = module.graph().nodes().map(|(_, node)| node.target().to_string()).collect();
    assert_eq!(targets, ["x", "0.0", "0.norm", "0.2.0", "1.0", "1.1", "2.last", "output"]);
    let (blocks, list, dict) = &model;
    let expected = dict["last"].forward(&list[1].forward(&list[0].forward(&blocks.forward(&x)?)?)?)?;
    assert_eq!(largest(&(module.forward(&[&x]).expect("it runs") - expected)?)?, 0.0);
    assert_eq!(largest(&(Sequential::new().forward(&x)? - &x)?)?, 0.0);
    Ok(())
}

#[test]
fn containers_print_what_is_inside() -> Result<()> {
    let vars = VarMap::new();
    let linear = |name: &str| Linear::new(4, 4, LinearConfig { bias: false }, vb(&vars).pp(name));
    let batch = BatchNorm1d::new(4, BatchNormConfig::default(), vb(&vars).pp("norm"))?;
    let inner = Sequential::new().push(linear("0")?).push(batch).push(candle_nn::Activation::Relu);
    let inner = inner.push(Sequential::new()).push(Dropout::new(0.5)?);
    let blocks = Sequential::new().add("block", inner).add("last", linear("last")?);
    let list: ModuleList<Sequential> = [blocks.clone(), blocks].into_iter().collect();
    let dict: ModuleDict<ModuleList<Sequential>> = [("list", list)].into_iter().collect();
    insta::assert_snapshot!("texts_of_containers", dict);
    Ok(())
}

#[test]
fn flatten_is_a_function_of_the_graph_and_a_method_of_its_source() -> Result<()> {
    let tracer = Tracer::new().input("x", DType::F32, (2, 3, 4));
    let module = tracer.trace_fn(|inputs| flatten(&inputs.tensor("x")?, 1, -1)).expect("it is captured");
    insta::assert_snapshot!("flatten", format!("{}\n{}", module.graph(), module.code()));
    let x = ramp(&[2, 3, 4])?;
    let found = module.forward(&[&x]).expect("it runs");
    assert_eq!(largest(&(found - flatten(&x, 1, -1)?)?)?, 0.0);
    assert!(flatten(&x, 1, 3).is_err());
    Ok(())
}

/// Enters layers of these types.
struct Entering(&'static [&'static str]);

impl TracerRules for Entering {
    fn is_leaf_layer(&self, type_name: &str, _: &str) -> bool {
        !self.0.contains(&type_name)
    }
}

fn targets(module: &GraphModule) -> Vec<String> {
    module.graph().nodes().map(|(_, node)| node.target().to_string()).collect()
}

#[test]
fn what_is_inside_of_an_entered_layer_has_torch_s_names_and_rules_of_its_own() {
    let config = TransformerConfig {
        d_model: 8,
        nhead: 2,
        num_encoder_layers: 2,
        num_decoder_layers: 1,
        dim_feedforward: 16,
        ..Default::default()
    };
    let model = Transformer::new(config, vb(&VarMap::new())).expect("its sizes fit");
    let capture = |entered: &'static [&'static str]| {
        let tracer = Tracer::new().with(Entering(entered));
        let tracer = tracer.input("src", DType::F32, (5, 2, 8)).input("tgt", DType::F32, (3, 2, 8));
        tracer
            .trace_with(&(model.clone(),), |(model,), inputs| {
                model.forward(&inputs.tensor("src")?, &inputs.tensor("tgt")?)
            })
            .expect("it is captured")
    };
    assert_eq!(targets(&capture(&["nn.Transformer"])), ["src", "tgt", "0.encoder", "0.decoder", "output"]);
    let layers = capture(&["nn.Transformer", "nn.TransformerEncoder", "nn.TransformerEncoderLayer"]);
    // Without lines of the layers' own source.
    let graph = layers.graph().to_string();
    let nodes: Vec<&str> = graph.lines().map(|line| line.split("  // ").next().unwrap_or(line).trim_end()).collect();
    insta::assert_snapshot!("entered", nodes.join("\n"));
    let everything = capture(&[
        "nn.Transformer",
        "nn.TransformerEncoder",
        "nn.TransformerDecoder",
        "nn.TransformerEncoderLayer",
        "nn.TransformerDecoderLayer",
        "nn.MultiheadAttention",
        "nn.Linear",
        "nn.LayerNorm",
        "nn.Dropout",
    ]);
    let stacks: Vec<String> =
        everything.graph().nodes().map(|(_, node)| node.meta().module.path().to_string()).collect();
    for path in [
        "0.encoder.layers.1.self_attn",
        "0.decoder.layers.0.multihead_attn",
        "0.encoder.norm",
        "0.decoder.layers.0.linear2",
    ] {
        assert!(stacks.iter().any(|stack| stack == path), "{path} is not in {stacks:?}");
    }
}

#[test]
fn running_statistics_are_state_of_a_graph_that_entered_their_layers() -> Result<()> {
    let vars = VarMap::new();
    let norm = |name: &str| BatchNorm1d::new(4, BatchNormConfig::default(), vb(&vars).pp(name));
    let blocks = Sequential::new().add("first", norm("first")?).push(ReLU::new()).add("last", norm("last")?);
    let x = ramp(&[3, 4])?;
    let whole = Tracer::new().trace_with(&(blocks.clone(),), |(blocks,), inputs| {
        trace::ModuleT::forward_t(blocks, &inputs.tensor("x")?, true)
    });
    let whole = whole.expect("it is captured");
    let entered = Tracer::new().with(Entering(&["nn.BatchNorm1d"])).input("x", DType::F32, (3, 4));
    let entered = entered.trace_with(&(blocks.clone(),), |(blocks,), inputs| {
        let x = trace::ModuleT::forward_t(blocks, &inputs.tensor("x")?, true)?;
        // The second call reads what the first one left.
        trace::ModuleT::forward_t(blocks, &x, true)
    });
    let entered = entered.expect("it is captured");
    assert!(whole.state().is_empty());
    let names: Vec<String> = entered.state().iter().map(|(name, _)| name.to_owned()).collect();
    assert_eq!(names.len(), 6, "{names:?}");
    let run = |module: &GraphModule, x: &Tensor| module.forward(&[x]).expect("it runs");
    for _ in 0..2 {
        let expected = run(&whole, &run(&whole, &x));
        assert_eq!(largest(&(run(&entered, &x) - expected)?)?, 0.0);
    }
    for (path, var) in vars.data().lock().expect("nobody panicked").iter() {
        if let Some(Value::Tensor(kept)) = entered.state().get(&format!("0.{path}")) {
            let difference = (kept.to_dtype(DType::F32)? - var.to_dtype(DType::F32)?)?;
            assert_eq!(largest(&difference)?, 0.0, "{path}");
        }
    }
    Ok(())
}

#[test]
fn calls_that_change_a_layer_or_draw_numbers_are_kept() {
    let vars = VarMap::new();
    let bag = EmbeddingBagConfig { max_norm: Some(1.0), ..Default::default() };
    let bag = EmbeddingBag::new(4, 2, bag, vb(&vars).pp("bag")).expect("its sizes fit");
    let norm = BatchNorm1d::new(4, BatchNormConfig::default(), vb(&vars).pp("norm")).expect("its sizes fit");
    for (train, expected) in [(true, 3), (false, 1)] {
        let model = (bag.clone(), norm.clone(), Dropout::default());
        let module = Tracer::new().trace_with(&model, |(bag, norm, dropout), inputs| {
            let x = inputs.tensor("x")?;
            bag.forward(&inputs.tensor("indices")?, None, None)?;
            norm.forward_t(&x, train)?;
            dropout.forward_t(&x, train)?;
            Result::Ok(x)
        });
        let mut module = module.expect("it is captured");
        module.eliminate_dead_code();
        assert_eq!(targets(&module).iter().filter(|target| target.parse::<usize>().is_ok()).count(), expected);
    }
}

#[test]
fn errors_say_what_was_expected() -> Result<()> {
    let vars = VarMap::new();
    let x = ramp(&[2, 3, 4])?;
    let linear = Linear::new(5, 2, LinearConfig::default(), vb(&vars).pp("l"))?;
    let lstm = LSTM::new(5, 2, LSTMConfig::default(), vb(&vars).pp("r"))?;
    let refused = [
        (linear.forward(&x).err(), "Linear: expects 5 features in dimension 2"),
        (lstm.forward(&x, None).err(), "LSTM: expects 5 features in dimension 2"),
        (Flatten::new(2, 1).forward(&x).err(), "the end is before the start"),
        (Flatten::new(0, 3).forward(&x).err(), "dimension 3 should be in -3..3"),
        (PixelShuffle::new(2)?.forward(&x).err(), "PixelShuffle: 2 channels"),
        (ReflectionPad1d::new(4).forward(&x).err(), "at most 3 for an axis of 4"),
        (GLU::default().forward(&ramp(&[3])?).err(), "should be even"),
        (MaxPool1d::new(3, MaxPoolConfig::default().padding(2)).err(), "at most half of the kernel size"),
        (GroupNorm::new(2, 3, GroupNormConfig::default(), vb(&vars)).err(), "2 groups should divide 3 channels"),
        (Upsample::new(UpsampleConfig::default()).err(), "either a size or a scale factor"),
        (
            MSELoss::new(MSELossConfig::default().reduction(Reduction::BatchMean)).forward(&x, &x).err(),
            "`none`, `mean` or `sum`",
        ),
    ];
    for (error, expected) in refused {
        let error = error.map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(expected), "`{error}` does not say `{expected}`");
    }
    Ok(())
}
