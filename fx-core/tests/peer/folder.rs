//! A module as a crate of its own (torch.fx's `to_folder`): what it looks like, what it refuses, and how large functions get.
//! That it computes the same bits is tested on whole models, in `tests/corpus`.

use std::io::Write as _;
use std::process::{Command, Stdio};

use candle_core::{DType, Device, Tensor};
use fx_core::codegen::{Folder, Statement};
use fx_core::ir::{Argument, Dynamic, Graph, Guard, ModuleStack, NodeId, Signature, Size, SizeOf, Source, StateSlot};
use fx_core::module::{Attributes, GraphModule};
use fx_core::ops::{CallKind, OpDef, OpTable, Param};
use fx_core::trace::Tracer;
use fx_core::value::{Fact, Relation, SymInt, SymOp, TensorFact, Value};

use super::support::{op, plus, tensor};

/// `layers` modules, each of two steps, on the weights of one size each.
fn layers(count: usize) -> GraphModule {
    let mut graph = Graph::new("stack");
    let mut value = graph.at_end().placeholder("x");
    graph.meta_mut(value).fact = Fact::tensor(2, DType::F32);
    let mut attributes = Attributes::new();
    let stack = ModuleStack::ROOT.enter("stack", "Stack", 0);
    for i in 0..count {
        let inside = stack.enter(format!("stack.layers.{i}"), "Layer", 0);
        let mut cursor = graph.at_end().with_module(inside).with_source(Source::text("model.rs", 10));
        let path = format!("stack.layers.{i}.weight");
        let weight = cursor.get_attr(path.as_str());
        let sum = cursor.call(plus(), [value.into(), weight.into()], []).expect("fits");
        value = cursor.call(op("relu"), [sum.into()], []).expect("fits");
        attributes.insert(path, tensor(&[i as f32, 1.0]));
    }
    graph.at_end().output(value);
    GraphModule::new(graph, attributes).expect("a correct graph")
}

fn source(folder: &Folder<'_>, module: &GraphModule) -> String {
    folder.write(module).expect("it can be written").code().to_string()
}

/// rustfmt has nothing to change.
#[track_caller]
fn assert_formatted(source: &str) {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path", "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("rustfmt is installed");
    rustfmt.stdin.take().expect("piped").write_all(source.as_bytes()).expect("it reads");
    let output = rustfmt.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stdout), source);
}

#[test]
fn equal_modules_are_one_struct_and_a_loop() {
    let module = layers(24);
    let written = source(&Folder::new(), &module);
    insta::assert_snapshot!(written);
    assert_formatted(&written);
    assert_eq!(source(&Folder::new(), &layers(24)), written, "the same module gives the same text");
    let lines = |text: &str| text.lines().count();
    assert_eq!(lines(&source(&Folder::new(), &layers(240))), lines(&written), "it grows by data, not by code");
}

#[test]
fn steps_lead_back_to_their_nodes() {
    let module = layers(2);
    let folder = Folder::new().comments(true).explain_errors(true);
    let written = folder.write(&module).expect("it can be written");
    let shown: Vec<String> = written
        .code()
        .lines()
        .filter_map(|(line, node)| Some(format!("{:<8} {line}", module.graph().node(node?).name())))
        .collect();
    insta::assert_snapshot!(shown.join("\n"));
    assert_formatted(written.code().as_str());
}

#[test]
fn statements_can_be_changed() {
    let module = layers(2);
    let folder = Folder::new().transform(|function, body| {
        if function == "Layer::forward" {
            body.insert(0, Statement::new("println!(\"{:?}\", x.dims())"));
        }
    });
    let written = source(&folder, &module);
    assert!(written.contains("        println!(\"{:?}\", x.dims());\n"), "{written}");
    let broken = Folder::new().transform(|_, body| body.push(Statement::new("let = 1;"))).write(&module);
    assert!(broken.expect_err("not Rust").to_string().contains("`let = 1;`"));
}

/// Lists, tuples, structures and options come in and go out as in the original.
#[test]
fn parameters_and_results_keep_their_structure() {
    let mut graph = Graph::new("structured");
    let mut cursor = graph.at_end();
    let [a, b, c, d] = ["xs_0", "xs_1", "pair_0", "cache_k"].map(|name| cursor.placeholder(name));
    let sum = cursor.call(plus(), [a.into(), b.into()], []).expect("fits");
    let all = cursor.call(plus(), [c.into(), d.into()], []).expect("fits");
    let fields: Vec<(std::sync::Arc<str>, Argument)> = vec![("k".into(), sum.into()), ("v".into(), Argument::None)];
    let list = Argument::List(Box::new([Argument::Node(all), Argument::None]));
    cursor.output((Argument::structure("State", fields), list, 3));
    let cache: Vec<(std::sync::Arc<str>, Argument)> = vec![("k".into(), d.into()), ("v".into(), Argument::None)];
    let parameters: Vec<(std::sync::Arc<str>, Argument)> = vec![
        ("xs".into(), [a, b].into()),
        ("pair".into(), (c, 7).into()),
        ("index_pos".into(), 0.into()),
        ("cache".into(), Argument::structure("State", cache)),
    ];
    graph.set_signature(Some(Signature { parameters: parameters.into(), ..Signature::default() }));
    let module = GraphModule::new(graph, Attributes::new()).expect("a correct graph");
    let written = source(&Folder::new(), &module);
    insta::assert_snapshot!(written);
    assert_formatted(&written);
}

/// Sizes are read off the inputs, handed down to who computes with them, and checked.
#[test]
fn sizes_of_a_run_are_read_and_checked() {
    let (batch, seq) = (SymInt::symbol("batch", 2), SymInt::symbol("seq", 7));
    let mut graph = Graph::new("dynamic");
    let x = graph.at_end().placeholder("x");
    let extents = [batch.clone(), seq.clone(), SymInt::from(3)];
    graph.meta_mut(x).fact = Fact::Tensor(TensorFact::symbolic(extents, DType::F32).expect("extents"));
    let inside = ModuleStack::ROOT.enter("flat", "Flat", 0);
    let mut cursor = graph.at_end().with_module(inside);
    let rows = Argument::SymInt(batch.times(&seq).expect("small"));
    let shape = [("s".into(), Argument::Tuple(Box::new([rows, 3.into()])))];
    let flat = cursor.call(op("reshape"), [x.into()], shape).expect("fits");
    let relu = cursor.call(op("relu"), [flat.into()], []).expect("fits");
    graph.at_end().output((relu, Argument::SymInt(seq.clone())));
    let size = |name: &str, hint, axis| Size { name: name.into(), hint, places: vec![SizeOf::Extent(x, axis)] };
    let source = Some(Source::text("model.rs", 12));
    let guard = Guard { left: seq.clone().into(), relation: Relation::Le, right: 32.into(), source };
    graph.set_dynamic(Some(Dynamic { sizes: vec![size("batch", 2, 0), size("seq", 7, 1)], guards: vec![guard] }));
    let module = GraphModule::new(graph, Attributes::new()).expect("a correct graph");
    let written = self::source(&Folder::new(), &module);
    insta::assert_snapshot!(written);
    assert_formatted(&written);
}

/// What can be no size, or divides by a size that can be zero, is an error where it is computed, as in the graph.
#[test]
fn numbers_that_are_no_sizes_are_errors() {
    let (batch, seq) = (SymInt::symbol("batch", 2), SymInt::symbol("seq", 7));
    let less = SymInt::binary(SymOp::Sub, &seq, &SymInt::from(3)).expect("small");
    let each = SymInt::binary(SymOp::Div, &seq, &batch).expect("small");
    let left = SymInt::binary(SymOp::Rem, &less, &SymInt::from(2)).expect("small");
    let safe = SymInt::binary(SymOp::Div, &seq, &SymInt::from(2)).expect("small");
    let mut graph = Graph::new("dynamic");
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    let mut results = Vec::new();
    for count in [less, each, left, safe] {
        let limits = [("dim", 1.into()), ("start", 0.into()), ("len", Argument::SymInt(count))];
        let limits = limits.map(|(name, value)| (name.into(), value));
        results.push(Argument::Node(cursor.call(op("narrow"), [x.into()], limits).expect("fits")));
    }
    // The type of such a number is what the dtype of the tensor is known by.
    for dtype in [DType::U32, DType::I64, DType::F32] {
        let arange = OpTable::builtin().get(CallKind::Function, "Tensor::arange").expect("in the table");
        let settings = [
            ("start", Argument::Int(0)),
            ("end", Argument::SymInt(seq.clone())),
            ("dtype", Argument::DType(dtype)),
            ("device", Argument::Device(fx_core::value::Device(Device::Cpu).into())),
        ];
        let settings = settings.map(|(name, value)| (name.into(), value));
        results.push(Argument::Node(cursor.call(arange, [], settings).expect("fits")));
    }
    cursor.output(Argument::Tuple(results.into()));
    let extents = [batch, seq];
    graph.meta_mut(x).fact = Fact::Tensor(TensorFact::symbolic(extents, DType::F32).expect("extents"));
    let size = |name: &str, hint, axis| Size { name: name.into(), hint, places: vec![SizeOf::Extent(x, axis)] };
    graph.set_dynamic(Some(Dynamic { sizes: vec![size("batch", 2, 0), size("seq", 7, 1)], guards: Vec::new() }));
    let module = GraphModule::new(graph, Attributes::new()).expect("a correct graph");
    let written = source(&Folder::new(), &module);
    insta::assert_snapshot!(written);
    assert_formatted(&written);
    insta::assert_snapshot!(module.code());
}

/// A matrix of quantized blocks is kept as bytes.
#[test]
fn quantized_matrices_are_written_as_bytes() {
    use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
    let weight = Tensor::ones((4, 32), DType::F32, &Device::Cpu).expect("a tensor");
    let blocks = QTensor::quantize(&weight, GgmlDType::Q8_0).expect("it can be quantized");
    let model = QMatMul::QTensor(std::sync::Arc::new(blocks));
    let tracer = Tracer::new().input("x", DType::F32, (1, 32));
    let module = tracer.trace_with(&model, |matrix, inputs| matrix.forward(&inputs.tensor("x")?)).expect("captured");
    let written = Folder::new().write(&module).expect("it can be written");
    insta::assert_snapshot!(written.code().as_str());
    assert_formatted(written.code().as_str());
    let (name, blocks) = &written.weights()[0];
    assert_eq!((name.as_str(), blocks.dtype()), ("blocks", DType::U8));
}

fn parsed(text: &str, attributes: Attributes) -> GraphModule {
    let graph: Graph = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    GraphModule::new(graph, attributes).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A path in a model can be anything; names of the fields cannot.
#[test]
fn the_state_has_a_field_for_each_part() {
    let names = ["cache.k", "cache_k", "0", "type", "self", "ends-with-dash-", "State"];
    let mut graph = Graph::new("names");
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    let inputs: Vec<NodeId> = names.iter().map(|_| cursor.placeholder("old")).collect();
    let sums = inputs.iter().map(|input| cursor.call(plus(), [x.into(), (*input).into()], []).expect("fits"));
    let written: Vec<Argument> = sums.map(Argument::Node).collect();
    cursor.output((inputs[0], Argument::Tuple(written.into())));
    let slots =
        names.iter().zip(&inputs).map(|(name, input)| StateSlot { name: (*name).into(), reads: (*input).into() });
    let parameters = [("state".into(), x.into())];
    graph.set_signature(Some(Signature { parameters: parameters.into(), state: slots.collect() }));
    let module = GraphModule::new(graph, Attributes::new()).expect("a correct graph");
    let written = source(&Folder::new(), &module);
    insta::assert_snapshot!(written);
    assert_formatted(&written);
}

#[test]
fn a_state_that_no_type_has_is_refused() {
    let module =
        parsed("graph g(%x, %k) takes (x = %x) state (k = %k) {\n    output %x state (k = 3)\n}", Attributes::new());
    let mixed = Folder::new().write(&module).expect_err("a tensor, and then a number");
    insta::assert_snapshot!(mixed);
}

#[test]
fn weights_get_the_names_of_the_checkpoint() {
    let module = layers(3);
    let renamed = |path: &str| path.replace("stack", "model").replace("layers", "h").replace("weight", "w");
    let written = Folder::new().rename(renamed).write(&module).expect("it can be written");
    let code = written.code().as_str();
    assert!(code.contains("format!(\"h.{i}\")") && code.contains("vb.get(2, \"w\")?"), "{code}");
    let names: Vec<&str> = written.weights().iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["model.h.0.w", "model.h.1.w", "model.h.2.w"]);
    assert!(module.tensor("stack.layers.0.weight").is_some(), "the module is as it was");
    // Two that take each other's place.
    let attributes = Attributes::from_iter([("a", tensor(&[1.0])), ("b.c", tensor(&[2.0]))]);
    let text = "graph g(%x) {\n    %a = get_attr a()\n    %b = get_attr b.c()\n    output (%a, %b)\n}";
    let module = parsed(text, attributes);
    let exchanged = |path: &str| if path == "a" { "b.c".to_owned() } else { "a".to_owned() };
    let written = Folder::new().rename(exchanged).write(&module).expect("two names");
    let of = |name: &str| {
        written.weights().iter().find(|(other, _)| other == name).map(|(_, tensor)| tensor.to_vec1::<f32>())
    };
    assert_eq!(of("b.c").expect("there").expect("floats"), [1.0]);
    assert_eq!(of("a").expect("there").expect("floats"), [2.0]);
    // A model that is a layer itself.
    let linear = candle_nn::Linear::new(tensor(&[1.0, 2.0]).reshape((1, 2)).expect("two"), None);
    let tracer = Tracer::new().input("x", DType::F32, (3, 2));
    let one =
        tracer.trace_with(&linear, |linear, inputs| linear.forward(&inputs.tensor("x")?)).expect("it is captured");
    for (name, expected) in [("", "weight"), ("head", "head.weight"), ("head.", "head.weight")] {
        let written = Folder::new().rename(|path| format!("{name}{path}")).write(&one).expect("it can be written");
        assert_eq!(written.weights()[0].0, expected);
    }
    let refused = Folder::new().rename(|_| "w".to_owned()).write(&module).expect_err("one name");
    insta::assert_snapshot!(refused, @"`b.c` and `a` are both renamed to `w`; give each a name of its own in `Folder::rename`");
}

static OURS: OpDef =
    OpDef::wrapped("ours::scale", &[Param::new("x", true).written("&Tensor")], |args| Ok(args.values[0].clone()));

fn with_functions() -> GraphModule {
    let mut graph = Graph::new("g");
    let mut cursor = graph.at_end();
    let mut value: NodeId = cursor.placeholder("x");
    for _ in 0..2 {
        value = cursor.call(&OURS, [value.into()], []).expect("fits");
    }
    cursor.output(value);
    GraphModule::new(graph, Attributes::new()).expect("a correct graph")
}

#[test]
fn what_a_crate_cannot_hold_is_told_at_once() {
    let module = with_functions();
    insta::assert_snapshot!(Folder::new().write(&module).expect_err("no such function"));
    let supplied = Folder::new().dependency("ours", "{ path = \"../ours\" }");
    assert!(source(&supplied, &module).contains("ours::scale(x)?"));
    let refused = Folder::new().name("9 lives").write_to(&layers(1), "nowhere").expect_err("no name of a package");
    assert!(refused.to_string().contains("`9 lives`"), "{refused}");
    assert!(!std::path::Path::new("nowhere").exists(), "nothing is written");
}

/// No function is too long for people or for rustc, however long the graph is.
#[test]
fn long_graphs_are_cut_into_short_functions() {
    let mut graph = Graph::new("chain");
    let mut value = graph.at_end().placeholder("x");
    let operations = ["relu", "tanh", "sqr", "neg", "abs"].map(op);
    for i in 0..100_000_usize {
        value = graph.at_end().call(operations[(i * i + i / 3) % 5], [value.into()], []).expect("fits");
    }
    graph.at_end().output(value);
    let module = GraphModule::new(graph, Attributes::new()).expect("a correct graph");
    let written = source(&Folder::new(), &module);
    let (mut longest, mut length) = (0, 0);
    for line in written.lines() {
        length = if line.contains(" fn ") { 0 } else { length + 1 };
        longest = longest.max(length);
    }
    assert!(longest < 200, "{longest} lines");
}

/// The whole crate, as files.
#[test]
fn a_crate_is_written_as_files() {
    let directory = std::env::temp_dir().join(format!("fx-folder-{}", std::process::id()));
    let module = layers(2);
    module.to_folder(&directory).expect("it is written");
    let manifest = std::fs::read_to_string(directory.join("Cargo.toml")).expect("there");
    let weights = candle_core::safetensors::load(directory.join("model.safetensors"), &Device::Cpu).expect("there");
    std::fs::remove_dir_all(&directory).expect("ours");
    insta::assert_snapshot!(manifest);
    let mut names: Vec<&String> = weights.keys().collect();
    names.sort();
    assert_eq!(names, ["stack.layers.0.weight", "stack.layers.1.weight"]);
    let expected = module.tensor("stack.layers.1.weight").expect("there");
    let bits = |tensor: &Tensor| tensor.to_vec1::<f32>().expect("floats");
    assert_eq!(bits(&weights["stack.layers.1.weight"]), bits(&expected));
    assert_eq!(module.run(&[Value::from(tensor(&[0.0, 0.0]))]).expect("it runs").tensors().len(), 1);
}
