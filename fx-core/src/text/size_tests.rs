//! Graphs that follow sizes are written and read back; what is wrong with such a text is said with its place.

use insta::assert_snapshot;

use super::parse_size;
use crate::ir::{Argument, Dynamic, Graph, Size};
use crate::value::{Sizes, Value};

const TEXT: &str = r#"graph g<batch: 2 = %x[0] = %mask[0], seq: 7 = %x[1], past: 0 = %past>(%x: f32[batch, seq, 8], %past: past, %mask: f32[batch, past + seq]) where (seq > 1 at "src/model.rs":10, (past + seq) % 7 == 0, seq <= 32) {
    %reshape = call_method reshape(%x, s = (batch * seq, 8))                 // f32[batch * seq, 8]
    %narrow = call_method narrow(%x, dim = 1, start = seq - 1, len = 1)      // f32[batch, 1, 8]
    %i = call_method i(%x, index = [.., ..(seq + 1) / 2, 1..seq, min(seq, 4)..max(seq, 5) * 2, 3..5])
    output (%reshape, %narrow, %i, seq, 4 * (past - seq))
}"#;

fn read(text: &str) -> Graph {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn what_is_written_reads_back() {
    let graph = read(TEXT);
    let text = graph.to_text().unwrap();
    let again = read(&text);
    assert_eq!(again.to_text().unwrap(), text);
    assert_eq!(again.to_string(), graph.to_string());
    assert_eq!(again.dynamic(), graph.dynamic());
    assert_eq!(graph.clone().dynamic(), graph.dynamic());
    assert_snapshot!(text);
}

#[test]
fn expressions_have_their_values() {
    let graph = read(TEXT);
    let output = graph.node(graph.output_node().unwrap());
    let Argument::Tuple(items) = &output.args()[0] else { panic!("{output:?}") };
    let sizes = Sizes::from_iter([("batch", 3), ("seq", 5), ("past", 9)]);
    assert_eq!(items[3].at_hint(), Some(Value::Int(7)));
    assert_eq!(items[4].evaluate(&sizes), Ok(Some(Value::Int(16))));
    assert_eq!((items[3].to_value(), items[0].evaluate(&sizes)), (None, Ok(None)));
    assert!(items[4].is_symbolic() && !items[4].has_nodes());
}

#[test]
fn floats_are_written_and_read() {
    let text = r#"graph g<seq: 4 = %x[1]>(%x: f32[2, seq]) where (sqrt(f64(seq)) < 20.5, f64(seq * 2) / 3.0 != 1.0) {
    %affine = call_method affine(%x, mul = 1.0 / sqrt(f64(seq)), add = f32(pow(f64(seq - 1), -0.25)) * (0.5 + ln(f64(seq))))
    output (%affine, (f64(seq) - 1.5) * 2.0, [-1.0 / f64(seq), 2.5])
}"#;
    let graph = read(text);
    let full = graph.to_text().unwrap();
    assert_eq!(read(&full).to_text().unwrap(), full);
    assert_eq!(graph.to_string(), text);
    let output = graph.node(graph.output_node().unwrap());
    let Argument::Tuple(items) = &output.args()[0] else { panic!("{output:?}") };
    assert_eq!(items[1].at_hint(), Some(Value::Float(5.0)));
    let list = Value::List(vec![Value::Float(-0.125), Value::Float(2.5)]);
    assert_eq!(items[2].evaluate(&Sizes::from_iter([("seq", 8)])), Ok(Some(list)));
    assert!(items[1].is_symbolic() && items[1].to_value().is_none());
}

#[test]
fn what_is_wrong_has_a_place() {
    let body = "{ output %x }";
    let texts = [
        format!("graph g<f32: 2>(%x) {body}"),
        format!("graph g<n: 2, n: 3>(%x) {body}"),
        format!("graph g<n>(%x) {body}"),
        format!("graph g<n: 2 = %y[0]>(%x) {body}"),
        format!("graph g<n: 2 = %x[a]>(%x) {body}"),
        format!("graph g<n: 2>(%x: f32[m]) {body}"),
        format!("graph g<n: 2>(%x: f32[1 - n]) {body}"),
        format!("graph g<n: 2>(%x) where (n ~ 3) {body}"),
        format!("graph g<n: 2>(%x) where (n / 0 == 3) {body}"),
        "graph g<n: 2>(%x) { output n * %x }".to_owned(),
        format!("graph g<n: 2>(%x) {{ output {}n{} }}", "(".repeat(500), ")".repeat(500)),
        format!("graph g<n: 2>(%x) {{ output n{} }}", " + 1 - n".repeat(500)),
        "graph g(%x) { output 1 + 2 }".to_owned(),
        "graph g<n: 2>(%x) { output n * 2.0 }".to_owned(),
        "graph g<n: 2>(%x) { output sqrt(n) }".to_owned(),
        "graph g<n: 2>(%x) { output f64(2.0) }".to_owned(),
        "graph g<n: 2>(%x) { output sin(f64(n)) }".to_owned(),
        "graph g<n: 2>(%x) { output min(n, 2.0) }".to_owned(),
        "graph g<n: 2>(%x) { output 1..f64(n) }".to_owned(),
        format!("graph g<n: 2>(%x) {{ output {}f64(n){} }}", "sqrt(".repeat(500), ")".repeat(500)),
    ];
    let errors = texts.map(|text| match text.parse::<Graph>() {
        Ok(graph) => panic!("{graph}"),
        Err(error) => error.to_string().lines().next().unwrap_or_default().to_owned(),
    });
    assert_snapshot!(errors.join("\n"));
}

#[test]
fn a_graph_follows_so_many_sizes_and_no_more() {
    let text = |count: usize| {
        let sizes: Vec<String> = (0..count).map(|i| format!("n{i}: 3 = %x[0]")).collect();
        format!("graph f<{}>(%x: f32[n0]) {{\n    output %x\n}}", sizes.join(", "))
    };
    let graph: Graph = text(Dynamic::MAX_SIZES).parse().expect("it is a graph");
    assert_eq!(graph.verify(), Ok(()));
    for count in [Dynamic::MAX_SIZES + 1, 200_000] {
        let error = text(count).parse::<Graph>().expect_err("there are too many").to_string();
        assert!(error.contains("a graph follows at most 256 sizes"), "{error}");
    }

    let mut dynamic = graph.dynamic().expect("it follows sizes").clone();
    let size = Size { name: "one_more".into(), ..dynamic.sizes[0].clone() };
    dynamic.sizes.push(size);
    let mut graph = graph;
    graph.set_dynamic(Some(dynamic));
    let error = graph.verify().expect_err("there are too many").to_string();
    assert!(error.contains("a graph follows at most 256 sizes, and this one 257"), "{error}");

    let names: Vec<String> = (0..100_000).map(|i| format!("n{i}")).collect();
    let error = parse_size(&names.join(" + ")).expect_err("there are too many");
    assert_eq!(error, "it names more than 256 sizes");
}
