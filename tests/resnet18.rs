//! The example ResNet-18: torchvision's parameters, and the nodes that torch.fx shows for torchvision's.

#[path = "../examples/resnet18.rs"]
#[allow(unreachable_pub, reason = "an example")]
mod example;

use candle_core::{DType, Device, ModuleT, Tensor};
use candle_nn::{VarBuilder, VarMap};
use example::ResNet;
use fx::Op;

fn model(vars: &VarMap) -> ResNet {
    ResNet::resnet18(1000, VarBuilder::from_varmap(vars, DType::F32, &Device::Cpu)).expect("it is built")
}

#[test]
fn it_has_torchvision_s_parameters() {
    let vars = VarMap::new();
    let _ = model(&vars);
    let data = vars.data().lock().expect("nobody panicked");
    let buffer =
        |name: &str| ["running_mean", "running_var", "num_batches_tracked"].iter().any(|end| name.ends_with(end));
    let parameters: usize = data.iter().filter(|(name, _)| !buffer(name)).map(|(_, var)| var.elem_count()).sum();
    assert_eq!(parameters, 11_689_512);
    // 62 parameters and three buffers for each of 20 norms, as in torchvision's state_dict.
    assert_eq!(data.len(), 122);
    for name in ["conv1.weight", "layer1.0.conv1.weight", "layer2.0.downsample.1.running_var", "fc.bias"] {
        assert!(data.contains_key(name), "{name}");
    }
}

/// Names of nodes and targets, as torch.fx has them.
fn torchvision() -> Vec<(String, String)> {
    let mut nodes: Vec<(String, String)> = vec![("x".to_owned(), "x".to_owned())];
    let module = |path: &str, again: usize| {
        let name = path.replace('.', "_");
        (if again == 0 { name } else { format!("{name}_{again}") }, path.to_owned())
    };
    nodes.extend(["conv1", "bn1", "relu", "maxpool"].map(|path| module(path, 0)));
    let mut adds = 0;
    for layer in 1..=4 {
        for block in 0..2 {
            let path = |part: &str| format!("layer{layer}.{block}.{part}");
            nodes.extend(["conv1", "bn1", "relu", "conv2", "bn2"].map(|part| module(&path(part), 0)));
            if layer > 1 && block == 0 {
                nodes.extend(["downsample.0", "downsample.1"].map(|part| module(&path(part), 0)));
            }
            nodes.push((if adds == 0 { "add".to_owned() } else { format!("add_{adds}") }, "add".to_owned()));
            adds += 1;
            nodes.push(module(&path("relu"), 1));
        }
    }
    nodes.push(module("avgpool", 0));
    nodes.push(("flatten".to_owned(), "flatten".to_owned()));
    nodes.push(module("fc", 0));
    nodes.push(("output".to_owned(), "output".to_owned()));
    nodes
}

#[test]
fn its_graph_has_torchvision_s_nodes() {
    let model = model(&VarMap::new());
    let tracer = fx::Tracer::new().input("x", DType::F32, (1, 3, 224, 224)).concrete_arg("train", false);
    let module = tracer.trace(&model).expect("it is captured");
    let graph = module.graph();
    let nodes = graph.nodes();
    let found: Vec<(String, String)> =
        nodes.map(|(_, node)| (node.name().to_string(), node.target().to_string())).collect();
    assert_eq!(found, torchvision());
    // torch.fx has `torch.flatten` and the additions as functions, the input, and all else as modules.
    let count = |op| graph.nodes().filter(|(_, node)| node.op() == op).count();
    let counts = [Op::Placeholder, Op::CallFunction, Op::CallModule, Op::Output].map(count);
    assert_eq!(counts, [1, 9, 60, 1]);
    insta::assert_snapshot!(graph);
}

#[test]
fn its_table_has_torchvision_s_numbers() {
    let model = model(&VarMap::new());
    let tracer = fx::Tracer::new().input("x", DType::F32, (1, 3, 224, 224)).concrete_arg("train", false);
    let summary = tracer.trace(&model).expect("it is captured").summary();
    let totals = summary.totals();
    assert_eq!((totals.parameters, totals.trainable), (11_689_512, 11_689_512));
    // Mean and variance of 4,800 channels, and a count for each of 20 norms.
    assert_eq!(totals.buffers, 2 * 4_800 + 20);
    // Convolutions: one of 7 by 7, then 16 of 3 by 3, and three of 1 by 1; and the classifier.
    let first = 112 * 112 * 64 * 3 * 49;
    let layer = |from: u64, to: u64, size: u64| {
        size * size * to * 9 * (from + 3 * to) + if from == to { 0 } else { size * size * to * from }
    };
    let layers: u64 =
        [(64, 64, 56), (64, 128, 28), (128, 256, 14), (256, 512, 7)].map(|(a, b, s)| layer(a, b, s)).iter().sum();
    assert_eq!(totals.macs, first + layers + 512 * 1000);
    assert_eq!(totals.macs, 1_814_073_344);
    assert_eq!((totals.unknown_macs, totals.unknown_shapes, totals.untold), (0, 0, 0));
    insta::assert_snapshot!(summary.clone().depth(3));
    insta::assert_snapshot!(summary.depth(1));
}

#[test]
fn its_graph_computes_what_it_computes() {
    let model = model(&VarMap::new());
    let x = Tensor::randn(0f32, 1f32, (2, 3, 64, 64), &Device::Cpu).expect("numbers");
    let module = fx::Tracer::new().concrete_arg("train", false).trace(&model).expect("it is captured");
    let difference = |found: Tensor, expected: Tensor| {
        (found - expected).and_then(|d| d.abs()?.max_all()?.to_scalar::<f32>()).expect("floats")
    };
    let expected = model.forward_t(&x, false).expect("it runs");
    let found = module.forward(&[&x]).expect("it runs");
    assert_eq!(difference(found, expected), 0.0);
    let calls = module.graph().nodes().filter(|(_, node)| node.op() == Op::CallModule).count();
    assert_eq!(calls, 60);
    let table = fx::nn::layer_table();
    let file = std::env::temp_dir().join(format!("resnet18-{}.fxg", std::process::id()));
    module.save(&file).expect("it is saved");
    let loaded = fx::GraphModule::load_with(&file, &fx::nn::op_table(), &table, &Device::Cpu);
    let loaded = loaded.expect("it is loaded");
    let _ = std::fs::remove_file(&file);
    let _ = std::fs::remove_file(file.with_extension("safetensors"));
    let expected = module.forward(&[&x]).expect("it runs");
    assert_eq!(difference(loaded.forward(&[&x]).expect("it runs"), expected), 0.0);
}
