//! Layers are made again from their state, and modules are saved and loaded to the bit.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{DType, Device, Tensor, Var};
use candle_nn::{
    Activation, BatchNorm, BatchNormConfig, Conv1d, Conv2d, Conv2dConfig, ConvTranspose1d, ConvTranspose2d, Dropout,
    Embedding, GroupNorm, LayerNorm, LayerNormConfig, Linear, PReLU, RmsNorm, VarBuilder,
};
use fx_core::ir::{Graph, ModulePath};
use fx_core::module::{Attribute, Attributes, GraphModule, LayerModule, LayerTable, LoadModuleError, SaveError};
use fx_core::ops::{OpDef, OpTable, Param};
use fx_core::value::Value;

/// Numbers that no two tensors share.
fn tensor(dims: &[usize]) -> Tensor {
    Tensor::rand(0.1f32, 1f32, dims, &Device::Cpu).expect("a small tensor")
}

fn layer(layer: impl LayerModule + 'static) -> Arc<dyn LayerModule> {
    Arc::new(layer)
}

/// Every layer, with an input that it takes.
fn layers() -> Vec<(Arc<dyn LayerModule>, Tensor)> {
    let strided = Conv2dConfig {
        padding: 1,
        stride: 2,
        dilation: 1,
        groups: 2,
        cudnn_fwd_algo: Some(candle_core::conv::CudnnFwdAlgo::Direct),
    };
    let image = || tensor(&[2, 4, 8, 8]);
    let statistics = || [tensor(&[4]), tensor(&[4])];
    let builder = |names: &[&str]| {
        let tensors: HashMap<String, Tensor> = names.iter().map(|name| (name.to_string(), tensor(&[4]))).collect();
        VarBuilder::from_tensors(tensors, DType::F32, &Device::Cpu)
    };
    let uncentred = LayerNormConfig { eps: 1e-3, remove_mean: false, affine: true };
    let batch = BatchNormConfig { eps: 1e-3, remove_mean: false, affine: true, momentum: 0.3 };
    let names = ["running_mean", "running_var", "weight", "bias"];
    let batch_norm = candle_nn::batch_norm(4, batch, builder(&names)).expect("all tensors");
    let [mean, var] = statistics();
    let plain = BatchNorm::new_no_bias_with_momentum(4, mean, var, 1e-5, 0.25).expect("fitting statistics");
    let [mean, var] = statistics();
    let affine = BatchNorm::new(4, mean, var, tensor(&[4]), tensor(&[4]), 1e-5).expect("fitting statistics");
    let ids = Tensor::new(&[3u32, 1, 9], &Device::Cpu).expect("three numbers");
    let mut layers = vec![
        (layer(Linear::new(tensor(&[5, 4]), Some(tensor(&[5])))), tensor(&[3, 4])),
        (layer(Linear::new(tensor(&[4, 5]).t().expect("a matrix"), None)), tensor(&[3, 4])),
        (layer(Conv1d::new(tensor(&[6, 4, 3]), Some(tensor(&[6])), Default::default())), tensor(&[2, 4, 8])),
        (layer(Conv2d::new(tensor(&[6, 4, 3, 3]), Some(tensor(&[6])), Default::default())), image()),
        (layer(Conv2d::new(tensor(&[6, 2, 3, 3]), None, strided)), image()),
        (layer(ConvTranspose1d::new(tensor(&[4, 6, 3]), Some(tensor(&[6])), Default::default())), tensor(&[2, 4, 8])),
        (layer(ConvTranspose2d::new(tensor(&[4, 6, 3, 3]), Some(tensor(&[6])), Default::default())), image()),
        (layer(Embedding::new(tensor(&[10, 4]), 4)), ids),
        (layer(LayerNorm::new(tensor(&[4]), tensor(&[4]), 1e-5)), tensor(&[3, 4])),
        (layer(LayerNorm::new_no_bias(tensor(&[4]), 1e-5)), tensor(&[3, 4])),
        (layer(LayerNorm::rms_norm(tensor(&[4]), 1e-5)), tensor(&[3, 4])),
        (
            layer(candle_nn::layer_norm(4, uncentred, builder(&["weight", "bias"])).expect("both tensors")),
            tensor(&[3, 4]),
        ),
        (layer(RmsNorm::new(tensor(&[4]), 1e-6)), tensor(&[3, 4])),
        (layer(GroupNorm::new(tensor(&[4]), tensor(&[4]), 4, 2, 1e-5).expect("whole groups")), image()),
        (layer(affine), image()),
        (layer(plain), image()),
        (layer(batch_norm), image()),
        (layer(PReLU::new(tensor(&[4]), false)), image()),
        (layer(PReLU::new(tensor(&[1]), true)), image()),
        (layer(Dropout::new(0.1)), image()),
        (layer(QMatMul::Tensor(tensor(&[5, 4]))), tensor(&[3, 4])),
        (layer(QMatMul::TensorF16(tensor(&[5, 4]).to_dtype(DType::F16).expect("numbers"))), tensor(&[3, 4])),
    ];
    use Activation as A;
    for activation in [
        A::Gelu,
        A::NewGelu,
        A::Relu,
        A::Relu2,
        A::Relu6,
        A::Silu,
        A::Sigmoid,
        A::HardSigmoid,
        A::Swiglu,
        A::Swish,
        A::Mish,
        A::HardSwish,
        A::Elu(0.7),
        A::LeakyRelu(0.01),
        A::GeluPytorchTanh,
    ] {
        layers.push((layer(activation), tensor(&[3, 4]).affine(4.0, -2.0).expect("numbers")));
    }
    use GgmlDType as Q;
    for dtype in [
        Q::F32,
        Q::F16,
        Q::BF16,
        Q::Q4_0,
        Q::Q4_1,
        Q::Q5_0,
        Q::Q5_1,
        Q::Q8_0,
        Q::Q2K,
        Q::Q3K,
        Q::Q4K,
        Q::Q5K,
        Q::Q6K,
        Q::Q8K,
    ] {
        let weight = QTensor::quantize(&tensor(&[3, 256]), dtype).expect("whole blocks");
        layers.push((layer(QMatMul::QTensor(Arc::new(weight))), tensor(&[2, 256])));
    }
    layers
}

/// What a layer computes, and what it is made of afterwards, to the bit.
fn bits(layer: &dyn LayerModule, input: &Tensor, train: bool) -> Vec<u8> {
    let options = layer.called().options.iter().map(|_| Value::Bool(train));
    let values: Vec<Value> = std::iter::once(Value::from(input)).chain(options).collect();
    let output = layer.call(&values.iter().collect::<Vec<_>>()).expect("it takes the input");
    let mut bits = bytes(output.as_tensor().expect("a tensor"));
    for (name, tensor) in layer.state().expect("it tells").tensors {
        bits.extend(name.bytes());
        bits.extend(bytes(&tensor));
    }
    bits
}

fn bytes(tensor: &Tensor) -> Vec<u8> {
    let flat = tensor.flatten_all().expect("a tensor");
    match flat.dtype() {
        DType::U8 => flat.to_vec1::<u8>().expect("bytes"),
        DType::F16 => flat.to_vec1::<half::f16>().expect("halves").iter().flat_map(|x| x.to_le_bytes()).collect(),
        DType::F32 => flat.to_vec1::<f32>().expect("floats").iter().flat_map(|x| x.to_le_bytes()).collect(),
        _ => format!("{tensor}").into_bytes(),
    }
}

#[test]
fn every_layer_is_made_again_from_its_state() {
    let mut kinds = std::collections::HashSet::new();
    for (layer, input) in layers() {
        let state = layer.state().unwrap_or_else(|| panic!("{} tells nothing", layer.type_name()));
        let kind = LayerTable::builtin().get(layer.type_name()).expect("it is in the table");
        let given: Vec<&str> = state.options.iter().map(|(name, _)| *name).collect();
        assert_eq!(given, kind.options, "{}", kind.name);
        assert!(state.tensors.iter().all(|(name, _)| kind.tensors.contains(name)));
        kinds.insert(kind.name);
        let again = layer.rebuild(&state).unwrap_or_else(|error| panic!("{}: {error}", layer.type_name()));
        assert_eq!(again.state().map(|state| format!("{:?}", state.options)), Some(format!("{:?}", state.options)));
        assert_eq!(bits(&*again, &input, false), bits(&*layer, &input, false), "{}", kind.name);
        // Training changes statistics; both do it in the same way. Dropout draws.
        if layer.called().options.contains(&"train") && layer.type_name() != "Dropout" {
            // Made of copies, because variables stay the same variables.
            let mut state = layer.state().expect("it tells");
            state.tensors.iter_mut().for_each(|(_, tensor)| *tensor = tensor.copy().expect("a small tensor"));
            let again = layer.rebuild(&state).expect("as before");
            assert_eq!(bits(&*again, &input, true), bits(&*layer, &input, true), "{}", kind.name);
        }
        // Nothing of it can be missing or of another kind.
        for name in kind.options.iter().filter(|name| !["cudnn_fwd_algo", "parameter"].contains(*name)) {
            let mut broken = state.clone();
            broken.options.retain(|(found, _)| found != name);
            assert!(layer.rebuild(&broken).is_err(), "{} without {name}", kind.name);
            broken.options.push((name, Value::None));
            assert!(layer.rebuild(&broken).is_err(), "{} with {name} = none", kind.name);
        }
    }
    let known: std::collections::HashSet<&str> = LayerTable::builtin().iter().map(|kind| kind.name).collect();
    let untested: Vec<&&str> = known.difference(&kinds).collect();
    assert!(untested.is_empty(), "{untested:?}");
}

#[test]
fn hostile_layer_states_are_errors() {
    for (layer, _) in layers() {
        let state = layer.state().expect("it tells");
        for wrong in [Tensor::zeros((), DType::F32, &Device::Cpu), Tensor::zeros((7, 0, 3), DType::U8, &Device::Cpu)] {
            let wrong = wrong.expect("a small tensor");
            for index in 0..state.tensors.len() {
                let mut broken = state.clone();
                broken.tensors[index].1 = wrong.clone();
                // It is refused now or when it runs, but never panics here.
                let _ = layer.rebuild(&broken);
            }
        }
        for index in 0..state.options.len() {
            for wrong in [Value::Int(-1), Value::Int(i64::MAX), Value::Str("x".into()), Value::Float(f64::NAN)] {
                let mut broken = state.clone();
                broken.options[index].1 = wrong;
                let _ = layer.rebuild(&broken);
            }
        }
    }
}

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("fx_core_save_{name}_{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("it is there");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn graph(text: &str) -> Graph {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

const MODEL: &str = r#"
graph model(%x: f32[3, 4]) {
    #1 = encoder: Encoder
    %w = get_attr w()                               @{ fact: f32[4] }
    %add = call_method broadcast_add(%x, %w)        @{ in: #1, at: "src/model.rs":10, note: "first" }
    %linear = call_module "odd path"(%add)          @{ custom: { stage: 2 } }
    %norm = call_module norm(%linear, train = false)
    %tied = get_attr tied()
    output (%norm, %tied)
}"#;

fn module() -> GraphModule {
    let mut attributes = Attributes::new();
    let w = Var::from_tensor(&tensor(&[4])).expect("a variable");
    let weight = tensor(&[5, 5]).narrow(1, 0, 4).expect("a part");
    attributes.insert("w", Attribute::Tensor(w.as_tensor().clone()));
    attributes.insert("odd path", Attribute::Layer(layer(Linear::new(weight.clone(), None))));
    let [mean, var] = [tensor(&[5]), tensor(&[5])];
    attributes.insert(
        "norm",
        Attribute::Layer(layer(BatchNorm::new_no_bias(5, mean, var, 1e-5).expect("fitting statistics"))),
    );
    attributes.insert("tied", Attribute::Tensor(weight));
    attributes.insert("unused", Attribute::Tensor(w.as_detached_tensor()));
    GraphModule::new(graph(MODEL), attributes).expect("all attributes")
}

fn at(module: &GraphModule, path: &str) -> Attribute {
    module.attributes().get(&ModulePath::new(path)).unwrap_or_else(|| panic!("{path} is there")).clone()
}

fn tensor_at(module: &GraphModule, path: &str) -> Tensor {
    match at(module, path) {
        Attribute::Tensor(tensor) => tensor,
        other => panic!("{path} is {other:?}"),
    }
}

fn state_at(module: &GraphModule, path: &str) -> HashMap<&'static str, Tensor> {
    match at(module, path) {
        Attribute::Layer(layer) => layer.state().expect("it tells").tensors.into_iter().collect(),
        other => panic!("{path} is {other:?}"),
    }
}

fn outputs(module: &GraphModule, inputs: &[Value]) -> Vec<Vec<u8>> {
    let result = module.run(inputs).unwrap_or_else(|error| panic!("{error}"));
    result.tensors().into_iter().map(bytes).collect()
}

#[test]
fn a_module_is_loaded_as_it_was_saved() {
    let folder = Folder::new("whole");
    let (file, module) = (folder.file("model.fx"), module());
    module.save(&file).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(folder.names(), ["model.fx", "model.safetensors"]);
    let loaded = GraphModule::load(&file, &Device::Cpu).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(loaded.graph().to_text(), module.graph().to_text());
    assert_eq!(loaded.graph().verify(), Ok(()));
    let order = |module: &GraphModule| -> Vec<String> {
        module.attributes().iter().map(|(path, attribute)| format!("{path}: {attribute:?}")).collect()
    };
    assert_eq!(order(&loaded), order(&module));
    let x = [Value::from(tensor(&[3, 4]))];
    assert_eq!(outputs(&loaded, &x), outputs(&module, &x));

    // A tensor that is held twice is stored once, and is one again.
    assert!(tensor_at(&loaded, "w").is_variable());
    assert!(!tensor_at(&loaded, "unused").is_variable());
    let tied = tensor_at(&loaded, "tied");
    assert_eq!(tied.id(), state_at(&loaded, "odd path")["weight"].id());
    assert!(state_at(&loaded, "norm")["running_mean"].is_variable());
    let changed = Tensor::zeros(4, DType::F32, &Device::Cpu).expect("a small tensor");
    Var::from_tensor(&tensor_at(&loaded, "w")).expect("it is one").set(&changed).expect("of its shape");
    assert_eq!(bytes(&tensor_at(&loaded, "unused")), bytes(&changed));
    let stored = candle_core::safetensors::load(folder.file("model.safetensors"), &Device::Cpu).expect("it was saved");
    let mut keys: Vec<&String> = stored.keys().collect();
    keys.sort();
    assert_eq!(keys, ["norm.running_mean", "norm.running_var", "odd path.weight", "w"]);

    // Saving again writes the same bytes.
    let again = folder.file("again.fx");
    GraphModule::load(&file, &Device::Cpu).expect("as before").save(&again).expect("as before");
    for extension in ["fx", "safetensors"] {
        let read = |file: &PathBuf| std::fs::read(file.with_extension(extension)).expect("it was saved");
        assert_eq!(read(&again), read(&file), "{extension}");
    }
}

#[test]
fn every_layer_is_loaded_as_it_was_saved() {
    let folder = Folder::new("layers");
    for (index, (layer, input)) in layers().into_iter().enumerate() {
        // Tensors are loaded in row-major order; products of another order differ in the last bit.
        if layer.state().expect("it tells").tensors.iter().any(|(_, tensor)| !tensor.is_contiguous()) {
            continue;
        }
        let train = if layer.called().options.is_empty() { "" } else { ", train = false" };
        let graph = graph(&format!("graph one(%x) {{ %y = call_module m(%x{train}) output %y }}"));
        let mut attributes = Attributes::new();
        attributes.insert("m", Attribute::Layer(layer));
        let module = GraphModule::new(graph, attributes).expect("one layer");
        let file = folder.file(&format!("{index}.fx"));
        module.save(&file).unwrap_or_else(|error| panic!("{error}"));
        let loaded = GraphModule::load(&file, &Device::Cpu).unwrap_or_else(|error| panic!("{error}"));
        let inputs = [Value::from(input)];
        assert_eq!(outputs(&loaded, &inputs), outputs(&module, &inputs));
    }
}

#[test]
fn tensors_of_every_dtype_are_kept_to_the_bit() {
    let folder = Folder::new("dtypes");
    let mut attributes = Attributes::new();
    let dtypes = [
        DType::U8,
        DType::U32,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::BF16,
        DType::F16,
        DType::F32,
        DType::F64,
        DType::F8E4M3,
    ];
    let mut text = String::from("graph all() {\n");
    for dtype in dtypes {
        let name = dtype.as_str();
        for (kind, shape) in [("scalar", vec![]), ("empty", vec![0, 3]), ("matrix", vec![3, 2])] {
            let count = shape.iter().product::<usize>();
            let values: Vec<f64> = (0..count).map(|i| i as f64 * 0.5 + 0.5).collect();
            let tensor = Tensor::from_vec(values, shape, &Device::Cpu).and_then(|tensor| tensor.to_dtype(dtype));
            let path = format!("{kind}.{name}");
            attributes.insert(path.clone(), Attribute::Tensor(tensor.expect("a small tensor")));
            text += &format!("    %{kind}_{name} = get_attr {path}()\n");
        }
    }
    text += "    output none\n}";
    let module = GraphModule::new(graph(&text), attributes).expect("all attributes");
    let file = folder.file("all.fx");
    module.save(&file).unwrap_or_else(|error| panic!("{error}"));
    let loaded = GraphModule::load(&file, &Device::Cpu).unwrap_or_else(|error| panic!("{error}"));
    for (path, attribute) in module.attributes().iter() {
        let (before, after) = (tensor_at(&module, path.as_str()), tensor_at(&loaded, path.as_str()));
        assert_eq!((before.dtype(), before.shape()), (after.dtype(), after.shape()), "{path} {attribute:?}");
    }
    // Converting candle's f8 back to numbers may never end, so the bytes are compared where they are.
    let again = folder.file("again.fx");
    loaded.save(&again).unwrap_or_else(|error| panic!("{error}"));
    let read = |file: &PathBuf| std::fs::read(file.with_extension("safetensors")).expect("it was saved");
    assert_eq!(read(&again), read(&file));
}

#[test]
fn what_cannot_be_saved_leaves_the_files_as_they_were() {
    let folder = Folder::new("unsaved");
    let file = folder.file("model.fx");
    module().save(&file).expect("it can be saved");
    let before = std::fs::read(&file).expect("it was saved");

    let mut closure = module();
    closure.set_attribute("odd path", Attribute::Layer(layer(candle_nn::func(|x| Ok(x.clone())))));
    let error = closure.save(&file).expect_err("a closure");
    assert!(matches!(error, SaveError::Layer { .. }));
    assert!(error.to_string().starts_with("`odd path`, a layer of type Func, does not tell"), "{error}");
    assert!(error.to_string().contains("write what the closure does into a `forward`"), "{error}");

    let mut kept = module();
    let id = kept.graph().node_named("add").expect("it is there");
    kept.graph_mut().meta_mut(id).annotate("scale", tensor(&[1]).into());
    let error = kept.save(&file).expect_err("a tensor in an annotation");
    assert!(
        error.to_string().starts_with("cannot write %add: what is kept with it as `scale` holds a tensor"),
        "{error}"
    );

    let mut incorrect = module();
    let id = incorrect.graph().node_named("add").expect("it is there");
    incorrect.graph_mut().set_args(id, []);
    assert!(matches!(incorrect.save(&file).expect_err("not correct"), SaveError::Check(_)));

    assert!(matches!(module().save(folder.file("model.safetensors")), Err(SaveError::Name { .. })));
    assert!(matches!(module().save(folder.file("no/such/folder/model.fx")), Err(SaveError::Io { .. })));
    // The text cannot be put in place, so the tensors are not either.
    std::fs::create_dir(folder.file("taken.fx")).expect("a folder");
    assert!(matches!(module().save(folder.file("taken.fx")), Err(SaveError::Io { .. })));

    assert_eq!(std::fs::read(&file).expect("it is there"), before);
    assert_eq!(folder.names(), ["model.fx", "model.safetensors", "taken.fx"]);
    GraphModule::load(&file, &Device::Cpu).expect("it is as it was");
}

/// Changes the text of a saved module, and loads it.
fn load_changed(folder: &Folder, from: &str, to: &str) -> LoadModuleError {
    let file = folder.file("changed.fx");
    module().save(&file).expect("it can be saved");
    let text = std::fs::read_to_string(&file).expect("it was saved");
    assert!(text.contains(from), "{text}");
    std::fs::write(&file, text.replacen(from, to, 1)).expect("it can be written");
    GraphModule::load(&file, &Device::Cpu).expect_err(to)
}

#[test]
fn files_that_do_not_fit_are_errors() {
    let folder = Folder::new("unfit");
    let cases = [
        ("fx 1", "fx 2", "changed.fx, line 1, column 4: version 2 cannot be read"),
        ("fx 1", "graph", "changed.fx, line 1, column 1: expected `fx 1`"),
        ("module 0", "module 1", "modules are numbered in order, and this should be 0"),
        ("broadcast_add", "broadcast_ad", "did you mean broadcast_add"),
        ("layer BatchNorm", "layer BatchNrm", "`norm` is a layer of type BatchNrm, which is not in the table"),
        (
            "eps: 1e-5",
            "eps: none",
            "`norm`, a layer of type BatchNorm, cannot be made: the setting `eps` should be a number",
        ),
        ("eps: 1e-5", "epsilon: 1e-5", "it has no setting `epsilon`"),
        ("eps: 1e-5", "eps: 1e-5, eps: 1.0", "the setting `eps` is given twice"),
        ("running_mean:", "mean:", "it has no tensor `mean`"),
        ("f32[5] \"norm.running_mean\"", "f32[6] \"norm.running_mean\"", "should be f32[6], but is f32[5]"),
        ("f32[5] \"norm.running_mean\"", "f16[5] \"norm.running_mean\"", "should be f16[5], but is f32[5]"),
        ("\"norm.running_mean\"", "\"norm.mean\"", "`norm.running_mean` needs the tensor `norm.mean`, which is not in"),
        (
            "\"norm.running_mean\"",
            "\"norm.running_var\"",
            "has tensors that the module does not name: norm.running_mean",
        ),
        ("tied: tensor", "gone: tensor", "`tied` should be a tensor, but is absent"),
        ("tied: tensor", "w: tensor", "`w` is there twice"),
        ("tied: tensor", "tied: tensr", "did you mean `tensor`?"),
        ("unused: tensor f32[4] \"w\"", "unused: module 1", "expected the number of a module in this file"),
        ("unused: tensor f32[4] \"w\"", "unused: module 0", "expected the number of a module after this one"),
        ("train = false", "train = fals", "a node is written `%fals`"),
        ("output (", "output (%nothing, ", "no node is called %nothing"),
    ];
    for (from, to, expected) in cases {
        let error = load_changed(&folder, from, to).to_string();
        assert!(error.contains(expected), "{from} → {to}: {error}");
    }
    let file = folder.file("damaged.fx");
    module().save(&file).expect("it can be saved");
    let tensors = file.with_extension("safetensors");
    let whole = std::fs::read(&tensors).expect("it was saved");
    for length in (0..whole.len()).step_by(7) {
        std::fs::write(&tensors, &whole[..length]).expect("it can be written");
        assert!(
            matches!(GraphModule::load(&file, &Device::Cpu), Err(LoadModuleError::Corrupt { .. })),
            "{length} bytes"
        );
    }
    for at in 0..whole.len().min(400) {
        let mut changed = whole.clone();
        changed[at] ^= 0x15;
        std::fs::write(&tensors, &changed).expect("it can be written");
        let _ = GraphModule::load(&file, &Device::Cpu);
    }
    std::fs::remove_file(&tensors).expect("it is there");
    assert!(matches!(GraphModule::load(&file, &Device::Cpu), Err(LoadModuleError::Io { .. })));
}

#[test]
fn a_users_own_operations_and_layers_are_loaded_with_their_tables() {
    use fx_core::module::{Called, LayerKind, LayerState};

    static DOUBLE: OpDef = OpDef::wrapped("my::double", &[Param::new("x", true)], |args| {
        let x = args.values[0].as_tensor().ok_or_else(|| candle_core::Error::Msg("a tensor".into()))?;
        (x + x).map(Value::Tensor)
    });

    struct Shift(f64);

    impl LayerModule for Shift {
        fn type_name(&self) -> &str {
            "Shift"
        }
        fn called(&self) -> Called {
            Called::FORWARD
        }
        fn call(&self, args: &[&Value]) -> candle_core::Result<Value> {
            let x = args[0].as_tensor().ok_or_else(|| candle_core::Error::Msg("a tensor".into()))?;
            (x + self.0).map(Value::Tensor)
        }
        fn infer(&self, _: &[&fx_core::value::Fact]) -> Result<fx_core::value::Fact, fx_core::ops::InferError> {
            Ok(fx_core::value::Fact::Unknown)
        }
        fn state(&self) -> Option<LayerState> {
            Some(LayerState { options: vec![("by", Value::Float(self.0))], tensors: Vec::new() })
        }
    }

    static SHIFT: LayerKind = LayerKind {
        name: "Shift",
        options: &["by"],
        tensors: &[],
        make: |state| Ok(Arc::new(Shift(state.option("by")?))),
    };

    let folder = Folder::new("own");
    let file = folder.file("own.fx");
    let ops = OpTable::builtin().clone().with(&[&DOUBLE]);
    let layers = LayerTable::builtin().clone().with(&[&SHIFT]);
    let text = "graph own(%x) { %d = call_function my::double(%x) %s = call_module shift(%d) output %s }";
    let mut attributes = Attributes::new();
    attributes.insert("shift", Attribute::Layer(layer(Shift(0.1))));
    let module = GraphModule::new(Graph::parse(text, &ops).expect("it is in the table"), attributes).expect("a layer");
    module.save(&file).expect("the layer tells");
    let loaded = GraphModule::load_with(&file, &ops, &layers, &Device::Cpu).unwrap_or_else(|error| panic!("{error}"));
    let x = [Value::from(tensor(&[3]))];
    assert_eq!(outputs(&loaded, &x), outputs(&module, &x));
    let error = GraphModule::load(&file, &Device::Cpu).expect_err("not built in").to_string();
    assert!(error.contains("there is no function `my::double`") && error.contains("a table that has them"), "{error}");
    let error = GraphModule::load_with(&file, &ops, LayerTable::builtin(), &Device::Cpu).expect_err("not built in");
    assert!(error.to_string().contains("load it by `load_with` and a `LayerTable` that has it"), "{error}");
}

#[test]
fn child_graphs_are_saved_once_and_shared_again() {
    let child = |text: &str, attributes: Attributes| {
        Arc::new(GraphModule::new(graph(text), attributes).unwrap_or_else(|error| panic!("{error}")))
    };
    let w = tensor(&[4]);
    let mut attributes = Attributes::new();
    attributes.insert("w", w.clone());
    let inner = child("graph inner(%x) { %w = get_attr w() %y = call_function add(%x, %w) output %y }", attributes);
    let mut attributes = Attributes::new();
    attributes.insert("inner", inner.clone());
    let text = "graph outer(%x) { %a = call_module inner(%x) %b = call_module inner(%a) output %b }";
    let outer = child(text, attributes);
    let mut attributes = Attributes::new();
    attributes.insert("block", outer);
    attributes.insert("shared", inner);
    attributes.insert("w", w);
    let text =
        "graph root(%x) { %a = call_module block(%x) %b = call_module shared(%a) %w = get_attr w() output (%b, %w) }";
    let module = child(text, attributes);

    let folder = Folder::new("children");
    let file = folder.file("root.fx");
    module.save(&file).unwrap_or_else(|error| panic!("{error}"));
    let loaded = GraphModule::load(&file, &Device::Cpu).unwrap_or_else(|error| panic!("{error}"));
    let x = [Value::from(tensor(&[4]))];
    assert_eq!(outputs(&loaded, &x), outputs(&module, &x));
    let child = |module: &GraphModule, path: &str| match at(module, path) {
        Attribute::Module(child) => child,
        other => panic!("{path} is {other:?}"),
    };
    let (block, shared) = (child(&loaded, "block"), child(&loaded, "shared"));
    assert!(Arc::ptr_eq(&child(&block, "inner"), &shared));
    assert_eq!(tensor_at(&shared, "w").id(), tensor_at(&loaded, "w").id());
    let text = std::fs::read_to_string(&file).expect("it was saved");
    assert_eq!(text.matches("graph inner").count(), 1, "{text}");
}
