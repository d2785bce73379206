//! Graphs and nodes: rows 8 to 11, 19 to 37, and 66.

use std::sync::Arc;

use candle_core::{Device, Tensor};
use fx_core::interp::RunError;
use fx_core::ir::{Argument, Cursor, Graph, NodeId, NodeMap, Op, Target, VerifyErrors};
use fx_core::module::{Attributes, GraphModule};
use fx_core::ops::elementwise::{clamp, neg, relu, tanh};
use fx_core::ops::operators::{add, div, mul, sub};
use fx_core::ops::random::rand_like;
use fx_core::ops::{Effect, OpDef, OpRef, Param};
use fx_core::value::Value;

fn names(graph: &Graph) -> Vec<&str> {
    graph.nodes().map(|(_, node)| node.name()).collect()
}

/// A call of an operation that takes tensors only.
fn call<const N: usize>(cursor: &mut Cursor<'_>, op: OpRef, args: [NodeId; N]) -> NodeId {
    cursor.call(op, args.map(Argument::from), []).expect("as many arguments as it takes")
}

fn users(graph: &Graph, id: NodeId) -> Vec<NodeId> {
    graph.users(id).collect()
}

fn run(graph: &Graph, inputs: &[&[f32]]) -> Vec<f32> {
    let module = GraphModule::new(graph.clone(), Attributes::new()).expect("a correct graph");
    let inputs: Vec<Tensor> = inputs.iter().map(|input| Tensor::new(*input, &Device::Cpu).expect("a tensor")).collect();
    let result: Result<Tensor, RunError> = module.forward(&inputs);
    result.expect("it runs").to_vec1().expect("numbers")
}

fn rules(errors: VerifyErrors) -> Vec<&'static str> {
    errors.0.iter().map(|error| error.rule()).collect()
}

#[test]
fn row_08_graph_unique_names() {
    let mut from = Graph::new("g");
    let mut cursor = from.at_end();
    let x = cursor.placeholder("x");
    let first = call(&mut cursor, &relu::OP, [x]);
    let second = call(&mut cursor, &relu::OP, [first]);
    cursor.output(second);

    let mut graph = Graph::new("g");
    let mut map = NodeMap::new();
    let value = graph.at_end().graph_copy(&from, &mut map).and_then(|value| value.as_node()).expect("a node");
    let mut cursor = graph.at_end();
    let third = call(&mut cursor, &relu::OP, [value]);
    cursor.output(third);
    assert_eq!(names(&graph), ["x", "relu", "relu_1", "relu_2", "output"]);
    assert_eq!(graph.verify(), Ok(()));
}

#[test]
fn row_09_graph_unique_names_manual() {
    let mut from = Graph::new("g");
    let mut cursor = from.at_end();
    let x = cursor.placeholder("x");
    for name in ["foo_1_1", "foo_1"] {
        cursor.create_node(Target::CallModule("linear_mod".into()), [x.into()], [], Some(name)).expect("any arguments");
    }
    let mut graph = Graph::new("g");
    graph.at_end().graph_copy(&from, &mut NodeMap::new());
    let x = graph.first().expect("an input");
    for _ in 0..2 {
        graph.at_end().create_node(Target::CallModule("m".into()), [x.into()], [], Some("foo_1")).expect("arguments");
    }
    assert_eq!(names(&graph), ["x", "foo_1_1", "foo_1", "foo_2", "foo_3"]);
}

#[test]
fn row_10_snake_case() {
    let mut graph = Graph::new("g");
    let mut cursor = graph.at_end();
    let mut x = cursor.placeholder("x");
    let paths = ["PascalCase", "ALL_CAPS", "Conv2D", "blocks.0.LayerNorm", "__getitem__"];
    for path in paths {
        x = cursor.call_module(path, [x.into()], []);
    }
    assert_eq!(names(&graph), ["x", "pascal_case", "all_caps", "conv2d", "blocks_0_layer_norm", "getitem"]);
    let targets: Vec<String> = graph.nodes().skip(1).map(|(_, node)| node.target().to_string()).collect();
    assert_eq!(targets, paths);
}

#[test]
fn row_11_reserved_getattr() {
    let reserved = ["type", "fn", "match", "self", "Self", "async", "_", "None", "Some", "Ok", "Err", "try", "gen"];
    let mut graph = Graph::new("g");
    for name in reserved {
        graph.at_end().placeholder(name);
        graph.at_end().create_node(Target::GetAttr(name.into()), [], [], Some(name)).expect("no arguments");
    }
    let taken: Vec<&str> = names(&graph).into_iter().filter(|name| reserved.contains(name)).collect();
    assert_eq!(taken, Vec::<&str>::new());
    assert_eq!(graph.node_named("type_1"), graph.first());
}

/// x, relu, output.
fn one_relu() -> (Graph, [NodeId; 3]) {
    let mut graph = Graph::new("g");
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    let value = call(&mut cursor, &relu::OP, [x]);
    let output = cursor.output(value);
    (graph, [x, value, output])
}

#[test]
fn row_19_remove_uses() {
    let (mut graph, [x, value, output]) = one_relu();
    let negated = call(&mut graph.inserting_before(output), &neg::OP, [value]);
    assert_eq!(graph.replace_all_uses_with(negated, value), []);
    assert_eq!(graph.replace_all_uses_with(value, x), [output, negated]);
    graph.erase_node(negated).expect("unused");
    graph.erase_node(value).expect("unused");
    assert_eq!(users(&graph, x), [output]);
    assert_eq!(graph.verify(), Ok(()));
}

#[test]
fn row_20_remove_uses_with_custom_filter() {
    let (mut graph, [x, value, output]) = one_relu();
    let negated = call(&mut graph.inserting_before(output), &neg::OP, [value]);
    graph.set_args(output, [negated.into()]);
    assert_eq!(graph.replace_uses_where(value, x, |user| user != negated), []);
    assert_eq!(users(&graph, value), [negated]);
    // torch.fx's rule for a new node that reads the old one is the filter's to choose.
    let other = call(&mut graph.inserting_after(value), &tanh::OP, [value]);
    assert_eq!(graph.replace_uses_where(value, other, |user| user == negated), [negated]);
    assert_eq!(graph.replace_uses_where(value, other, |_| true), [other]);
    assert_eq!(graph.verify().map_err(rules), Err(vec!["V4"]));
}

#[test]
fn row_21_prepend_does_not_leak() {
    let (mut graph, [x, _, output]) = one_relu();
    let kept: Arc<str> = "kept".into();
    let extra = call(&mut graph.inserting_before(output), &neg::OP, [x]);
    graph.meta_mut(extra).annotate("key", Value::Str(kept.clone()));
    graph.prepend(x, extra);
    assert_eq!(Arc::strong_count(&kept), 2);
    graph.erase_node(extra).expect("unused");
    assert_eq!(Arc::strong_count(&kept), 1);
}

#[test]
fn row_22_replace_input() {
    let mut graph = Graph::new("g");
    let mut cursor = graph.at_end();
    let [x, y] = ["x", "y"].map(|name| cursor.placeholder(name));
    let value = call(&mut cursor, &relu::OP, [x]);
    cursor.output(value);
    graph.replace_input_with(value, x, y);
    assert_eq!(run(&graph, &[&[-1.0, 2.0], &[3.0, -4.0]]), [3.0, 0.0]);
    assert_eq!((users(&graph, x), users(&graph, y)), (vec![], vec![value]));
}

#[test]
fn row_23_insertion_point() {
    let (mut graph, [x, value, _]) = one_relu();
    let negated = call(&mut graph.inserting_before(value), &neg::OP, [x]);
    graph.set_args(value, [negated.into()]);
    assert_eq!(run(&graph, &[&[-1.0, 2.0]]), [1.0, 0.0]);
}

#[test]
fn row_24_multi_insert_point() {
    let (mut graph, [x, value, _]) = one_relu();
    let mut cursor = graph.inserting_before(value);
    let negated = call(&mut cursor, &neg::OP, [x]);
    let bent = call(&mut cursor, &tanh::OP, [negated]);
    graph.set_args(value, [bent.into()]);
    assert_eq!(names(&graph), ["x", "neg", "tanh", "relu", "output"]);
    assert_eq!(graph.verify(), Ok(()));
}

/// x, y, z, x + y, output.
fn one_sum() -> (Graph, [NodeId; 5]) {
    let mut graph = Graph::new("g");
    let mut cursor = graph.at_end();
    let [x, y, z] = ["x", "y", "z"].map(|name| cursor.placeholder(name));
    let sum = call(&mut cursor, &add::OP, [x, y]);
    let output = cursor.output(sum);
    (graph, [x, y, z, sum, output])
}

#[test]
fn row_25_update_args_api() {
    let (mut graph, [x, y, z, sum, _]) = one_sum();
    let inputs: [&[f32]; 3] = [&[1.0], &[2.0], &[4.0]];
    assert_eq!(run(&graph, &inputs), [3.0]);
    assert_eq!(graph.update_arg(sum, 0, z), x.into());
    assert_eq!(run(&graph, &inputs), [6.0]);
    assert_eq!((users(&graph, x), users(&graph, y), users(&graph, z)), (vec![], vec![sum], vec![sum]));
}

#[test]
fn row_25_update_kwargs_api() {
    let (mut graph, [x, value, output]) = one_relu();
    let bounds = [("min".into(), 0.0.into()), ("max".into(), 1.0.into())];
    let clamped = graph.inserting_before(output).call(&clamp::OP, [value.into()], bounds).expect("all arguments");
    graph.set_args(output, [clamped.into()]);
    assert_eq!(run(&graph, &[&[-1.0, 4.0]]), [0.0, 1.0]);
    assert_eq!(graph.update_kwarg(clamped, "max", 3.0), Some(1.0.into()));
    assert_eq!(run(&graph, &[&[-1.0, 4.0]]), [0.0, 3.0]);
    assert_eq!(graph.update_kwarg(clamped, "min", x), Some(0.0.into()));
    assert_eq!(users(&graph, x), [value, clamped]);
}

#[test]
fn row_25_insert_arg() {
    let mut graph = Graph::new("g");
    let mut cursor = graph.at_end();
    let [x, y] = ["x", "y"].map(|name| cursor.placeholder(name));
    let called = cursor.call_module("m", [x.into(), 1.into()], []);
    graph.insert_arg(called, 0, y);
    graph.insert_arg(called, 3, x);
    assert_eq!(graph.node_line(called), "%m = call_module m(%y, %x, 1, %x)");
    assert_eq!((users(&graph, x), users(&graph, y)), (vec![called], vec![called]));
}

#[test]
#[should_panic(expected = "%add has 2 arguments by position, none at 2")]
fn row_25_update_args_api_beyond_the_end() {
    let (mut graph, [x, _, _, sum, _]) = one_sum();
    graph.update_arg(sum, 2, x);
}

#[test]
fn row_26_move_before() {
    let (mut graph, [x, value, output]) = one_relu();
    let negated = call(&mut graph.inserting_before(output), &neg::OP, [x]);
    graph.set_args(value, [negated.into()]);
    assert_eq!(graph.verify().map_err(rules), Err(vec!["V4"]));
    graph.prepend(value, negated);
    assert_eq!(names(&graph), ["x", "neg", "relu", "output"]);
    assert_eq!(run(&graph, &[&[-1.0, 2.0]]), [1.0, 0.0]);
}

#[test]
fn row_27_prepend_self() {
    let (mut graph, [_, value, _]) = one_relu();
    graph.prepend(value, value);
    graph.append(value, value);
    assert_eq!((graph.len(), graph.nodes().count()), (3, 3));
    assert_eq!(graph.verify(), Ok(()));
}

#[test]
fn row_28_erase_node_error() {
    let (mut graph, [x, value, _]) = one_relu();
    let error = graph.erase_node(value).expect_err("it is used");
    assert_eq!((error.count, error.to_string().as_str()), (1, "cannot erase %relu: it is used by %output"));
    assert!(graph.erase_node(x).is_err() && graph.len() == 3);
}

#[test]
fn row_29_find_uses() {
    let mut graph = Graph::new("g");
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    let doubled = call(&mut cursor, &add::OP, [x, x]);
    assert_eq!(users(&graph, x), [doubled]);
    let mut cursor = graph.at_end();
    let others = [&add::OP, &mul::OP, &sub::OP].map(|op| call(&mut cursor, op, [doubled, doubled]));
    assert_eq!(users(&graph, doubled), others);
}

#[test]
fn row_30_reassign_args_kwargs_uses() {
    let mut graph = Graph::new("g");
    let mut cursor = graph.at_end();
    let [x, y] = ["x", "y"].map(|name| cursor.placeholder(name));
    let sum = call(&mut cursor, &add::OP, [x, y]);
    let called = cursor.call_module("m", [sum.into()], [("other".into(), x.into())]);
    assert_eq!((users(&graph, x), users(&graph, y)), (vec![sum, called], vec![sum]));
    graph.set_args(sum, [y.into(), y.into()]);
    assert_eq!((users(&graph, x), users(&graph, y)), (vec![called], vec![sum]));
    graph.set_kwargs(called, [("other".into(), y.into())]);
    assert_eq!((users(&graph, x), users(&graph, y)), (vec![], vec![sum, called]));
    graph.set_kwargs(called, []);
    assert_eq!(users(&graph, y), [sum]);
}

#[test]
fn row_31_all_input_nodes() {
    let mut graph = Graph::new("g");
    let mut cursor = graph.at_end();
    let [a, b] = ["a", "b"].map(|name| cursor.placeholder(name));
    let weight = cursor.get_attr("weight");
    let called = cursor.call_module("m", [b.into(), [weight, b].into(), 3.into()], [("k".into(), (a, weight).into())]);
    let inputs = |id: NodeId| graph.node(id).all_input_nodes().collect::<Vec<_>>();
    assert_eq!((inputs(called), inputs(weight), inputs(a)), (vec![b, weight, a], vec![], vec![]));
}

#[test]
fn row_32_inline_graph() {
    let (inner, _) = one_relu();
    let mut graph = Graph::new("g");
    let mut cursor = graph.at_end();
    let [x, y] = ["x", "y"].map(|name| cursor.placeholder(name));
    let sum = call(&mut cursor, &add::OP, [x, y]);
    let mut map: NodeMap = [(inner.first().expect("an input"), sum)].into_iter().collect();
    let value = cursor.graph_copy(&inner, &mut map).and_then(|value| value.as_node()).expect("a node");
    let negated = call(&mut cursor, &neg::OP, [value]);
    cursor.output(negated);
    assert_eq!(run(&graph, &[&[1.0, -5.0], &[2.0, 1.0]]), [-3.0, 0.0]);
}

/// torch.fx makes the graph and refuses it afterwards; here the copy itself is refused.
#[test]
#[should_panic(expected = "%x of graph `g` is used, but was not copied")]
fn row_33_copy_no_remap() {
    let (from, [_, value, _]) = one_relu();
    Graph::new("copy").at_end().node_copy(&from, value, &mut NodeMap::new());
}

#[test]
fn row_34_wrong_topo() {
    let (mut graph, [_, _, _, sum, output]) = one_sum();
    graph.append(output, sum);
    let mut broken = graph.verify().map_err(rules).expect_err("it is out of order");
    broken.sort_unstable();
    assert_eq!(broken, ["V4", "V6"]);
    graph.stable_topological_sort().expect("there is no ring");
    assert_eq!(graph.verify(), Ok(()));
}

/// A target is of the kind that its opcode needs by its type; that it is a function, the description says.
#[test]
fn row_35_wrong_target_type() {
    let (mut graph, [x, ..]) = one_relu();
    let before = graph.to_string();
    let error = graph.at_end().call_function(&relu::OP, [x.into()], []).expect_err("it is a method");
    assert_eq!(error.to_string(), "`relu` is a method, and cannot be the target of a call_function");
    assert_eq!(graph.to_string(), before);
}

/// What a node gives out are shared slices: that nobody can write into them, the compiler checks.
#[test]
fn row_36_no_mutation() {
    let mut graph = Graph::new("g");
    let mut cursor = graph.at_end();
    let [a, b] = ["a", "b"].map(|name| cursor.placeholder(name));
    let called = cursor.call_module("m", [[a, b].into(), (1, "two").into()], []);
    let mut copy = graph.node(called).args().to_vec();
    assert_eq!(copy, graph.node(called).args());
    copy.clear();
    assert_eq!(graph.node(called).args().len(), 2);
    // Flattened and rebuilt, it is the same.
    let list = &graph.node(called).args()[0];
    let rebuilt: Argument = list.parts().cloned().collect::<Vec<_>>().into();
    assert_eq!(rebuilt, *list);
    assert_eq!(list.map_nodes(&mut |id| if id == a { b } else { a }), [b, a].into());
}

#[test]
fn row_37_deepcopy_recursion_depth() {
    const COUNT: usize = 100_000;
    let mut graph = Graph::new("chain");
    let mut cursor = graph.at_end();
    let mut x = cursor.placeholder("x");
    for _ in 0..COUNT {
        x = call(&mut cursor, &relu::OP, [x]);
    }
    cursor.output(x);
    let mut copied = Graph::new("chain");
    let mut map = NodeMap::new();
    let output = copied.at_end().graph_copy(&graph, &mut map).expect("an output");
    copied.at_end().output(output);
    for copy in [graph.clone(), copied] {
        assert_eq!((copy.len(), copy.verify()), (graph.len(), Ok(())));
        assert_eq!(copy.to_string(), graph.to_string());
        for ((id, _), (copied, _)) in graph.nodes().zip(copy.nodes()) {
            let users = |graph: &Graph, id| graph.users(id).map(|user| graph.node(user).name().to_owned()).next();
            assert_eq!(users(&graph, id), users(&copy, copied));
        }
    }
}

#[test]
fn row_66_dead_chain() {
    let (mut graph, [x, _, output]) = one_relu();
    let mut cursor = graph.inserting_before(output);
    let mut dead = x;
    for _ in 0..3 {
        dead = call(&mut cursor, &neg::OP, [dead]);
    }
    let revision = graph.revision();
    assert!(graph.eliminate_dead_code(None) && graph.revision() > revision);
    assert_eq!(names(&graph), ["x", "relu", "output"]);
    assert!(!graph.eliminate_dead_code(None));
    assert_eq!(graph.verify(), Ok(()));
}

#[test]
fn row_66_dead_getattr() {
    let (mut graph, [x, _, output]) = one_relu();
    let mut cursor = graph.inserting_before(output);
    let weight = cursor.get_attr("weight");
    call(&mut cursor, &div::OP, [x, weight]);
    assert!(graph.eliminate_dead_code(None));
    assert_eq!(graph.find_nodes(Op::GetAttr, None).len(), 0);
}

#[test]
fn row_66_dead_placeholder() {
    let (mut graph, [_, y, z, sum, _]) = one_sum();
    graph.update_arg(sum, 1, y);
    assert!(!graph.eliminate_dead_code(None));
    // Not even a predicate takes an input away: the graph would be called otherwise.
    assert!(!graph.eliminate_dead_code(Some(&|_, _| false)));
    assert!(graph.contains(z));
}

#[test]
fn row_66_keep_module_with_side_effects() {
    let (mut graph, [x, _, output]) = one_relu();
    let mut cursor = graph.inserting_before(output);
    let counter = cursor.call_module("counter", [x.into()], []);
    let other = cursor.call_module("other", [x.into()], []);
    let counts = Target::CallModule("counter".into());
    assert!(graph.eliminate_dead_code(Some(&|graph, id| *graph.node(id).target() == counts)));
    assert!(graph.contains(counter) && !graph.contains(other));
}

static ASSIGN: OpDef = OpDef::wrapped("assign", &[Param::new("x", true)], |args| {
    Ok(args.values.first().map_or(Value::None, |x| (*x).clone()))
});
static READ: OpDef = OpDef::wrapped("read", &[Param::new("x", true)], |args| {
    Ok(args.values.first().map_or(Value::None, |x| (*x).clone()))
})
.with_effect(Effect::Pure);

#[test]
fn row_66_keep_setitem() {
    let (mut graph, [x, _, output]) = one_relu();
    let mut cursor = graph.inserting_before(output);
    let needed = call(&mut cursor, &neg::OP, [x]);
    let assigned = call(&mut cursor, &ASSIGN, [needed]);
    call(&mut cursor, &READ, [x]);
    assert!(graph.eliminate_dead_code(None));
    assert_eq!(names(&graph), ["x", "relu", "neg", "assign", "output"]);
    assert!(graph.is_impure(assigned, false));
}

#[test]
fn row_66_impure_random() {
    let (mut graph, [x, _, output]) = one_relu();
    let limits = [("lo".into(), 0.0.into()), ("up".into(), 1.0.into())];
    let drawn = graph.inserting_before(output).call(&rand_like::OP, [x.into()], limits).expect("all arguments");
    assert!(graph.is_impure(drawn, true) && !graph.is_impure(drawn, false));
    assert!(!graph.eliminate_dead_code(None));
    assert!(graph.eliminate_dead_code(Some(&|graph, id| graph.is_impure(id, false))));
    assert!(!graph.contains(drawn));
}

#[test]
fn row_66_impure_custom() {
    let (mut graph, [x, value, output]) = one_relu();
    let dead = call(&mut graph.inserting_before(output), &neg::OP, [value]);
    let asked = std::cell::RefCell::new(Vec::new());
    let keeps_all = |_: &Graph, id| {
        asked.borrow_mut().push(id);
        true
    };
    assert!(!graph.eliminate_dead_code(Some(&keeps_all)));
    assert_eq!(*asked.borrow(), [dead]);
    // And may let go what is impure otherwise.
    let assigned = call(&mut graph.inserting_before(output), &ASSIGN, [x]);
    assert!(graph.eliminate_dead_code(Some(&|_, _| false)));
    assert!(!graph.contains(assigned) && !graph.contains(dead));
}
