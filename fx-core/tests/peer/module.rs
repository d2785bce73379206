//! Rows about graph modules, the interpreter and the transformer.

use candle_core::{Device, Tensor};
use fx_core::ir::{Argument, Graph, NodeId};
use fx_core::module::{Attributes, GraphModule};
use fx_core::ops::{CallKind, OpRef, OpTable};
use fx_core::value::Value;

fn op(name: &str) -> OpRef {
    let table = OpTable::builtin();
    let found = table.get(CallKind::Method, name).or_else(|| table.get(CallKind::Function, name));
    found.unwrap_or_else(|| panic!("{name} is an operation"))
}

fn tensor(values: &[f32]) -> Tensor {
    Tensor::new(values, &Device::Cpu).expect("a small tensor")
}

fn floats(value: &Value) -> Vec<f32> {
    value.as_tensor().expect("a tensor").flatten_all().and_then(|flat| flat.to_vec1()).expect("floats")
}

/// `graph name(%x) { output op(op(x)) }`.
fn chain(name: &str, ops: &[&str]) -> Graph {
    let mut graph = Graph::new(name);
    let mut cursor = graph.at_end();
    let mut last: NodeId = cursor.placeholder("x");
    for name in ops {
        last = cursor.call(op(name), [last.into()], []).expect("an operation of one tensor");
    }
    cursor.output(last);
    graph
}

fn module(graph: Graph, attributes: Attributes) -> GraphModule {
    GraphModule::new(graph, attributes).unwrap_or_else(|error| panic!("{error}"))
}

/// A graph that calls `block` twice, by position and by name.
fn nested() -> GraphModule {
    let block = module(chain("block", &["neg", "exp"]), Attributes::new());
    let mut graph = Graph::new("model");
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    let once = cursor.call_module("block", [x.into()], []);
    let twice = cursor.call_module("block", [], [("x".into(), Argument::from(once))]);
    cursor.output(twice);
    module(graph, Attributes::from_iter([("block", block)]))
}

#[test]
fn row_14_print_readable_no_trailing_whitespace_with_inner_graph() {
    let text = nested().to_string();
    assert_eq!(
        text,
        "\
graph model(%x) {
    %block = call_module block(%x)
    %block_1 = call_module block(x = %block)
    output %block_1
}

    // block
    graph block(%x) {
        %neg = call_method neg(%x)
        %exp = call_method exp(%neg)
        output %exp
    }"
    );
    assert!(text.lines().all(|line| line.trim_end() == line));
}

#[test]
fn child_graphs_run_by_position_and_by_name() {
    let result = nested().run(&[tensor(&[0.0, 1.0]).into()]).expect("it runs");
    let expected: Vec<f32> = [0.0f32, 1.0].iter().map(|x| (-(-x).exp()).exp()).collect();
    assert_eq!(floats(&result), expected);
}
