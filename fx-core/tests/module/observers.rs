//! Looking on at runs, also inside of child graphs; and what a call gives to which parameter.

use std::sync::Arc;

use candle_core::{DType, Device, Tensor};
use fx_core::interp::{Activations, Execution, Interpreter, Observer, Profiler, RunError, Running, ShapeProp};
use fx_core::ir::{Argument, Graph, ModulePath, NodeId};
use fx_core::module::{
    Attribute, Attributes, DEFAULT_INPUT, GraphModule, LayerModule, MissingAttribute, NormalizeError,
};
use fx_core::ops::OpRef;
use fx_core::value::{Fact, Value};

use crate::support::{Scale, chain, floats, module, nested, op, tensor};

/// `outer` calls `model` of [`nested`], which calls `block` twice, twice.
fn doubly_nested() -> GraphModule {
    let mut graph = Graph::new("outer");
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    let once = cursor.call_module("m.inner", [x.into()], []);
    let twice = cursor.call_module("m.inner", [once.into()], []);
    let exp = cursor.call(op("exp"), [twice.into()], []).expect("one argument");
    cursor.output(exp);
    module(graph, Attributes::from_iter([("m.inner", nested())]))
}

/// Each event with the path of its graph.
#[derive(Default)]
struct Log(Vec<String>);

impl Observer for Log {
    fn before(&mut self, at: Running<'_>) {
        self.0.push(format!("{}< {} in `{}`", "  ".repeat(at.depth()), at.qualified_name(), at.path()));
    }

    fn after(&mut self, at: Running<'_>, _: &Value) {
        self.0.push(format!("{}> {}", "  ".repeat(at.depth()), at.qualified_name()));
    }
}

#[test]
fn observers_are_told_of_nodes_of_child_graphs_between_those_of_the_call() {
    let mut log = Log::default();
    let x = [tensor(&[0.5]).into()];
    let observed = Execution::new(&nested()).observe(&mut log).run(&mut (), &x).expect("it runs");
    assert_eq!(floats(&observed), floats(&nested().run(&x).expect("it runs")));
    insta::assert_snapshot!(log.0.join("\n"));
}

#[test]
fn values_and_times_have_names_of_their_own_at_every_depth() {
    let model = doubly_nested();
    let x = [tensor(&[0.25]).into()];
    let (mut all, mut times) = (Activations::new(), Profiler::new());
    let mut run = Execution::new(&model).observe(&mut all).observe(&mut times);
    let result = run.run(&mut (), &x).expect("it runs");
    run.run(&mut (), &x).expect("it runs again");
    assert_eq!(floats(&result), floats(&model.run(&x).expect("it runs")));
    // 5 nodes; in each call of `m.inner` 4; in each of its two calls of `block` 4.
    assert_eq!((all.iter().len(), times.times().len()), (5 + 2 * (4 + 2 * 4), 5 + 2 * (4 + 2 * 4)));
    let value = |name: &str| floats(all.get(name).unwrap_or_else(|| panic!("{name} is there")))[0];
    let step = |x: f32| (-x).exp();
    let mut expected = 0.25;
    for name in ["m.inner.block", "m.inner.block@1", "m.inner@1.block", "m.inner@1.block@1"] {
        assert_eq!(value(&format!("{name}.x")), expected);
        expected = step(expected);
        assert_eq!(value(&format!("{name}.exp")), expected, "{name}");
    }
    assert_eq!(value("m_inner_1"), expected);
    let names: Vec<&str> = times.times().map(|(name, _)| name).take(4).collect();
    assert_eq!(names, ["x", "m_inner", "m.inner.x", "m.inner.block"]);
    // What is inside is part of the call, and not counted again.
    let outer: Vec<_> = times.times().filter(|(name, _)| !name.contains('.')).collect();
    assert_eq!((outer.len(), times.total()), (5, outer.iter().map(|(_, time)| *time).sum()));
}

/// Negates what methods give.
struct Negated;

impl Interpreter for Negated {
    fn call_method(&mut self, at: Running<'_>, op: OpRef, args: &[&Value]) -> Result<Value, RunError> {
        let value = at.call(op, args)?;
        Ok(value.as_tensor().expect("a tensor").neg()?.into())
    }
}

#[test]
fn hooks_are_of_one_graph_whether_anybody_looks_on_or_not() {
    let model = doubly_nested();
    let x = [tensor(&[0.25]).into()];
    let expected = -floats(&model.run(&x).expect("it runs"))[0];
    let mut log = Log::default();
    assert_eq!(floats(&Negated.run(&model, &x).expect("it runs")), [expected]);
    let mut run = Execution::new(&model).observe(&mut log);
    assert_eq!(floats(&run.run(&mut Negated, &x).expect("it runs")), [expected]);
}

#[test]
fn errors_inside_are_the_same_whether_anybody_looks_on_or_not() {
    let mut log = Log::default();
    let x = [Value::Int(3)];
    let error = Execution::new(&doubly_nested()).observe(&mut log).run(&mut (), &x).unwrap_err();
    assert_eq!(error.to_string(), doubly_nested().run(&x).unwrap_err().to_string());
    assert_eq!(log.0.last().map(|line| line.trim()), Some("< m.inner.block.neg in `m.inner.block`"));
    // As deep as can be, and one deeper.
    for (levels, runs) in [(GraphModule::MAX_DEPTH, true), (GraphModule::MAX_DEPTH + 1, false)] {
        let mut inner = module(chain("inner", &["neg"]), Attributes::new());
        for _ in 0..levels {
            let mut graph = Graph::new("outer");
            let x = graph.at_end().placeholder("x");
            let y = graph.at_end().call_module("k", [x.into()], []);
            graph.at_end().output(y);
            let mut outer = module(chain("outer", &[]), Attributes::new());
            *outer.graph_mut() = graph;
            outer.set_attribute("k", inner);
            inner = outer;
        }
        let mut log = Log::default();
        let ran = Execution::new(&inner).observe(&mut log).run(&mut (), &[tensor(&[1.0]).into()]);
        assert_eq!(ran.is_ok(), runs);
        assert!(runs || ran.unwrap_err().to_string().contains("nested more than"));
    }
}

/// Runs the graph again from inside.
struct Again(Vec<String>);

impl Observer for Again {
    fn after(&mut self, at: Running<'_>, _: &Value) {
        self.0.push(at.qualified_name().into_owned());
        if at.node().name() == "block" {
            let value = at.call_module(&ModulePath::new("block"), &[&tensor(&[1.0]).into()]).expect("it runs");
            assert!(value.as_tensor().is_some());
        }
    }
}

#[test]
fn what_an_observer_runs_is_not_looked_on_at() {
    let mut again = Again(Vec::new());
    Execution::new(&nested()).observe(&mut again).run(&mut (), &[tensor(&[1.0]).into()]).expect("it runs");
    assert_eq!(again.0.len(), 4 + 2 * 4);
}

#[test]
fn shapes_are_written_into_child_graphs_where_all_calls_agree() {
    let mut model = doubly_nested();
    let held_by_others = model.clone();
    ShapeProp::propagate(&mut model, &[tensor(&[1.0, 2.0]).into()]).expect("it runs");
    let facts = |module: &GraphModule| -> Vec<String> {
        module.graph().nodes().map(|(_, node)| node.meta().fact.to_string()).collect()
    };
    assert!(facts(&model).iter().all(|fact| fact == "f32[2]"));
    let inner = model.child_mut("m.inner").expect("a child");
    assert!(facts(inner).iter().all(|fact| fact == "f32[2]"));
    assert!(facts(inner.child_mut("block").expect("a child")).iter().all(|fact| fact == "f32[2]"));
    let (_, others) = held_by_others.children().next().expect("a child");
    assert!(facts(others).iter().all(|fact| *fact == Fact::Unknown.to_string()), "a clone keeps what it had");

    // One child on two shapes: what differs is not written, so that it still runs.
    let mut graph = Graph::new("model");
    let mut cursor = graph.at_end();
    let [x, y] = ["x", "y"].map(|name| cursor.placeholder(name));
    let calls = [x, y].map(|id| cursor.call_module("block", [id.into()], []));
    cursor.output(Argument::from(calls.to_vec()));
    let block = module(chain("block", &["neg"]), Attributes::new());
    let mut model = module(graph, Attributes::from_iter([("block", block)]));
    let inputs = [tensor(&[1.0]).into(), tensor(&[1.0, 2.0]).into()];
    ShapeProp::propagate(&mut model, &inputs).expect("it runs");
    assert_eq!(facts(&model), ["f32[1]", "f32[2]", "f32[1]", "f32[2]", "[f32[1], f32[2]]"]);
    let (_, block) = model.children().next().expect("a child");
    assert!(facts(block).iter().all(|fact| *fact == Fact::Unknown.to_string()));
    model.run(&inputs).expect("it runs as before");
    // A run that fails writes nothing.
    ShapeProp::propagate(&mut model, &[Value::Int(1), Value::Int(2)]).unwrap_err();
    assert_eq!(facts(&model)[0], "f32[1]");
}

type Call = fn(&mut Graph, NodeId) -> NodeId;

#[test]
fn arguments_of_layers_and_child_graphs_are_matched_to_their_parameters() {
    let mut graph = Graph::new("block");
    let mut cursor = graph.at_end();
    let [a, b] = ["a", "b"].map(|name| cursor.placeholder(name));
    cursor.meta_mut(b).annotate(DEFAULT_INPUT, Value::Int(7));
    cursor.output(Argument::from((a, b)));
    let block = Arc::new(module(graph, Attributes::new()));
    let given = |call: Call, by_name: bool| {
        let mut model = module(chain("model", &[]), Attributes::new());
        model.set_attribute("block", block.clone());
        model.set_attribute("layer", Scale::layer(&tensor(&[1.0])));
        model.set_attribute("w", Attribute::Tensor(tensor(&[1.0])));
        let x = model.graph().node_named("x").expect("x");
        let id = call(model.graph_mut(), x);
        let found = model.normalized_arguments(id, by_name);
        found.map(|found| {
            let found = found.expect("it calls something");
            let kwargs = found.kwargs.iter().map(|(name, argument)| format!("{name}={argument:?}"));
            let args = found.args.iter().map(|argument| format!("{argument:?}"));
            args.chain(kwargs).collect::<Vec<_>>().join(" ")
        })
    };
    let x = "Node(NodeId(0))";
    let cases: [(Call, String, String); 5] = [
        (
            |graph, x| graph.at_end().call_module("block", [x.into()], []),
            format!("{x} Int(7)"),
            format!("a={x} b=Int(7)"),
        ),
        (
            |graph, x| graph.at_end().call_module("block", [], [("b".into(), 1.into()), ("a".into(), x.into())]),
            format!("{x} Int(1)"),
            format!("a={x} b=Int(1)"),
        ),
        (|graph, x| graph.at_end().call_module("layer", [x.into()], []), x.to_owned(), format!("xs={x}")),
        (
            |graph, x| {
                graph.at_end().call_module("layer", [], [("train".into(), true.into()), ("xs".into(), x.into())])
            },
            format!("{x} train=Bool(true)"),
            format!("xs={x} train=Bool(true)"),
        ),
        (
            |graph, x| graph.at_end().call(op("neg"), [x.into()], []).expect("one argument"),
            x.to_owned(),
            format!("x={x}"),
        ),
    ];
    for (call, plain, by_name) in cases {
        assert_eq!((given(call, false), given(call, true)), (Ok(plain), Ok(by_name)));
    }
    let wrong: [Call; 6] = [
        |graph, x| graph.at_end().call_module("block", [x.into(), x.into(), x.into()], []),
        |graph, x| graph.at_end().call_module("layer", [x.into(), x.into(), x.into()], []),
        |graph, x| graph.at_end().call_module("layer", [x.into()], [("mode".into(), true.into())]),
        |graph, x| graph.at_end().call_module("layer", [x.into()], [("xs".into(), x.into())]),
        |graph, x| graph.at_end().call_module("w", [x.into()], []),
        |graph, x| graph.at_end().call_module("nothing", [x.into()], []),
    ];
    let errors: Vec<NormalizeError> = wrong.into_iter().map(|call| given(call, false).unwrap_err()).collect();
    assert!(matches!(errors[5], NormalizeError::Missing(MissingAttribute { .. })));
    insta::assert_snapshot!(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    let model = nested();
    let output = model.graph().output_node().expect("an output");
    assert_eq!(model.normalized_arguments(output, false), Ok(None));
}

#[test]
fn arguments_of_layers_by_name_are_their_parameters_in_any_order() {
    let ones = Tensor::ones(2, DType::F32, &Device::Cpu).expect("ones");
    let norm = candle_nn::BatchNorm::new_no_bias(2, ones.clone(), ones, 1e-5).expect("a layer");
    let norm: Arc<dyn LayerModule> = Arc::new(norm);
    let mut graph = Graph::new("model");
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    cursor.meta_mut(x).fact = Fact::tensor((1, 2), DType::F32);
    let called = cursor.call_module("norm", [], [("train".into(), false.into()), ("xs".into(), x.into())]);
    cursor.output(called);
    let mut model = module(graph, Attributes::from_iter([("norm", Attribute::from(norm))]));
    model.check().expect("its fact can be inferred");
    let input: Value = tensor(&[1.0, 2.0]).reshape((1, 2)).expect("two numbers").into();
    let by_plan = model.run(std::slice::from_ref(&input)).expect("it runs by plan");
    let by_node = Execution::new(&model).run(&mut (), &[input]).expect("it runs node by node");
    assert_eq!(by_plan.as_tensor().expect("a tensor").dims(), by_node.as_tensor().expect("a tensor").dims());
    model.infer_facts().expect("it fits");
    let called = model.graph().node_named("norm").expect("the call");
    assert_eq!(model.graph().node(called).meta().fact, Fact::tensor((1, 2), DType::F32));
}

/// Panics in its first call.
struct Panics(bool);

impl Interpreter for Panics {
    fn call_method(&mut self, at: Running<'_>, op: OpRef, args: &[&Value]) -> Result<Value, RunError> {
        assert!(!std::mem::take(&mut self.0), "a hook with a fault");
        at.call(op, args)
    }
}

#[test]
fn a_hook_that_panics_takes_nothing_away_from_the_run() {
    let (model, x) = (module(chain("m", &["neg", "exp"]), Attributes::new()), [tensor(&[0.5]).into()]);
    let (mut log, mut hook) = (Log::default(), Panics(true));
    let mut run = Execution::new(&model).observe(&mut log).keep_values();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run.run(&mut hook, &x)));
    assert!(panicked.is_err());
    let found = run.run(&mut hook, &x).expect("it runs");
    assert_eq!(floats(&found), floats(&model.run(&x).expect("it runs")));
    assert_eq!(run.values().count(), 4);
    drop(run);
    let events = |name: &str| log.0.iter().filter(|event| event.contains(name)).count();
    assert_eq!((events("< x"), events("< neg"), events("> neg"), events("> output")), (2, 2, 1, 1), "{:?}", log.0);
}
