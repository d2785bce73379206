//! Graphs that follow sizes are written and read back; what is wrong with such a text is said with its place.

use insta::assert_snapshot;

use crate::ir::{Argument, Graph};
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
    ];
    let errors = texts.map(|text| match text.parse::<Graph>() {
        Ok(graph) => panic!("{graph}"),
        Err(error) => error.to_string().lines().next().unwrap_or_default().to_owned(),
    });
    assert_snapshot!(errors.join("\n"));
}
