//! Models that functions build of closures, weights and each other.

use candle_core::{D, DType, Device, Module, ModuleT, Result, Tensor};
use candle_nn::{
    BatchNorm, Conv2d, Conv2dConfig, Func, FuncT, Linear, VarBuilder, VarMap, batch_norm, conv2d_no_bias, layer_norm,
    linear_no_bias as projection,
};
use fx::{TraceError, Tracer, TracerRules};

use crate::support::{assert_returns, assert_same, other, tensor};

/// Not annotated: it is called with the weights themselves, and the layer it returns is mirrored.
fn conv(channels: usize, to: usize, vb: VarBuilder) -> Result<Conv2d> {
    let config = Conv2dConfig { padding: 1, ..Default::default() };
    conv2d_no_bias(channels, to, 3, config, vb)
}

/// Nothing about tensors.
fn width(channels: usize, by: usize) -> usize {
    channels * by
}

/// No weights: found by its name.
#[fx::module]
fn flatten() -> Result<Func<'static>> {
    Ok(Func::new(|xs| xs.mean(D::Minus1)?.mean(D::Minus1)))
}

#[fx::module]
fn block(channels: usize, residual: bool, vb: VarBuilder) -> Result<Func> {
    let conv = conv(channels, channels, vb.pp("conv"))?;
    let norm = batch_norm(channels, 1e-5, vb.pp("norm"))?;
    Ok(Func::new(move |xs| {
        let ys = xs.apply(&conv)?.apply_t(&norm, false)?.relu()?;
        if residual { ys + xs } else { Ok(ys) }
    }))
}

/// A kernel and its normalisation as one kernel.
#[fx::module]
fn fused(kernel: &Tensor, norm: BatchNorm) -> Result<(Tensor, Tensor)> {
    let (weight, bias) = norm.weight_and_bias().expect("it has both");
    let deviation = (norm.running_var() + norm.eps())?.sqrt();
    let scale = (weight / deviation)?;
    let bias = (bias - norm.running_mean() * &scale)?;
    Ok((kernel.broadcast_mul(&scale.reshape(((), 1, 1, 1))?)?, bias))
}

#[fx::module]
fn reparameterised(channels: usize, vb: VarBuilder) -> Result<Func<'static>> {
    let one = conv(channels, channels, vb.pp("one"))?;
    let (mut kernel, mut bias) = fused(one.weight(), batch_norm(channels, 1e-5, vb.pp("one_norm"))?)?;
    for branch in 0..2 {
        let vb = vb.pp(format!("branches.{branch}"));
        let conv = conv(channels, channels, vb.pp("conv"))?;
        let (more, shift) = fused(conv.weight(), batch_norm(channels, 1e-5, vb.pp("norm"))?)?;
        kernel = (kernel + more)?;
        bias = (bias + shift)?;
    }
    let mut identity = vec![0f32; kernel.elem_count()];
    for channel in 0..channels {
        identity[(channel * channels + channel) * 9 + 4] = 1.0;
    }
    let identity = &Tensor::from_vec(identity, kernel.shape(), kernel.device())?;
    let kernel = (kernel + identity)?;
    let sum = kernel.sum_all()?.to_scalar::<f32>()?;
    let scale = vb.get(channels, "scale")?.reshape((1, (), 1, 1))?;
    let config = Conv2dConfig { padding: 1, ..Default::default() };
    let reparam_conv = Conv2d::new(kernel, Some(bias), config);
    let shift = Tensor::full(f64::from(sum.signum()), (1, channels, 1, 1), vb.device())?.to_dtype(DType::F32)?;
    let absent = vb.get(channels, "not.there");
    Ok(Func::new(move |xs| {
        let mut xs = xs.apply(&reparam_conv)?.broadcast_mul(&scale)?.broadcast_add(&shift)?;
        if let Ok(absent) = &absent {
            xs = xs.broadcast_mul(absent)?;
        }
        Ok(xs)
    }))
}

#[fx::module]
fn head(channels: usize, classes: usize, vb: &VarBuilder) -> Result<impl Module> {
    let norm = layer_norm(channels, 1e-5, vb.pp("norm"))?;
    let classify = projection(channels, classes, vb.pp("fc"))?;
    Ok(candle_nn::func(move |xs| xs.apply(&norm)?.apply(&classify)))
}

#[fx::module]
pub fn network(classes: Option<usize>, vb: VarBuilder<'_>) -> Result<Func<'_>> {
    let stem = conv(3, width(2, 2), vb.pp("stem"))?;
    let inner = vb.pp("blocks");
    let blocks = (0..2).map(|index| block(4, index > 0, inner.pp(index))).collect::<Result<Vec<_>>>()?;
    let middle = reparameterised(4, vb.pp("middle"))?;
    let flatten = flatten()?;
    let head = match classes {
        Some(classes) => Some(head(4, classes, &vb)?),
        None => None,
    };
    Ok(Func::new(move |xs| {
        let mut xs = xs.apply(&stem)?;
        for block in blocks.iter() {
            xs = xs.apply(block)?;
        }
        xs.apply(&middle)?.apply(&flatten)?.apply(&head.as_ref())
    }))
}

fn weights() -> (VarMap, VarBuilder<'static>) {
    let map = VarMap::new();
    let builder = VarBuilder::from_varmap(&map, DType::F32, &Device::Cpu);
    (map, builder)
}

#[test]
fn a_function_that_builds_closures_is_captured_while_it_does() {
    let (map, vb) = weights();
    // `VarMap` makes what is asked for; what is not there must be said.
    let absent = VarBuilder::from_tensors(
        {
            network(Some(5), vb.clone()).unwrap();
            let data = map.data().lock().unwrap();
            let tensors = data.iter().filter(|(name, _)| !name.contains("not.there"));
            tensors.map(|(name, var)| (name.clone(), var.as_tensor().clone())).collect()
        },
        DType::F32,
        &Device::Cpu,
    );
    let model = network(Some(5), absent.clone()).unwrap();
    let x = tensor(&[2, 3, 6, 5]);
    let from_shape =
        Tracer::new().input("xs", DType::F32, (2, 3, 6, 5)).trace_built(&absent, |vb| network(Some(5), vb));
    let concrete = Tracer::new().example("xs", &x).trace_built(&absent, |vb| network(Some(5), vb));
    for input in [x.clone(), other(&[2, 3, 6, 5])] {
        let expected = model.forward(&input).unwrap();
        assert_returns(&[&expected], from_shape.clone(), &[&input]);
        assert_returns(&[&expected], concrete.clone(), &[&input]);
    }
    insta::assert_snapshot!(from_shape.as_ref().unwrap().graph(), @r#"
    graph network(%xs: f32[2, 3, 6, 5]) {
        %stem = call_module stem(%xs)                                                    // f32[2, 4, 6, 5] builders.rs:100
        %blocks_0_conv = call_module blocks.0.conv(%stem)                                // f32[2, 4, 6, 5] builders.rs:34
        %blocks_0_norm = call_module blocks.0.norm(%blocks_0_conv, train = false)        // f32[2, 4, 6, 5] builders.rs:34
        %relu = call_method relu(%blocks_0_norm)                                         // f32[2, 4, 6, 5] builders.rs:34
        %blocks_1_conv = call_module blocks.1.conv(%relu)                                // f32[2, 4, 6, 5] builders.rs:34
        %blocks_1_norm = call_module blocks.1.norm(%blocks_1_conv, train = false)        // f32[2, 4, 6, 5] builders.rs:34
        %relu_1 = call_method relu(%blocks_1_norm)                                       // f32[2, 4, 6, 5] builders.rs:34
        %add = call_function add(%relu_1, %relu)                                         // f32[2, 4, 6, 5] builders.rs:35
        %middle_reparam_conv = call_module middle.reparam_conv(%add)                     // f32[2, 4, 6, 5] builders.rs:73
        %middle_scale = get_attr middle.scale()                                          // f32[1, 4, 1, 1]
        %broadcast_mul = call_method broadcast_mul(%middle_reparam_conv, %middle_scale)  // f32[2, 4, 6, 5] builders.rs:73
        %middle_full = get_attr middle.full()                                            // f32[1, 4, 1, 1]
        %broadcast_add = call_method broadcast_add(%broadcast_mul, %middle_full)         // f32[2, 4, 6, 5] builders.rs:73
        %mean = call_method mean(%broadcast_add, mean_dims = -1)                         // f32[2, 4, 6] builders.rs:26
        %mean_1 = call_method mean(%mean, mean_dims = -1)                                // f32[2, 4] builders.rs:26
        %norm = call_module norm(%mean_1)                                                // f32[2, 4] builders.rs:85
        %fc = call_module fc(%norm)                                                      // f32[2, 5] builders.rs:85
        output %fc
    }
    "#);

    // The form for everything else: the function is called in the capture.
    let called = Tracer::new().input("x", DType::F32, (2, 3, 6, 5)).trace_fn(|inputs| {
        let features = network(None, inputs.var_builder(&absent).clone())?;
        features.forward(&inputs.tensor("x")?)?.neg()
    });
    let expected = network(None, absent).unwrap().forward(&x).unwrap().neg().unwrap();
    assert_returns(&[&expected], called, &[&x]);
}

#[test]
fn blocks_are_modules_of_the_graph() {
    let (_, vb) = weights();
    let module =
        Tracer::new().input("xs", DType::F32, (1, 3, 4, 4)).trace_built(&vb, |vb| network(Some(2), vb)).unwrap();
    let relu = module.graph().nodes().find(|(_, node)| node.name() == "relu_1").unwrap().1;
    assert_eq!(format!("{:?}", relu.meta().module), "blocks.1 (block)");
}

/// A struct of closures.
#[fx::module]
struct Stages<'a> {
    stages: Vec<FuncT<'a>>,
    scale: f64,
}

#[fx::module]
fn stage(width: usize, vb: &VarBuilder) -> Result<FuncT<'static>> {
    let linear = candle_nn::linear(width, width, vb.pp("linear"))?;
    let dropout = candle_nn::Dropout::new(0.5);
    Ok(FuncT::new(move |xs, train| xs.apply(&linear)?.apply_t(&dropout, train)))
}

/// Reads its weights when it is called.
#[fx::module]
fn late(width: usize, vb: VarBuilder) -> Result<FuncT> {
    Ok(FuncT::new(move |xs, _| {
        let weight = vb.get((width, width), "late.weight")?;
        xs.apply(&candle_nn::Linear::new(weight, None))?.apply(&candle_nn::linear(width, 2, vb.pp("last"))?)
    }))
}

#[fx::module]
impl<'a> Stages<'a> {
    #[fx(include)]
    fn new(width: usize, vb: VarBuilder<'a>) -> Result<Self> {
        let stages = vec![stage(width, &vb.pp("first"))?, stage(width, &vb.pp("second"))?, late(width, vb)?];
        Ok(Self { stages, scale: 0.5 })
    }
}

#[fx::module]
impl ModuleT for Stages<'_> {
    fn forward_t(&self, xs: &Tensor, train: bool) -> Result<Tensor> {
        let mut xs = (xs * self.scale)?;
        for stage in &self.stages {
            xs = xs.apply_t(stage, train)?;
        }
        Ok(xs)
    }
}

#[test]
fn a_struct_of_closures_is_built_by_its_constructor_s_twin() {
    let (_, vb) = weights();
    let model = Stages::new(4, vb.clone()).unwrap();
    let x = tensor(&[3, 4]);
    let expected = model.forward_t(&x, false).unwrap();
    let captured = Tracer::new()
        .input("xs", DType::F32, (3, 4))
        .concrete_arg("train", false)
        .trace_built(&vb, |vb| fx::Symbolic::<Stages>::new(4, vb))
        .unwrap();
    assert_same(&expected, &captured.forward(&[&x]).unwrap());
    insta::assert_snapshot!(captured.graph(), @r#"
    graph stages(%xs: f32[3, 4]) takes (xs = %xs, train = false) {
        %mul = call_function mul(%xs, 0.5)                                           // f32[3, 4] builders.rs:214
        %first_linear = call_module first.linear(%mul)                               // f32[3, 4] builders.rs:190
        %first_dropout = call_module first.dropout(%first_linear, train = false)     // f32[3, 4] builders.rs:190
        %second_linear = call_module second.linear(%first_dropout)                   // f32[3, 4] builders.rs:190
        %second_dropout = call_module second.dropout(%second_linear, train = false)  // f32[3, 4] builders.rs:190
        %linear = call_module linear(%second_dropout)                                // f32[3, 4] builders.rs:198
        %last = call_module last(%linear)                                            // f32[3, 2] builders.rs:198
        output %last
    }
    "#);
    // As a value that was built already, its closures are called whole.
    let whole = Tracer::new().example("xs", &x).concrete_arg("train", false).trace(&model).unwrap();
    assert_same(&expected, &whole.forward(&[&x]).unwrap());
    assert_eq!(whole.graph().nodes().filter(|(_, node)| node.op() == fx::Op::CallModule).count(), 3);
}

/// Layers in a row.
#[fx::module]
fn row(vb: VarBuilder) -> Result<candle_nn::Sequential> {
    let row = candle_nn::seq().add(candle_nn::linear(4, 3, vb.pp(0))?).add_fn(|xs| xs.relu());
    Ok(row.add(candle_nn::linear(3, 2, vb.pp(1))?))
}

#[test]
fn layers_in_a_row_are_called_one_by_one() {
    let (_, vb) = weights();
    let x = tensor(&[3, 4]);
    let captured = Tracer::new().trace_built(&vb, row).unwrap();
    assert_same(&row(vb).unwrap().forward(&x).unwrap(), &captured.forward(&[&x]).unwrap());
    insta::assert_snapshot!(captured.graph(), @r#"
    graph row(%xs) {
        %_0 = call_module 0(%xs)                           // builders.rs:255
        %relu = call_method relu(%_0)                      // builders.rs:255
        %_1 = call_module 1(%relu)                         // builders.rs:256
        output %_1
    }
    "#);
}

/// Any of the user's own blocks.
#[fx::module]
trait Block {
    fn run(&self, xs: &Tensor) -> Result<Tensor>;
}

/// Not included: what it makes is mirrored.
#[fx::module]
struct Scale {
    weight: Tensor,
}

#[fx::module]
impl Scale {
    fn new(width: usize, vb: VarBuilder) -> Result<Self> {
        Ok(Self { weight: vb.get(width, "weight")? })
    }
}

#[fx::module(mirrored)]
impl Block for Scale {
    fn run(&self, xs: &Tensor) -> Result<Tensor> {
        xs.broadcast_mul(&self.weight)
    }
}

/// Hides its layers.
#[fx::module]
struct Row {
    layers: candle_nn::Sequential,
    any: Vec<Box<dyn Module>>,
    scale: Scale,
}

#[fx::module]
impl Row {
    #[fx(include)]
    fn new(width: usize, vb: VarBuilder) -> Result<Self> {
        use candle_nn::{linear, seq};
        let layers = seq().add(linear(width, width, vb.pp("layers.0"))?).add(candle_nn::Activation::Silu);
        let any: Vec<Box<dyn Module>> = vec![
            Box::new(linear(width, width, vb.pp("any.0"))?),
            Box::new(candle_nn::ops::Identity::new()),
            Box::new(layer_norm(width, 1e-5, vb.pp("any.2"))?),
        ];
        Ok(Self { layers, any, scale: Scale::new(width, vb.pp("scale"))? })
    }
}

#[fx::module(mirrored)]
impl Block for Row {
    fn run(&self, xs: &Tensor) -> Result<Tensor> {
        let mut xs = self.layers.forward(xs)?;
        for layer in &self.any {
            xs = xs.apply(layer)?;
        }
        self.scale.run(&xs)
    }
}

/// Hides what its blocks hide.
#[fx::module]
struct Tower {
    blocks: Vec<Box<dyn Block>>,
}

#[fx::module]
impl Tower {
    #[fx(include)]
    fn new(width: usize, vb: VarBuilder) -> Result<Self> {
        let mut blocks = Vec::new();
        for index in 0..2 {
            let block: Box<dyn Block> = if index == 0 {
                Box::new(Row::new(width, vb.pp(format!("blocks.{index}")))?)
            } else {
                Box::new(Scale::new(width, vb.pp(format!("blocks.{index}")))?)
            };
            blocks.push(block);
        }
        Ok(Self { blocks })
    }

    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        self.blocks.iter().try_fold(xs.clone(), |xs, block| block.run(&xs))
    }
}

#[test]
fn constructors_go_through_the_twins_of_others() {
    let (_, vb) = weights();
    let x = tensor(&[3, 4]);
    let expected = Tower::new(4, vb.clone()).unwrap().forward(&x).unwrap();
    let tracer = Tracer::new().input("xs", DType::F32, (3, 4));
    let captured = tracer.trace_built(&vb, |vb| fx::Symbolic::<Tower>::new(4, vb)).unwrap();
    assert_same(&expected, &captured.forward(&[&x]).unwrap());
    insta::assert_snapshot!(captured.graph());
    // Its structs are those of the model, with the names of the weights.
    let written = fx::codegen::Folder::new().write(&captured).unwrap();
    assert!(written.code().as_str().contains("layers_0: candle_nn::linear(4, 4, vb.pp(\"layers.0\"))?"));
    let node = |name: &str| {
        format!("{:?}", captured.graph().nodes().find(|(_, node)| node.name() == name).unwrap().1.meta().module)
    };
    assert_eq!(node("blocks_0_layers_0"), "blocks.0 (Row) > blocks.0.layers.0 (Linear)");
}

/// A layer of what is computed from the input.
#[fx::module]
fn made_late(vb: VarBuilder) -> Result<Func> {
    let weight = vb.get((4, 4), "weight")?;
    Ok(Func::new(move |xs| xs.apply(&Linear::new((&weight * xs)?, None))))
}

/// There is no such weight.
#[fx::module]
fn needs_more(vb: VarBuilder) -> Result<Func> {
    let weight = vb.get((4, 4), "gone")?;
    Ok(Func::new(move |xs| xs.matmul(&weight)))
}

struct WholeBlocks;

impl TracerRules for WholeBlocks {
    fn is_leaf_module(&self, type_name: &str, _: &str) -> bool {
        type_name == "block"
    }
}

#[test]
fn what_was_built_is_saved_and_loaded() {
    let (_, vb) = weights();
    let x = tensor(&[1, 3, 4, 4]);
    let tracer = Tracer::new().input("xs", DType::F32, (1, 3, 4, 4));
    let module = tracer.trace_built(&vb, |vb| network(Some(2), vb)).unwrap();
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("built.fx");
    module.save(&path).unwrap();
    let loaded = fx::GraphModule::load(&path, &Device::Cpu).unwrap();
    assert_same(&module.forward(&[&x]).unwrap(), &loaded.forward(&[&x]).unwrap());
    assert_eq!(module.graph().to_string(), loaded.graph().to_string());
}

#[test]
fn what_cannot_be_built_says_why() {
    let (_, vb) = weights();
    assert_refused!(Tracer::new().trace_built(&vb, made_late), TraceError::MadeOfInputs { layer: "Linear", .. });
    let empty = VarBuilder::from_tensors(Default::default(), DType::F32, &Device::Cpu);
    assert_refused!(Tracer::new().trace_built(&empty, needs_more), TraceError::Model(text) if text.contains("gone"));
    assert_refused!(
        Tracer::new().with(WholeBlocks).trace_built(&vb, |vb| network(None, vb)),
        TraceError::BuiltNotWhole { function: "block", path } if path == "blocks.0"
    );
    let two = Tracer::new().input("xs", DType::F32, (2, 5)).trace_built(&vb, |vb| block(4, false, vb));
    assert_refused!(two, TraceError::Refused { .. });
}

#[test]
fn gradients_flow_to_the_weights_as_in_the_original() {
    let (map, vb) = weights();
    let x = tensor(&[1, 3, 4, 4]);
    let module = Tracer::new().input("xs", DType::F32, (1, 3, 4, 4)).trace_built(&vb, |vb| network(None, vb)).unwrap();
    let original = network(None, vb).unwrap().forward(&x).unwrap().sum_all().unwrap().backward().unwrap();
    let captured = module.forward(&[&x]).unwrap().sum_all().unwrap().backward().unwrap();
    let data = map.data().lock().unwrap();
    let mut compared = 0;
    for (name, var) in data.iter() {
        match (original.get(var), captured.get(var)) {
            (Some(original), Some(captured)) => {
                assert_same(original, captured);
                compared += 1;
            }
            (None, None) => (),
            _ => panic!("{name} has a gradient in one of them only"),
        }
    }
    assert!(compared > 10, "{compared}");
}
