//! Printing, reading, saving and loading.

use candle_core::{DType, Device, Tensor};
use fx_core::ir::{Graph, Op};
use fx_core::module::{Attribute, Attributes, GraphModule};
use fx_core::value::{Fact, Value};

const TEXT: &str = "\
graph my_module(%x: f32[3, 4]) {
    %param = get_attr param()
    %add = call_function add(%x, %param)
    %linear = call_module layers.0.linear(%add, scale = 2)
    %clamp = call_method clamp(%linear, min = 0.0, max = 1.0)
    %softmax = call_function candle_nn::ops::softmax(%clamp, dim = -1)
    output %softmax
}";

/// Arguments by position and by name, friendly names of targets, and opcodes in order.
#[test]
fn row_13_pretty_print_graph() {
    let graph: Graph = TEXT.parse().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(graph.to_string(), TEXT);
    let table = graph.print_tabular();
    let opcodes: Vec<&str> = table.lines().skip(2).filter_map(|line| line.split_whitespace().next()).collect();
    let expected =
        ["placeholder", "get_attr", "call_function", "call_module", "call_method", "call_function", "output"];
    assert_eq!(opcodes, expected);
    let ops: Vec<String> = graph.nodes().map(|(_, node)| node.op().to_string()).collect();
    assert_eq!(ops, expected);
}

#[test]
fn row_13_pretty_print_targets() {
    let graph: Graph = TEXT.parse().unwrap_or_else(|error| panic!("{error}"));
    let targets: Vec<String> = graph.nodes().map(|(_, node)| node.target().to_string()).collect();
    assert_eq!(targets, ["x", "param", "add", "layers.0.linear", "clamp", "candle_nn::ops::softmax", "output"]);
}

#[test]
fn row_13_pretty_print_node() {
    let graph: Graph = TEXT.parse().unwrap_or_else(|error| panic!("{error}"));
    let line = |name: &str| graph.node_line(graph.node_named(name).expect("it is there"));
    assert_eq!(line("linear"), "%linear = call_module layers.0.linear(%add, scale = 2)");
    assert_eq!(line("x"), "%x = placeholder x()");
    let x = graph.node_named("x").expect("it is there");
    assert_eq!(graph.user_count(x), 1);
}

/// What is known of an input is printed with it, in place of Python's annotations.
#[test]
fn row_15_typename_print() {
    let mut graph: Graph = TEXT.parse().unwrap_or_else(|error| panic!("{error}"));
    let x = graph.node_named("x").expect("it is there");
    let clamp = graph.node_named("clamp").expect("it is there");
    graph.meta_mut(x).fact = Fact::List(vec![Fact::tensor((2, 3), DType::F32), Fact::Data(Value::Int(7))]);
    graph.meta_mut(clamp).fact = Fact::tensor((2, 3), DType::BF16);
    let text = graph.to_string();
    assert!(text.starts_with("graph my_module(%x: [f32[2, 3], 7]) {\n"), "{text}");
    let line = text.lines().find(|line| line.contains("%clamp = ")).expect("it is there");
    assert!(line.ends_with("// bf16[2, 3]"), "{line}");
}

/// Saved and loaded, a module computes the same and is correct.
#[test]
fn row_41_pickle_graphmodule() {
    let text = "\
graph block(%x) {
    %weight = get_attr weight()
    %y = call_method matmul(%x, %weight)
    %norm = call_module norm(%y)
    output %norm
}";
    let tensor = |dims: &[usize]| Tensor::rand(-1f32, 1f32, dims, &Device::Cpu).expect("a small tensor");
    let mut attributes = Attributes::new();
    attributes.insert("weight", Attribute::Tensor(tensor(&[4, 5])));
    let norm = candle_nn::LayerNorm::new(tensor(&[5]), tensor(&[5]), 1e-5);
    attributes.insert("norm", Attribute::Layer(std::sync::Arc::new(norm)));
    let graph: Graph = text.parse().unwrap_or_else(|error| panic!("{error}"));
    let module = GraphModule::new(graph, attributes).expect("all attributes");
    let file = std::env::temp_dir().join(format!("fx_core_row_41_{}.fx", std::process::id()));
    module.save(&file).unwrap_or_else(|error| panic!("{error}"));
    let loaded = GraphModule::load(&file, &Device::Cpu);
    std::fs::remove_file(file.with_extension("safetensors")).expect("it was saved");
    std::fs::remove_file(file).expect("it was saved");
    let loaded = loaded.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(loaded.graph().verify(), Ok(()));
    let numbers = |module: &GraphModule, x: &Tensor| -> Vec<u32> {
        let result = module.run(&[Value::from(x)]).unwrap_or_else(|error| panic!("{error}"));
        let flat = result.as_tensor().and_then(|tensor| tensor.flatten_all().ok()).expect("a tensor");
        flat.to_vec1::<f32>().expect("floats").into_iter().map(f32::to_bits).collect()
    };
    let x = tensor(&[3, 4]);
    assert_eq!(numbers(&loaded, &x), numbers(&module, &x));
}

/// A node's type is its fact: it survives in a node of a graph, and in a graph that was saved.
#[test]
fn row_42_node_pickle_type_preservation() {
    let mut graph: Graph = TEXT.parse().unwrap_or_else(|error| panic!("{error}"));
    let fact = Fact::Tuple(vec![Fact::tensor((2, 3), DType::F16), Fact::Unknown]);
    for op in Op::ALL {
        for id in graph.find_nodes(op, None).collect::<Vec<_>>() {
            graph.meta_mut(id).fact = fact.clone();
        }
    }
    let read: Graph = graph.to_text().expect("no tensors").parse().unwrap_or_else(|error| panic!("{error}"));
    for (_, node) in read.nodes() {
        assert_eq!(node.meta().fact, fact, "%{}", node.name());
    }
    let mut copy = Graph::new("copy");
    let x = copy.at_end().node_copy(&read, read.first().expect("it is there"), &mut fx_core::ir::NodeMap::new());
    assert_eq!(copy.node(x).meta().fact, fact);
}
