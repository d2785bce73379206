//! What graphs look like.

use candle_core::{DType, Device};
use insta::assert_snapshot;

use crate::ir::samples::{CAT, SOFTMAX, add, my_module, relu};
use crate::ir::{Argument, Graph, Source, Target};
use crate::value::{Fact, Value};

#[test]
fn a_module() {
    assert_snapshot!(my_module());
}

#[test]
fn what_is_known_of_nodes() {
    let mut graph = my_module();
    let ids: Vec<_> = graph.nodes().map(|(id, _)| id).collect();
    for &id in &ids[..3] {
        graph.meta_mut(id).fact = Fact::tensor((3, 4), DType::F32);
    }
    graph.meta_mut(ids[2]).source = Some(Source::text("src/bin\\model.rs", 10));
    graph.meta_mut(ids[3]).source = Some(Source::text("two\nlines.rs", 7));
    graph.meta_mut(ids[4]).fact = Fact::List(vec![Fact::Unknown, Fact::Data(Value::Int(3))]);
    assert_snapshot!(graph);
}

#[test]
fn one_line() {
    let graph = my_module();
    let lines: Vec<String> = graph.nodes().map(|(id, _)| graph.node_line(id)).collect();
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_table() {
    assert_snapshot!(my_module().print_tabular());
}

#[test]
fn every_kind_of_argument() {
    let mut graph = Graph::new("kinds");
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    let plain: Vec<Argument> = vec![
        Argument::None,
        true.into(),
        (-3).into(),
        1.0.into(),
        1e-12.into(),
        f64::INFINITY.into(),
        f64::NEG_INFINITY.into(),
        f64::NAN.into(),
        f64::from_bits(0xfff8_0000_0000_0001).into(),
        (-0.0).into(),
        "a \"quoted\"\nline // é \u{202e}".into(),
        DType::BF16.into(),
        Device::Cpu.into(),
        (1..3usize).into(),
        (-1..).into(),
        (..4usize).into(),
        (..).into(),
    ];
    cursor.call_module("plain", plain, []);
    let nested: Vec<Argument> = vec![
        vec![x, x].into(),
        Vec::<i64>::new().into(),
        ().into(),
        (x,).into(),
        (x, (1, [2])).into(),
        Argument::structure("Out", [("logits".into(), x.into()), ("hidden".into(), [x].into())]),
        Argument::structure("my::Empty", []),
        Argument::structure("Odd one", [("the field".into(), 1.into())]),
    ];
    cursor.call_module("nested", nested, []);
    assert_snapshot!(graph);
}

#[test]
fn odd_names() {
    let mut graph = Graph::new("my-model");
    let mut cursor = graph.at_end();
    let input = cursor.placeholder("type");
    cursor.placeholder("two words");
    cursor.placeholder("größe");
    cursor.placeholder("output");
    for path in ["", "encoder.layers.0", "a-b", "a..b", ".", "say \"hi\"", "重み.0", "a b", "tab\t"] {
        cursor.get_attr(path);
    }
    cursor.call_module("m", [], [(crate::ir::Keyword::shared("odd name"), input.into()), ("type".into(), 1.into())]);
    let softmax = cursor.call_function(&SOFTMAX, [input.into()], [("dim".into(), 1.into())]).unwrap();
    let cat = cursor.call_function(&CAT, [[softmax, input].into()], [("dim".into(), 0.into())]).unwrap();
    cursor.output((cat, softmax));
    assert_snapshot!(graph);
}

#[test]
fn many_inputs() {
    let mut graph = Graph::new("wide");
    for i in 0..6 {
        let id = graph.at_end().placeholder(&format!("attention_mask_{i}"));
        graph.meta_mut(id).fact = Fact::tensor((1, 512), DType::U32);
    }
    assert_snapshot!(graph);
}

/// A graph that is not correct is still written as it is.
#[test]
fn incorrect_graphs() {
    let mut graph = my_module();
    let ids: Vec<_> = graph.nodes().map(|(id, _)| id).collect();
    graph.at_end().placeholder("late");
    graph.set_args(ids[0], [1.into()]);
    graph.set_args(ids[5], []);
    assert_snapshot!(graph);
    assert_snapshot!(Graph::new("nothing"), @r"
    graph nothing() {
    }
    ");
}

#[test]
fn a_long_line_does_not_move_the_comments_of_others() {
    let mut graph = Graph::new("g");
    let x = graph.at_end().placeholder("x");
    for name in ["a", "a_name_of_the_usual_length_that_makes_its_line_longer", &"long_".repeat(30)] {
        let mut cursor = graph.at_end().with_source(Source::text("model.rs", 1));
        let id = cursor.create_node(Target::CallModule("m".into()), [x.into()], [], Some(name)).unwrap();
        cursor.meta_mut(id).fact = Fact::tensor((), DType::F32);
    }
    assert_snapshot!(graph);
}

/// Quadratic time or recursion would be noticed here.
#[test]
fn large_graphs_are_written_in_linear_time() {
    let mut graph = Graph::new("chain");
    let mut cursor = graph.at_end().with_source(Source::text("model.rs", 1));
    let mut x = cursor.placeholder("x");
    for _ in 0..50_000 {
        x = relu(&mut cursor, x);
    }
    let wide: Vec<Argument> = (0..50_000).map(|_| x.into()).collect();
    cursor.output(Argument::List(wide.into()));
    let text = graph.to_string();
    assert!(text.contains("    %relu_49999 = call_method relu(%relu_49998)        // model.rs:1\n"));
    assert!(text.len() < 60 * 100_000);
    assert!(graph.print_tabular().len() < 120 * 100_000);
    assert!(add(&mut graph.at_start(), x, x) != x);
}

#[test]
fn any_number_of_annotations_reads_back() {
    let keys: Vec<String> = (0..100_000).map(|i| format!("k{i}: {i}")).collect();
    let text = format!("graph f(%x) {{\n    output %x @{{ custom: {{ {} }} }}\n}}", keys.join(", "));
    let graph: Graph = text.parse().expect("it is a graph");
    let output = graph.node(graph.output_node().expect("it has an output"));
    assert_eq!(output.meta().annotations().len(), keys.len());
    assert_eq!(output.meta().annotation("k99999"), Some(&Value::Int(99_999)));
    let twice = text.replace("k7: 7,", "k7: 7, k7: 7,");
    let error = twice.parse::<Graph>().expect_err("a key is there twice").to_string();
    assert!(error.contains("this key is given twice"), "{error}");
}

/// Texts of many names. Quadratic time would be noticed here.
#[test]
fn any_number_of_names_is_read_in_linear_time() {
    const COUNT: usize = 20_000;
    let each = |write: &dyn Fn(usize) -> String| (0..COUNT).map(write).collect::<String>();
    let inputs = each(&|i| format!("%x{i},"));
    let slots = each(&|i| format!("layers.{i}.cache = %x{i},"));
    let sized = each(&|i| format!("%x{i}: f32[n],"));
    let calls = |of: &dyn Fn(usize) -> String| format!("graph f(%x) {{ {} output %x }}", each(of));
    for (what, text) in [
        ("inputs", format!("graph f({inputs}) {{ output %x0 }}")),
        ("parameters", format!("graph f({inputs}) takes ({}) {{ output %x0 }}", each(&|i| format!("p{i} = %x{i},")))),
        ("state", format!("graph f({inputs}) takes () state ({slots}) {{ output %x0 state ({slots}) }}")),
        ("places of a size", format!("graph f<n: 3{}>({sized}) {{ output %x0 }}", each(&|i| format!(" = %x{i}[0]")))),
        (
            "guards",
            format!("graph f<n: 3 = %x[0]>(%x: f32[n]) where ({}) {{ output %x }}", each(&|i| format!("n >= -{i},"))),
        ),
        ("attributes", calls(&|i| format!("%a{i} = get_attr layers.{i}.weight() "))),
        ("layers", calls(&|i| format!("%a{i} = call_module layers.{i}(%x) "))),
        ("modules", calls(&|i| format!("#{0} = m{0}: M{0} %a{i} = get_attr w() @{{ in: #{0} }} ", i + 1))),
        ("sources", calls(&|i| format!("%a{i} = get_attr w() @{{ at: \"{i}.rs\":{i} }} "))),
        (
            "arguments by name",
            format!("graph f(%x) {{ %y = call_module m(%x, {}) output %y }}", each(&|i| format!("k{i} = 1,"))),
        ),
        ("fields", format!("graph f(%x) {{ output S {{ {} }} }}", each(&|i| format!("f{i}: %x,")))),
        (
            "uses before definitions",
            calls(&|i| format!("%a{i} = call_module m(%b{i}) %b{} = call_module m(%x) ", COUNT - 1 - i)),
        ),
    ] {
        let graph: Graph = text.parse().unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(graph.verify().is_ok(), what != "uses before definitions", "{what}");
        let written = graph.to_text().expect("no tensors");
        let again: Graph = written.parse().unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(again.to_text().as_ref(), Ok(&written), "{what}");
    }
}
