//! Graphs with names from bug reports: what hides Rust's own names, what is no name in Rust, and what differs only in case.

use candle::{DType, Device, Result, Tensor};
use corpus::case::{Captured, Failure};
use corpus::weights::uniform;
use fx::ir::{Graph, ModuleStack};
use fx::ops::{CallKind, OpTable};
use fx::symbolic::Tensor as Proxy;
use fx::{Attributes, GraphModule};

const INPUTS: &[&str] = &[
    "self",
    "add",
    "add_1",
    "Ok",
    "Some",
    "Tensor",
    "candle_core",
    "candle_nn",
    "Result",
    "Vec",
    "vb",
    "i",
    "inf",
    "nan",
    "type",
    "expect",
    "x",
    "Q",
    "q",
    "drop",
    "f32",
    "std",
    "fn",
    "gen",
    "async",
    "try",
    "union",
    "macro_rules",
    "None",
    "Err",
    "Module",
    "Device",
    "DType",
    "self_",
    "crate_",
    "x_2",
    "to_size",
    "quantized",
    "usize",
    "str",
    "core",
    "format",
    "vec",
    "quo\"te",
    "back\\slash",
    "{x}",
    "/*",
    "",
    "_1",
    "a-b",
    "é",
    "e\u{301}",
    "İ",
    "\u{212a}",
    "ſ",
    "ｘ",
    "а",
    "名",
];

const PATHS: &[&str] = &[
    "layers.0.type",
    "ends-with-dash",
    "quo\"te",
    "back\\slash",
    "é",
    "crate",
    "_",
    "self",
    "Self",
    "A_log",
    "a_log",
    "a..b",
    "new",
    "load",
    "forward",
    "Tensor",
    "w{i}.0",
    "w{i}.1",
    "0",
    "1",
    "7",
    "vb",
    "i",
    "class.weight",
    "line\nbreak",
    "a",
    "b.a",
    "b_a",
    "e\u{301}",
    "\u{212b}",
    "Å",
    "ﬁ",
    "а",
    "重み.0.偏り",
    "layers.00.type",
    "layers.1.type",
    "layers.18446744073709551616.type",
    "state",
    "initial_state",
    "super",
    "extern.fn",
    "gen.async",
    "*/",
    "{}",
    "tab\there",
    "'a",
    "//",
    "a b",
    "A_LOG",
    "aLog",
];

/// What modules and their types are called.
const MODULES: &[(&str, &str)] = &[
    ("class", "Block"),
    ("crate", "Block"),
    ("_", "Tensor"),
    ("type", "Vec"),
    ("quo\"te.0", "Result"),
    ("quo\"te.1", "Result"),
    ("a.Self", "Model<T>"),
    ("", "Outside"),
    ("a", "r#type"),
    ("é", "Größe"),
    ("_2", "_lower"),
    ("e\u{301}", "Gro\u{308}ße"),
    ("gen", "VarBuilder"),
    ("state", "State"),
    ("重み", "重み"),
    ("а", "а"),
    ("load", "Device"),
    ("reset", "Some"),
    ("new", "impl"),
    ("forward", "Linear"),
    ("self.crate", "{}"),
    ("quo\"te", "\""),
    ("*/", "/*"),
];

fn attributes(paths: &[&str], seed: u64) -> Result<Attributes> {
    let each = paths.iter().enumerate().map(|(i, path)| Ok((*path, uniform(seed + i as u64, 3)?)));
    each.collect::<Result<Vec<_>>>().map(Attributes::from_iter)
}

fn captured(graph: Graph, attributes: Attributes) -> std::result::Result<Captured, Failure> {
    let count = graph.placeholders().count() as u64;
    let graph = GraphModule::new(graph, attributes)?;
    let inputs = [7, 8].map(|seed| (0..count).map(|i| uniform(seed * 100 + i, 3)).collect::<Result<Vec<_>>>());
    Ok(Captured { graph, inputs: inputs.into_iter().collect::<Result<_>>()? })
}

/// Inputs and attributes of these names, all added up.
pub(crate) fn names() -> std::result::Result<Captured, Failure> {
    let add = OpTable::builtin().get(CallKind::Function, "add").ok_or("the operator")?;
    let mut graph = Graph::new("Ok");
    let mut cursor = graph.at_end();
    let inputs: Vec<_> = INPUTS.iter().map(|name| cursor.placeholder(name)).collect();
    let mut sum = inputs[0];
    for input in &inputs[1..] {
        sum = cursor.call(add, [sum.into(), (*input).into()], [])?;
    }
    for path in PATHS {
        let weight = cursor.get_attr(*path);
        sum = cursor.call(add, [sum.into(), weight.into()], [])?;
    }
    cursor.output(sum);
    captured(graph, attributes(PATHS, 1)?)
}

/// Modules of these names, each with a weight; two of one type and of other code.
pub(crate) fn modules() -> std::result::Result<Captured, Failure> {
    let operation = |name| OpTable::builtin().get(CallKind::Function, name).ok_or("the operator");
    let operations = [operation("add")?, operation("mul")?];
    let mut graph = Graph::new("modules");
    let mut value = graph.at_end().placeholder("x");
    let mut paths = Vec::new();
    for (i, (path, type_name)) in MODULES.iter().enumerate() {
        let inside = ModuleStack::ROOT.enter(*path, *type_name, 0);
        let mut cursor = graph.at_end().with_module(inside);
        let path = if path.is_empty() { "outside".to_owned() } else { format!("{path}.weight") };
        let weight = cursor.get_attr(path.as_str());
        paths.push(path);
        for operation in operations.iter().take(1 + i % 2) {
            value = cursor.call(operation, [value.into(), weight.into()], [])?;
        }
    }
    graph.at_end().output(value);
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    captured(graph, attributes(&paths, 50)?)
}

/// A chain without modules, too long for one function.
pub(crate) fn long_chain() -> std::result::Result<Captured, Failure> {
    let names = ["relu", "tanh", "sqr", "neg", "abs", "cos"];
    let mut graph = Graph::new("chain");
    let mut value = graph.at_end().placeholder("x");
    let x = value;
    let add = OpTable::builtin().get(CallKind::Function, "add").ok_or("the operator")?;
    for i in 0..3000 {
        let operation = OpTable::builtin().get(CallKind::Method, names[(i * i) % names.len()]).ok_or("a method")?;
        value = graph.at_end().call(operation, [value.into()], [])?;
        if i % 7 == 0 {
            value = graph.at_end().call(add, [value.into(), x.into()], [])?;
        }
    }
    graph.at_end().output(value);
    captured(graph, Attributes::new())
}

/// Modules that passes have torn apart, one that is called twice with other code, a layer shared by two modules, and a
/// weight that belongs to another module than the one that reads it.
pub(crate) fn torn() -> std::result::Result<Captured, Failure> {
    let add = OpTable::builtin().get(CallKind::Function, "add").ok_or("the operator")?;
    let relu = OpTable::builtin().get(CallKind::Method, "relu").ok_or("a method")?;
    let mut graph = Graph::new("torn");
    let x = graph.at_end().placeholder("x");
    let root = ModuleStack::ROOT;
    let (a, b) = (root.enter("a", "A", 0), root.enter("b", "B", 0));
    let mut value = x;
    let add_to = |graph: &mut Graph, stack: &ModuleStack, value: fx::NodeId, path: &str| {
        let mut cursor = graph.at_end().with_module(stack.clone());
        let weight = cursor.get_attr(path);
        cursor.call(add, [value.into(), weight.into()], [])
    };
    value = add_to(&mut graph, &a, value, "a.w")?;
    value = add_to(&mut graph, &b, value, "b.w")?;
    value = add_to(&mut graph, &a, value, "a.w")?;
    // A node that a pass put into the middle of `c`.
    let c = root.enter("c", "C", 0);
    value = add_to(&mut graph, &c, value, "c.w")?;
    value = graph.at_end().call(relu, [value.into()], [])?;
    value = add_to(&mut graph, &c, value, "c.w")?;
    // Twice, with other code.
    let again = root.enter("c", "C", 1);
    value = add_to(&mut graph, &again, value, "c.w")?;
    // Modules that share one that is inside the first, and a weight of the first.
    for i in 0..3 {
        let layer = root.enter(format!("layers.{i}"), "Layer", 0);
        value = add_to(&mut graph, &layer, value, &format!("layers.{i}.w"))?;
        let shared = layer.enter("layers.0.shared", "Shared", i);
        value = add_to(&mut graph, &shared, value, "layers.0.shared.w")?;
        value = add_to(&mut graph, &layer, value, "tied.w")?;
    }
    // A module that calls the one that calls it.
    let outer = root.enter("outer", "Outer", 0);
    let inner = outer.enter("outer.inner", "Inner", 0);
    value = add_to(&mut graph, &outer, value, "outer.w")?;
    value = add_to(&mut graph, &inner, value, "outer.inner.w")?;
    value = add_to(&mut graph, &inner.enter("outer", "Outer", 1), value, "outer.w")?;
    value = add_to(&mut graph, &inner, value, "outer.w")?;
    graph.at_end().output(value);
    let paths = [
        "a.w",
        "b.w",
        "c.w",
        "layers.0.w",
        "layers.1.w",
        "layers.2.w",
        "layers.0.shared.w",
        "tied.w",
        "outer.w",
        "outer.inner.w",
    ];
    captured(graph, attributes(&paths, 70)?)
}

/// Numbers that are hard to write, and constants of all dtypes, an empty one among them.
pub(crate) fn literals() -> std::result::Result<Captured, Failure> {
    let device = Device::Cpu;
    let whole = |numbers: [i64; 3]| Tensor::new(&numbers, &device);
    let of = |dtype| uniform(9, 3)?.to_dtype(dtype);
    let constants: Vec<Tensor> = vec![
        of(DType::F16)?,
        of(DType::BF16)?,
        of(DType::F64)?,
        whole([0, 7, 255])?.to_dtype(DType::U8)?,
        whole([0, 1, 4_294_967_295])?.to_dtype(DType::U32)?,
        whole([i64::MIN, 0, i64::MAX])?,
        Tensor::zeros((0, 3), DType::F32, &device)?,
        Tensor::new(&[f32::from_bits(0x7fc0_1234), f32::NEG_INFINITY, -0.0], &device)?,
        Tensor::new(1.5f32, &device)?,
    ];
    let tracer = fx::Tracer::new().input("x", DType::F32, 3);
    let graph = tracer.trace_with(&constants, |constants, inputs| {
        let x = inputs.tensor("x")?;
        let mut results = vec![
            x.affine(f64::MIN_POSITIVE, -0.0)?,
            x.affine(1e300, f64::from_bits(0x7ff8_0000_0000_1234))?,
            x.clamp(f64::NEG_INFINITY, f64::INFINITY)?,
            x.maximum(f64::MAX)?,
            Proxy::full(f32::from_bits(0x7fc0_1234), 3, &Device::Cpu)?,
            Proxy::full(f32::INFINITY, (0, 3), &Device::Cpu)?,
            Proxy::full(i64::MIN, 3, &Device::Cpu)?,
            Proxy::full(u8::MAX, (), &Device::Cpu)?,
            x.to_dtype(DType::BF16)?.affine(0.1, 1.0)?,
        ];
        results.extend(constants.iter().cloned());
        Ok::<_, candle::Error>(results)
    })?;
    let inputs = [7, 8].map(|seed| Ok(vec![uniform(seed, 3)?]));
    Ok(Captured { graph, inputs: inputs.into_iter().collect::<Result<_>>()? })
}
