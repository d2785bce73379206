//! Whatever is written is read back, and whatever is read is a graph or an error with a place.

use std::fmt::Write as _;

use candle_core::DType;
use insta::assert_snapshot;

use crate::ir::samples::my_module;
use crate::ir::{Argument, Fields, Graph, Keyword, ModuleStack, NodeId, Origin, Source, Target};
use crate::ops::OpTable;
use crate::value::{Fact, Value};

/// A small generator of numbers; the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        // Splitmix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// What differs between two graphs, if anything does.
fn difference(a: &Graph, b: &Graph) -> Option<String> {
    if (a.name(), a.len()) != (b.name(), b.len()) {
        return Some(format!("{} with {} nodes, {} with {}", a.name(), a.len(), b.name(), b.len()));
    }
    let places: std::collections::HashMap<NodeId, NodeId> =
        a.nodes().zip(b.nodes()).map(|((a, _), (b, _))| (a, b)).collect();
    for ((id, x), (_, y)) in a.nodes().zip(b.nodes()) {
        let map = |argument: &Argument| argument.map_nodes(&mut |id| places[&id]);
        let args: Vec<Argument> = x.args().iter().map(map).collect();
        let kwargs: Vec<(Keyword, Argument)> =
            x.kwargs().iter().map(|(key, value)| (key.clone(), map(value))).collect();
        let same = x.name() == y.name() && x.target() == y.target() && args == y.args() && kwargs == y.kwargs();
        if !same {
            return Some(a.node_line(id));
        }
    }
    None
}

/// [`difference`], and what is remembered about nodes.
fn full_difference(a: &Graph, b: &Graph) -> Option<String> {
    difference(a, b).or_else(|| {
        a.nodes().zip(b.nodes()).find_map(|((id, x), (_, y))| {
            let (x, y) = (x.meta(), y.meta());
            let source = |meta: &crate::ir::Meta| meta.source.as_ref().map(|at| (at.file().to_owned(), at.line()));
            let same = x.fact == y.fact
                && x.module == y.module
                && x.note() == y.note()
                && x.from() == y.from()
                && x.annotations() == y.annotations()
                && source(x) == source(y);
            (!same).then(|| format!("{}: {x:?} and {y:?}", a.node_line(id)))
        })
    })
}

/// The law of the text form.
#[track_caller]
fn assert_reads_back(graph: &Graph, ops: &OpTable) {
    let text = graph.to_string();
    let read = Graph::parse(&text, ops).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(difference(graph, &read), None, "{text}");
    assert_eq!(read.to_string(), without_comments(graph).to_string());
    let full = graph.to_text().unwrap_or_else(|error| panic!("{error}\n{text}"));
    let read = Graph::parse(&full, ops).unwrap_or_else(|error| panic!("{error}\n{full}"));
    assert_eq!(full_difference(graph, &read), None, "{full}");
    assert_eq!(read.to_text().as_deref(), Ok(&*full));
    assert_eq!(read.to_string(), text);
}

/// The graph without what the short form has in comments.
fn without_comments(graph: &Graph) -> Graph {
    let mut graph = graph.clone();
    let ids: Vec<NodeId> = graph.nodes().map(|(id, _)| id).collect();
    let inputs = ids.iter().take_while(|&&id| graph.node(id).op() == crate::ir::Op::Placeholder);
    let inputs = inputs.take_while(|&&id| graph.node(id).arguments().next().is_none()).count();
    for &id in &ids[inputs..] {
        *graph.meta_mut(id) = Default::default();
    }
    graph
}

/// The built-in operations, and those of the tests.
fn ops() -> OpTable {
    use crate::ir::samples::{ADD, CAT, CLAMP, RELU, SOFTMAX};
    OpTable::builtin().clone().with(&[&ADD, &CAT, &CLAMP, &RELU, &SOFTMAX])
}

#[test]
fn every_sample_of_every_operation_reads_back() {
    let mut count = 0;
    for op in OpTable::builtin().iter() {
        for sample in (op.samples)() {
            let mut graph = Graph::new("sample");
            let (mut args, mut kwargs) = (Vec::new(), Vec::new());
            for (param, value) in op.params.iter().zip(&sample.0) {
                let argument = tensors_as_inputs(&mut graph, value);
                match param.positional {
                    true => args.push(argument),
                    false => kwargs.push((param.name.into(), argument)),
                }
            }
            let call = graph.at_end().call(op, args, kwargs).expect("samples fit");
            graph.at_end().output(call);
            assert_reads_back(&graph, OpTable::builtin());
            count += 1;
        }
    }
    assert!(count > 400, "{count}");
}

fn tensors_as_inputs(graph: &mut Graph, value: &Value) -> Argument {
    match value {
        Value::Tensor(_) => {
            let id = graph.at_end().placeholder("x");
            graph.meta_mut(id).fact = Fact::of(value);
            id.into()
        }
        Value::List(items) => Argument::List(items.iter().map(|item| tensors_as_inputs(graph, item)).collect()),
        Value::Tuple(items) => Argument::Tuple(items.iter().map(|item| tensors_as_inputs(graph, item)).collect()),
        plain => Argument::from_value(plain).expect("no tensor"),
    }
}

/// Every graph in a snapshot of this crate and of the facade.
#[test]
fn every_graph_in_the_snapshots_reads_back() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("src"), root.join("tests"), root.join("../tests")];
    let (mut count, mut table) = (0, ops());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "snap") {
                let text = std::fs::read_to_string(&path).expect("snapshots are text");
                for graph in graphs_in(&text) {
                    table = with_unknown_functions(table, graph);
                    let read =
                        Graph::parse(graph, &table).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                    assert_reads_back(&read, &table);
                    // But for the comments, it is what was there.
                    let plain = |text: &str| -> Vec<String> {
                        text.lines().map(|line| line.split("  //").next().unwrap_or("").trim_end().to_owned()).collect()
                    };
                    assert_eq!(plain(&read.to_string()), plain(graph), "{}", path.display());
                    count += 1;
                }
            }
        }
    }
    assert!(count >= 7, "{count}");
}

/// The functions that other tests wrap are not in any table here.
fn with_unknown_functions(mut table: OpTable, graph: &str) -> OpTable {
    use crate::ops::{CallKind, OpDef};
    for line in graph.lines() {
        let name = line.split(" = call_function ").nth(1).and_then(|call| call.split('(').next());
        if let Some(name) = name.filter(|name| table.get(CallKind::Function, name).is_none()) {
            let name: &'static str = name.to_owned().leak();
            let op = Box::leak(Box::new(OpDef::wrapped(name, &[], |_| candle_core::bail!("never called"))));
            table = table.with(&[op]);
        }
    }
    table
}

/// The texts from `graph …` to a `}` that is alone in its line.
fn graphs_in(text: &str) -> Vec<&str> {
    let (mut graphs, mut start, mut at) = (Vec::new(), None, 0);
    for line in text.split_inclusive('\n') {
        if line.starts_with("graph ") && line.contains('(') {
            start = Some(at);
        }
        at += line.len();
        if line.trim_end() == "}" {
            graphs.extend(start.take().map(|start| &text[start..at]));
        }
    }
    graphs
}

fn random_argument(random: &mut Random, ids: &[NodeId], depth: usize) -> Argument {
    const STRINGS: [&str; 8] =
        ["", "a", "none", "line\n\"quoted\"\t\\", "größe", "\0\u{202e}\r", "// no comment", "a.b"];
    let text = |random: &mut Random| STRINGS[random.below(STRINGS.len())];
    let int = |random: &mut Random| [0, 1, -1, i64::MAX, i64::MIN, 12_345][random.below(6)];
    let many = |random: &mut Random| -> Vec<Argument> {
        (0..random.below(4)).map(|_| random_argument(random, ids, depth + 1)).collect()
    };
    match random.below(if depth < 4 { 14 } else { 10 }) {
        0..=2 if !ids.is_empty() => ids[random.below(ids.len())].into(),
        0..=2 => Argument::None,
        3 => (random.below(2) == 0).into(),
        4 => int(random).into(),
        // Any bits at all: numbers of all sizes, infinities, every NaN.
        5 => f64::from_bits(random.next()).into(),
        6 => [0.0, -0.0, 1.0, f64::INFINITY, f64::NAN, f64::from_bits(f64::NAN.to_bits() | 1 << 63), f64::MIN_POSITIVE]
            [random.below(7)]
        .into(),
        7 => text(random).into(),
        8 => [DType::F32, DType::BF16, DType::U8, DType::I64, DType::F8E4M3][random.below(5)].into(),
        9 => {
            let end = |random: &mut Random| (random.below(2) == 0).then(|| int(random));
            Argument::Range(Box::new((end(random), end(random))))
        }
        10 => Argument::List(many(random).into()),
        11 => Argument::Tuple(many(random).into()),
        12 => candle_core::Device::Cpu.into(),
        _ => {
            let fields: Fields = many(random).into_iter().map(|item| (text(random).into(), item)).collect();
            Argument::structure(["Out", "a::B", "none", "two words", "f32", ""][random.below(6)], fields)
        }
    }
}

fn random_fact(random: &mut Random, depth: usize) -> Fact {
    let many = |random: &mut Random| (0..random.below(4)).map(|_| random_fact(random, depth + 1)).collect();
    match random.below(if depth < 3 { 6 } else { 4 }) {
        0 => Fact::Unknown,
        1 => Fact::tensor(vec![random.below(9); random.below(4)], DType::F16),
        2 | 3 => Fact::Data(random_argument(random, &[], 1).to_value().expect("no nodes")),
        4 => Fact::List(many(random)),
        _ => Fact::Tuple(many(random)),
    }
}

/// Any graph that can be built, correct or not, with everything that can be remembered.
fn random_graph(random: &mut Random) -> Graph {
    let mut graph = Graph::new(["g", "my-model", "größe", "", "graph"][random.below(5)]);
    let mut ids: Vec<NodeId> = Vec::new();
    let mut stacks = vec![ModuleStack::ROOT];
    for _ in 0..random.below(30) {
        let names = ["x", "x_7", "type", "output", "two words", "größe", "_", "x_007"];
        let name = names[random.below(names.len())];
        let paths = ["m", "", "a.0.b", "odd path", "a..b", ".", "重み"];
        let path = paths[random.below(paths.len())];
        let target = match random.below(6) {
            0 => Target::Placeholder(name.into()),
            1 => Target::GetAttr(path.into()),
            2 | 3 => Target::CallModule(path.into()),
            4 => Target::Output,
            _ => Target::call(&crate::ir::samples::CLAMP),
        };
        let many = |random: &mut Random, ids: &[NodeId]| -> Vec<Argument> {
            (0..random.below(3)).map(|_| random_argument(random, ids, 0)).collect()
        };
        let at = if ids.is_empty() { None } else { Some(ids[random.below(ids.len())]) };
        let mut cursor = match at {
            Some(at) if random.below(4) == 0 => graph.inserting_before(at),
            _ => graph.at_end(),
        };
        let id = cursor.create_node(Target::CallModule("m".into()), [], [], Some(name)).expect("no operation");
        ids.push(id);
        // Arguments may be of later nodes, and need not fit.
        let args = many(random, &ids);
        let mut kwargs: Vec<(Keyword, Argument)> = Vec::new();
        for argument in many(random, &ids) {
            kwargs.push((["max".into(), Keyword::shared("odd name"), "min".into()][random.below(3)].clone(), argument));
        }
        let fits = target.operation().is_some();
        let (args, kwargs): (Vec<Argument>, Vec<(Keyword, Argument)>) = if fits {
            (vec![id.into()], vec![("min".into(), 0.into()), ("max".into(), f64::NAN.into())])
        } else {
            (args, kwargs)
        };
        graph.set_call(id, target, args, kwargs).expect("it fits");
        if fits && random.below(2) == 0 {
            graph.set_args(id, many(random, &ids));
        }
        let meta = graph.meta_mut(id);
        if random.below(2) == 0 {
            meta.fact = random_fact(random, 0);
            meta.source =
                Some(Source::text(["model.rs", "odd\n\"name\".rs", ""][random.below(3)], random.below(9) as u32));
        }
        let stack = stacks[random.below(stacks.len())].clone();
        stacks.push(stack.enter(path, ["Layer", "a::B", "Box<dyn M>"][random.below(3)], random.below(2) as u32));
        meta.module = stack;
        if random.below(4) == 0 {
            meta.set_note("a \"note\"");
            let name = |random: &mut Random| names[random.below(names.len())].into();
            meta.add_origin(Origin { pass: name(random), node: name(random), graph: name(random) });
            meta.annotate(name(random), random_argument(random, &[], 0).to_value().expect("no nodes"));
            meta.annotate("color", Value::Str("red".into()));
        }
    }
    graph
}

#[test]
fn random_graphs_read_back() {
    let table = ops();
    for seed in 0..600 {
        assert_reads_back(&random_graph(&mut Random(seed)), &table);
    }
}

#[test]
fn a_fact_is_told_from_data_that_looks_like_it() {
    let data = Value::List(vec![Value::Int(1), Value::Int(2)]);
    let texts = [
        (Fact::of(&data), "[1, 2]"),
        (Fact::Data(data.clone()), "data [1, 2]"),
        (Fact::List(vec![Fact::Data(data), Fact::Unknown]), "[data [1, 2], ?]"),
        (Fact::Data(Value::DType(DType::F32)), "f32"),
        (Fact::tensor((), DType::F32), "f32[]"),
        (Fact::Tuple(vec![]), "()"),
    ];
    for (fact, text) in texts {
        let mut graph = Graph::new("f");
        let x = graph.at_end().placeholder("x");
        graph.meta_mut(x).fact = fact;
        assert_eq!(graph.to_string(), format!("graph f(%x: {text}) {{\n}}"));
        assert_reads_back(&graph, OpTable::builtin());
    }
}

#[test]
fn the_full_form() {
    let mut graph = my_module();
    let ids: Vec<NodeId> = graph.nodes().map(|(id, _)| id).collect();
    let encoder = ModuleStack::ROOT.enter("encoder", "Encoder", 0);
    for (&id, stack) in ids.iter().zip([
        ModuleStack::ROOT,
        encoder.clone(),
        encoder.enter("encoder.layers.0", "Layer", 0),
        encoder.enter("encoder.layers.0", "Layer", 1),
        encoder,
    ]) {
        let meta = graph.meta_mut(id);
        meta.module = stack;
        meta.fact = Fact::tensor((3, 4), DType::F32);
        meta.source = Some(Source::text("src/model.rs", 10));
    }
    let meta = graph.meta_mut(ids[3]);
    meta.set_note("replaced");
    meta.add_origin(Origin { pass: "fuse".into(), node: "conv".into(), graph: "resnet".into() });
    meta.annotate("stage", Value::Int(2));
    meta.annotate("two words", Value::List(vec![Value::Str("a".into())]));
    assert_snapshot!(graph.to_text().expect("no tensors"));
    assert_reads_back(&graph, &ops());
}

#[test]
fn what_cannot_be_written_is_an_error_that_names_the_node() {
    let tensor = candle_core::Tensor::new(1f32, &candle_core::Device::Cpu).expect("a scalar");
    let mut graph = my_module();
    let ids: Vec<NodeId> = graph.nodes().map(|(id, _)| id).collect();
    graph.meta_mut(ids[2]).annotate("scale", tensor.clone().into());
    assert_snapshot!(graph.to_text().expect_err("a tensor"), @"cannot write %add: what is kept with it as `scale` holds a tensor or is nested too deep");
    let mut graph = my_module();
    graph.meta_mut(ids[0]).fact = Fact::Data(tensor.into());
    assert_snapshot!(graph.to_text().expect_err("a tensor"), @"cannot write %x: what is known of its value holds a tensor or is nested too deep");
    let mut graph = my_module();
    let stack = (0..2000).fold(ModuleStack::ROOT, |stack, _| stack.enter("m", "M", 0));
    graph.meta_mut(ids[1]).module = stack;
    assert_snapshot!(graph.to_text().expect_err("too deep"), @"cannot write %param: it is recorded in more than 1024 modules inside of each other");
}

#[test]
fn space_and_comments_can_be_anywhere() {
    let text = my_module().to_string();
    let mut spaced = String::from("\u{feff}// A comment.\r\n");
    // Between any two tokens: words, numbers, and single marks.
    let mut last = ' ';
    for c in text.chars() {
        let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        if !(joins(last) && joins(c)) && last != '%' && !last.is_whitespace() {
            spaced.push_str(" // } \" ( %\r\n\t\u{a0}");
        }
        spaced.push(c);
        last = c;
    }
    let read = Graph::parse(&spaced, &ops()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read.to_string(), text);
}

/// A graph that is being edited may use a node before its definition; the verifier says so.
#[test]
fn nodes_can_be_used_before_they_are_defined() {
    let text = "\
graph f(%x) {
    %a = call_method relu(%b)
    %b = call_function add(%c, %a)
    %c = call_method relu(%c)
    output [%c, %a]
}";
    let graph: Graph = text.parse().expect("the names are known in the end");
    assert_eq!(graph.to_string(), text);
    let rules: Vec<&str> = graph.verify().expect_err("uses come first").0.iter().map(|error| error.rule()).collect();
    assert!(rules.contains(&"V4"), "{rules:?}");
    let c = graph.node_named("c").expect("it is defined");
    assert_eq!(graph.users(c).count(), 3);
}

#[test]
fn errors_show_the_place() {
    let deep = format!("graph f() {{ output {}", "[".repeat(10_000_000));
    let texts = [
        "",
        "grph f() {}",
        "graph f(x) {}",
        "graph f(%x: f33[3]) {}",
        "graph f(%x: f32[3, -1]) {}",
        "graph f(%x: f32[99999999999, 99999999999]) {}",
        "graph f(%x: f32[99999999999999999999]) {}",
        "graph f(%x) {",
        "graph f(%x) {\n    %y = call_function addd(%x, %x)\n}",
        "graph f(%x) {\n    %y = call_function relu(%x)\n}",
        "graph f(%x) {\n    %y = call_method my_own_thing(%x)\n}",
        "graph f(%input) {\n    output %inptu\n}",
        "graph f(%x) {\n    %x = get_attr w()\n}",
        "graph f(%x) {\n    output %x\n    output %x\n}",
        "graph f(%type) {\n}",
        "graph f(%x) {\n    %y = call_modul m(%x)\n}",
        "graph f(%x) {\n    get_attr w()\n}",
        "graph f(%x) {\n    %y = call_module m(k = 1, %x)\n}",
        "graph f(%x) {\n    %y = call_module m(%x) %z\n}",
        "graph f(%x) {\n    output 99999999999999999999\n}",
        "graph f(%x) {\n    output 1e999\n}",
        "graph f(%x) {\n    output 1..2.5\n}",
        "graph f(%x) {\n    output (%x)\n}",
        "graph f(%x) {\n    output None\n}",
        "graph f(%x) {\n    output \"open\n}",
        "graph f(%x) {\n    output \"\\q\"\n}",
        "graph f(%x) {\n    output \"\\u{d800}\"\n}",
        "graph f(%x) {\n    output nan:0x1\n}",
        "graph f(%x) {\n    output cuda:0\n}",
        "graph f(%x) {\n    output a\0b\n}",
        "graph f(%größe) {\n    output [%größe, \u{202e}]\n}",
        "graph f(%x) {\n    output %x\n} graph",
        "graph f(%x) {\n    output %x @{ fat: ? }\n}",
        "graph f(%x) {\n    output %x @{ note: \"a\", note: \"b\" }\n}",
        "graph f(%x) {\n    output %x @{ in: #1 }\n}",
        "graph f(%x) {\n    #2 = m: M\n}",
        "graph f(%x) {\n    output %x @{ custom: { a: %x } }\n}",
        "graph f(%x) {\n    output %x @{ custom: { a: 1, a: 2 } }\n}",
        &deep,
    ];
    let mut report = String::new();
    for text in texts {
        let error = text.parse::<Graph>().expect_err(&text[..text.len().min(80)]);
        writeln!(report, "{error}\n").expect("a string takes everything");
    }
    assert_snapshot!(report);
}

/// Whatever becomes of a text, it is a graph or an error with a place in it.
fn read_hostile(text: &str, table: &OpTable) {
    match Graph::parse(text, table) {
        Ok(graph) => {
            let printed = graph.to_string();
            let again = Graph::parse(&printed, table).unwrap_or_else(|error| panic!("{error}\n{printed}"));
            assert_eq!(difference(&graph, &again), None);
        }
        Err(error) => {
            let lines: Vec<&str> = text.split('\n').collect();
            assert!(error.line >= 1 && error.line <= lines.len(), "{error}");
            assert!(error.column <= lines[error.line - 1].chars().count() + 1, "{error}");
            assert!(error.to_string().len() < 2000);
        }
    }
}

fn hostile_seeds() -> Vec<String> {
    let mut seeds: Vec<String> =
        (0..12).map(|seed| random_graph(&mut Random(seed)).to_text().expect("no tensors")).collect();
    seeds.push(my_module().to_string());
    seeds
}

#[test]
fn truncated_texts_are_errors() {
    let table = ops();
    for text in hostile_seeds() {
        for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
            assert!(Graph::parse(&text[..end], &table).is_err(), "{}", &text[..end]);
            read_hostile(&text[..end], &table);
        }
    }
}

#[test]
fn changed_texts_are_graphs_or_errors() {
    let table = ops();
    let mut random = Random(7);
    for text in hostile_seeds() {
        for _ in 0..1500 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                match random.below(3) {
                    0 => bytes[at] = random.next() as u8,
                    1 => _ = bytes.remove(at),
                    _ => bytes.insert(at, b"{}[]()\"%#@.,:=-0e\\n\0\r"[random.below(21)]),
                }
            }
            read_hostile(&String::from_utf8_lossy(&bytes), &table);
        }
    }
}

/// Quadratic time or recursion would be noticed here.
#[test]
fn large_texts_take_linear_time() {
    const SIZE: usize = 4_000_000;
    for (start, again) in [
        ("graph f() { output ", "["),
        ("graph f() { output ", "("),
        ("graph f() { output ", "a{b:"),
        ("graph f(%x: ", "["),
        ("graph f() { output \"", "\\n"),
        ("graph f() { output \"", "x"),
        ("graph f() { output ", "9"),
        ("graph f() { output 0.", "9"),
        ("graph f() { output [", "1,"),
        ("graph f() { output [", "%x,"),
        ("graph ", "x"),
        ("", "\0"),
        ("", "// no graph"),
        ("", "//\n"),
        ("graph f() { %y = call_module ", "a."),
        ("graph f() { %y = call_function ", "a::"),
        ("graph f() { %y = call_function f(", "a=1,"),
        ("graph f(", "%x"),
        ("graph f() { #1 = m: M", " #2 = m: M in #1"),
    ] {
        read_hostile(&format!("{start}{}", again.repeat(SIZE / again.len())), OpTable::builtin());
    }
}

#[test]
fn a_chain_of_many_nodes_and_modules_reads_back() {
    let mut text = String::from("graph chain(%x) {\n    #1 = m: M\n    %n0 = call_method relu(%x)\n");
    for i in 1..200_000 {
        writeln!(text, "    %n{i} = call_method relu(%n{})", i - 1).expect("a string takes everything");
    }
    text.push_str("    output %n199999\n}");
    let graph: Graph = text.parse().expect("it is a graph");
    assert_eq!(graph.len(), 200_002);
    let printed = graph.to_string();
    assert_eq!(printed, text.replace("    #1 = m: M\n", ""));

    // Backwards, every use comes before its definition.
    let lines: Vec<&str> = printed.lines().collect();
    let reversed: Vec<&str> =
        lines[..1].iter().chain(lines[1..lines.len() - 1].iter().rev()).chain(["}"].iter()).copied().collect();
    let graph: Graph = reversed.join("\n").parse().expect("it is a graph");
    assert_eq!(graph.to_string(), reversed.join("\n"));

    let mut text = String::from("graph deep(%x) {\n    #1 = m: M\n");
    for i in 2..=5000 {
        writeln!(text, "    #{i} = m: M in #{}", i - 1).expect("a string takes everything");
    }
    let error = text.parse::<Graph>().expect_err("too deep");
    assert_eq!((error.line, error.column), (1026, 5));
}
