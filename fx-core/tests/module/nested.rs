//! Child graphs: calls, checks, depth, dead code, facts.

use std::sync::Arc;

use candle_core::DType;
use fx_core::interp::{Interpreter, RunError, TransformError, Transformer};
use fx_core::ir::{Argument, Graph, NodeId};
use fx_core::module::{Attribute, Attributes, CheckErrors, GraphModule};
use fx_core::ops::{OpDef, Param};
use fx_core::value::{Fact, Value};

use crate::support::{chain, floats, module, nested, op, tensor};
use crate::transformers::WriteOut;

#[test]
fn child_graphs_run_by_position_and_by_name() {
    let result = nested().run(&[tensor(&[0.0, 1.0]).into()]).expect("it runs");
    let expected: Vec<f32> = [0.0f32, 1.0].iter().map(|x| (-(-x).exp()).exp()).collect();
    assert_eq!(floats(&result), expected);
}

/// A module that calls `block` with these arguments.
fn calling(block: GraphModule, call: impl FnOnce(&mut Graph, NodeId) -> NodeId) -> Result<GraphModule, CheckErrors> {
    let mut graph = Graph::new("model");
    let x = graph.at_end().placeholder("x");
    let called = call(&mut graph, x);
    graph.at_end().output(called);
    GraphModule::new(graph, Attributes::from_iter([("block", block)]))
}

#[test]
fn wrong_calls_are_found_by_the_check_and_by_the_run() {
    let block = || module(chain("block", &["neg"]), Attributes::new());
    type Build = fn(&mut Graph, NodeId) -> NodeId;
    let cases: [(Build, &str); 4] = [
        (
            |graph, x| graph.at_end().call_module("block", [x.into(), x.into()], []),
            "takes 1 inputs (x), but is called with 2",
        ),
        (
            |graph, x| graph.at_end().call_module("block", [], [("y".into(), x.into())]),
            "has no input `y`; its inputs are x",
        ),
        (|graph, x| graph.at_end().call_module("block", [x.into()], [("x".into(), x.into())]), "is given twice"),
        (|graph, _| graph.at_end().call_module("block", [], []), "the input `x` of the graph `block` is not given"),
    ];
    for (build, message) in cases {
        let error = calling(block(), build).unwrap_err();
        assert!(matches!(error, CheckErrors::Calls(_)) && error.to_string().contains(message), "{error}");

        // The same after an edit that nobody checked.
        let mut edited =
            calling(block(), |graph, x| graph.at_end().call_module("block", [x.into()], [])).expect("right");
        let x = edited.graph().node_named("x").expect("x");
        let given = [Value::from(tensor(&[1.0]))];
        let wrong = build(edited.graph_mut(), x);
        let output = edited.graph().output_node().expect("an output");
        edited.graph_mut().set_args(output, [wrong.into()]);
        for error in [edited.run(&given).unwrap_err(), ().run(&edited, &given).unwrap_err()] {
            assert!(matches!(error, RunError::Inputs { .. }) && error.to_string().contains(message), "{error}");
        }
    }
}

#[test]
fn what_is_wrong_inside_is_told_with_the_path() {
    let mut model = nested();
    let child = model.child_mut("block").expect("a child");
    let x = child.graph().node_named("x").expect("x");
    let missing = child.graph_mut().at_end().get_attr("w");
    let output = child.graph().output_node().expect("an output");
    child.graph_mut().set_args(output, [missing.into()]);
    let error = model.check().unwrap_err().to_string();
    assert_eq!(error, "in the graph at `block`: `w` should be a tensor, but is absent\n  in %w = get_attr w()");
    assert!(matches!(model.run(&[Value::Int(1)]), Err(RunError::Missing(_))), "{x:?}");
}

#[test]
fn an_error_inside_says_where_at_every_level() {
    let error = nested().run(&[Value::Int(3)]).unwrap_err().to_string();
    assert!(
        error.starts_with("%block = call_module block(%x)\n  failed: %neg = call_method neg(%x)\n  failed: "),
        "{error}"
    );
    let interpreted = ().run(&nested(), &[Value::Int(3)]).unwrap_err().to_string();
    assert_eq!(interpreted, error);
}

#[test]
fn nesting_has_a_limit_and_no_chain_overflows_the_stack() {
    let wrapped = |mut inner: GraphModule, depth: usize| {
        for _ in 0..depth {
            let mut graph = Graph::new("outer");
            let mut cursor = graph.at_end();
            let x = cursor.placeholder("x");
            let y = cursor.call_module("inner", [x.into()], []);
            cursor.output(y);
            let mut outer = module(chain("placeholder", &[]), Attributes::new());
            *outer.graph_mut() = graph;
            outer.set_attribute("inner", inner);
            inner = outer;
        }
        inner
    };
    let block = || module(chain("block", &["neg"]), Attributes::new());
    let deep = wrapped(block(), GraphModule::MAX_DEPTH);
    deep.check().expect("as deep as can be");
    assert_eq!(floats(&deep.run(&[tensor(&[1.0]).into()]).expect("it runs")), [-1.0]);
    let deeper = wrapped(deep, 1);
    assert!(matches!(deeper.run(&[tensor(&[1.0]).into()]), Err(RunError::TooDeep)));
    assert!(deeper.check().is_err());
    assert_eq!(deeper.named_modules().len(), GraphModule::MAX_DEPTH + 2);
    assert!(deeper.to_string().ends_with("// graphs are nested deeper"));

    let mut deepest = wrapped(deeper, 20_000);
    assert!(matches!(deepest.run(&[Value::Int(1)]), Err(RunError::TooDeep)));
    assert!(deepest.to_dtype(DType::F16).is_err() && !deepest.is_impure(true));
    deepest.eliminate_dead_code();
    drop(deepest);
}

static LOG: OpDef = OpDef::wrapped("log_value", &[Param::new("x", true)], |args| Ok(args.values[0].clone()));

#[test]
fn dead_code_goes_in_children_too_and_impure_children_stay() {
    let pure = module(chain("pure", &["neg"]), Attributes::new());
    let mut graph = chain("impure", &["neg"]);
    let x = graph.node_named("x").expect("x");
    graph.at_end().call(&LOG, [x.into()], []).expect("one argument");
    graph.at_end().call(op("exp"), [x.into()], []).expect("one argument");
    let impure = module(graph, Attributes::new());
    assert!(impure.is_impure(false) && !pure.is_impure(true));

    let mut graph = chain("model", &["sqr"]);
    let x = graph.node_named("x").expect("x");
    for path in ["pure", "impure"] {
        graph.at_end().call_module(path, [x.into()], []);
    }
    let shared = Arc::new(impure);
    let mut model =
        module(graph, Attributes::from_iter([("pure", Attribute::from(pure)), ("impure", shared.clone().into())]));
    let changed: Vec<String> = model.eliminate_dead_code().iter().map(ToString::to_string).collect();
    assert_eq!(changed, ["", "impure"]);
    assert!(model.graph().node_named("impure").is_some() && model.graph().node_named("pure").is_none());
    let names: Vec<&str> =
        model.child_mut("impure").expect("a child").graph().nodes().map(|(_, node)| node.name()).collect::<Vec<_>>();
    assert_eq!(names, ["x", "neg", "log_value", "output"]);
    assert!(shared.graph().node_named("exp").is_some(), "another holder of the child keeps what it had");
    assert!(model.eliminate_dead_code().is_empty());
}

#[test]
fn facts_go_through_children() {
    let mut model = nested();
    let x = model.graph().node_named("x").expect("x");
    model.graph_mut().meta_mut(x).fact = Fact::tensor((2, 3), DType::F32);
    model.infer_facts().expect("it would run");
    for (_, node) in model.graph().nodes() {
        assert_eq!(node.meta().fact.to_string(), "f32[2, 3]", "{}", node.name());
    }
    let fact = model.infer(&[&Fact::tensor(4, DType::F16)]).expect("it would run");
    assert_eq!(fact, Fact::tensor(4, DType::F16));
    assert!(model.infer(&[&Fact::Data(Value::Int(1))]).is_err());
    assert_eq!(model.infer(&[&Fact::Unknown]).expect("nothing is known"), Fact::Unknown);
}

#[test]
fn a_default_of_a_child_is_used_where_it_is_called() {
    let mut graph = Graph::new("block");
    let mut cursor = graph.at_end();
    let [a, b] = ["a", "b"].map(|name| cursor.placeholder(name));
    cursor.meta_mut(b).annotate(fx_core::module::DEFAULT_INPUT, Value::Int(7));
    cursor.output(Argument::from((a, b)));
    let block = module(graph, Attributes::new());
    let model = calling(block, |graph, x| graph.at_end().call_module("block", [x.into()], [])).expect("it fits");
    let expected = Value::Tuple(vec![Value::Int(1), Value::Int(7)]);
    assert_eq!(model.run(&[Value::Int(1)]).expect("it runs"), expected);
    assert_eq!(().run(&model, &[Value::Int(1)]).expect("it runs"), expected);
}

#[test]
fn a_tensor_that_is_a_default_of_a_child_is_written_out_with_it() {
    let mut graph: Graph =
        "graph block(%a, %b) {\n    %sum = call_function add(%a, %b)\n    output %sum\n}".parse().unwrap();
    let b = graph.node_named("b").expect("an input");
    graph.meta_mut(b).annotate(fx_core::module::DEFAULT_INPUT, tensor(&[5.0]).into());
    let block = module(graph, Attributes::new());
    let model = calling(block, |graph, x| graph.at_end().call_module("block", [x.into()], [])).expect("it fits");
    let whole = WriteOut.transform(&model).expect("it is written out");
    assert_eq!(whole.children().count(), 0);
    let x = [Value::from(tensor(&[1.0]))];
    assert_eq!(floats(&whole.run(&x).expect("it runs")), floats(&model.run(&x).expect("it runs")));
}

#[test]
fn arguments_that_would_be_nested_too_deep_are_refused() {
    let deep = |inner: &str| format!("{}{inner}{}", "[".repeat(100), "]".repeat(100));
    let block = format!("graph block(%a) {{\n    output {}\n}}", deep("%a"));
    let block = module(block.parse().expect("it is a graph"), Attributes::new());
    let model = format!("graph model(%x) {{\n    %y = call_module block({})\n    output %y\n}}", deep("%x"));
    let model = module(model.parse().expect("it is a graph"), Attributes::from_iter([("block", block)]));
    let error = WriteOut.transform(&model).expect_err("200 deep");
    assert!(matches!(error, TransformError::TooDeep { .. }), "{error}");
    let error = model.run(&[Value::Int(1)]).expect_err("200 deep").to_string();
    assert!(error.contains("a value that the graph `block` is given or gives is nested more than 128 deep"), "{error}");
}

/// Each call wraps what the one before gave: what is nested without end cannot even be dropped.
#[test]
fn values_are_not_nested_without_end() {
    let block = module("graph block(%a) {\n    output [%a]\n}".parse().expect("it is a graph"), Attributes::new());
    let mut graph = Graph::new("model");
    let mut cursor = graph.at_end();
    let mut last = cursor.placeholder("x");
    for _ in 0..20_000 {
        last = cursor.call_module("block", [last.into()], []);
    }
    cursor.output(last);
    let mut model = module(graph, Attributes::from_iter([("block", block)]));
    for error in [model.run(&[Value::Int(1)]), ().run(&model, &[Value::Int(1)])] {
        let error = error.expect_err("20,000 deep").to_string();
        assert!(error.starts_with("%block_128 = call_module block(%block_127)"), "{error}");
    }
    model.infer_facts().expect("nothing is refused");
}
