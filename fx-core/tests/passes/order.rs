//! Calls with effects, and calls that draw random numbers, run in the order in which they did.

use std::sync::Mutex;

use candle_core::{Device, Tensor};
use fx_core::ir::{Argument, Graph, NodeId};
use fx_core::module::{Attributes, GraphModule};
use fx_core::ops::{CallKind, Effect, OpDef, OpRef, OpTable, Param};
use fx_core::passes::{FuseError, IntoPattern, Partitioner, SubgraphMatcher, pattern, replace_pattern, split_module};
use fx_core::value::Value;

/// What calls of `note` were given, in order; held for as long as a test runs a graph.
static LOG: Mutex<Vec<f32>> = Mutex::new(Vec::new());

static NOTE: OpDef = OpDef::wrapped("note", &[Param::new("x", true)], |args| {
    let x = args.values[0].as_tensor().expect("a tensor");
    LOG.lock().unwrap().push(x.to_vec1::<f32>()?[0]);
    Ok(args.values[0].clone())
});

static DRAW: OpDef =
    OpDef::wrapped("draw", &[Param::new("x", true)], |args| Ok(args.values[0].clone())).with_effect(Effect::Random);

static RUNS: Mutex<()> = Mutex::new(());

fn op(name: &str) -> OpRef {
    OpTable::builtin().get(CallKind::Method, name).unwrap()
}

/// What the calls of `note` are given when it runs on 1, 2, ….
fn noted(module: &GraphModule) -> Vec<f32> {
    let _alone = RUNS.lock().unwrap();
    let tensor = |at: usize| Value::Tensor(Tensor::new(&[at as f32], &Device::Cpu).unwrap());
    let inputs: Vec<Value> = (1..=module.graph().placeholders().count()).map(tensor).collect();
    module.run(&inputs).unwrap();
    std::mem::take(&mut *LOG.lock().unwrap())
}

/// A graph of these calls: name, operation, what it reads. Returns everything.
fn module(inputs: &[&str], calls: &[(&str, OpRef, &str)]) -> GraphModule {
    let mut graph = Graph::new("g");
    for name in inputs {
        graph.at_end().placeholder(name);
    }
    let mut all: Vec<Argument> = Vec::new();
    for (name, op, reads) in calls {
        let input = graph.node_named(reads).unwrap();
        let call = graph.at_end().call(op, [input.into()], []).unwrap();
        graph.rename(call, name);
        all.push(call.into());
    }
    graph.at_end().output(Argument::List(all.into()));
    GraphModule::new(graph, Attributes::new()).unwrap()
}

/// A call with effects reads the one end of the match, and another is read by the other end.
fn across(effect: OpRef) -> GraphModule {
    module(&["x", "z"], &[("a", op("neg"), "x"), ("e", effect, "a"), ("y", effect, "z"), ("b", op("exp"), "y")])
}

#[test]
fn a_match_across_effects_is_none() {
    let pair = || pattern(|[x, y]| Ok::<_, candle_core::Error>((x.neg()?, y.exp()?))).unwrap();
    for effect in [&NOTE, &DRAW] {
        let mut module = across(effect);
        let before = module.to_string();
        let matcher = SubgraphMatcher::new(pair().into_pattern().unwrap()).unwrap();
        let why = matcher.explain(&module).expect("a reason").to_string();
        assert!(why.contains("which runs between them, and effects keep their order"), "{why}");
        assert_eq!(replace_pattern(&mut module, pair(), pair()).unwrap().len(), 0);
        assert_eq!(module.to_string(), before);
    }
    assert_eq!(noted(&across(&NOTE)), [-1.0, 2.0]);
    // Without effects the same calls match.
    let mut pure = across(op("relu"));
    assert_eq!(replace_pattern(&mut pure, pair(), pair()).unwrap().len(), 1);
}

#[test]
fn a_replacement_of_a_call_with_effects_stays_in_its_place() {
    // What reads the match comes after the next effect.
    let mut module = module(&["a", "b"], &[("e", &NOTE, "a"), ("f", &NOTE, "b"), ("n", op("neg"), "e")]);
    let graph = |text: &str| {
        let mut graph = Graph::new("p");
        let x = graph.at_end().placeholder("x");
        let mut last = x;
        for word in text.split_whitespace() {
            last = graph.at_end().call(if word == "note" { &NOTE } else { op(word) }, [last.into()], []).unwrap();
        }
        graph.at_end().output(last);
        graph
    };
    assert_eq!(noted(&module), [1.0, 2.0]);
    let found = replace_pattern(&mut module, graph("note neg"), graph("neg note")).unwrap();
    // Its inside is read by the output, too.
    assert_eq!(found.len(), 0);
    let found = replace_pattern(&mut module, graph("note"), graph("neg note note")).unwrap();
    assert_eq!(found.len(), 2);
    module.check().unwrap();
    assert_eq!(noted(&module), [-1.0, -1.0, -2.0, -2.0]);
}

fn three(effect: OpRef) -> GraphModule {
    module(&["a", "b", "c"], &[("e", effect, "a"), ("f", effect, "b"), ("g", effect, "c")])
}

fn is(name: &'static str) -> impl Fn(&Graph, NodeId) -> bool {
    move |graph, id| graph.node(id).name() == name
}

#[test]
fn parts_that_would_change_the_order_of_effects_are_refused() {
    for effect in [&NOTE, &DRAW] {
        let module = three(effect);
        let error = split_module(&module, |graph, id| Some(usize::from(is("f")(graph, id)))).unwrap_err();
        assert!(matches!(&error, FuseError::Order { nodes } if nodes == &["submod_0", "submod_1"]), "{error}");
        assert!(error.to_string().contains("keep their order"), "{error}");
        let error = split_module(&module, |graph, id| (!is("f")(graph, id)).then_some(0)).unwrap_err();
        assert!(matches!(&error, FuseError::Order { nodes } if nodes == &["submod_0", "f"]), "{error}");
    }
    // What a child graph does counts.
    let split = split_module(&three(&NOTE), |graph, id| Some(usize::from(is("g")(graph, id)))).unwrap();
    assert_eq!(noted(&split), [1.0, 2.0, 3.0]);
    let rest = split_module(&split, |graph, id| is("submod_1")(graph, id).then_some(7)).unwrap();
    assert_eq!(noted(&rest), [1.0, 2.0, 3.0]);
    // Effects and what they read, both ways round.
    let both =
        module(&["x", "z"], &[("a", op("neg"), "x"), ("e", &NOTE, "a"), ("y", &NOTE, "z"), ("b", op("exp"), "y")]);
    let error = split_module(&both, |graph, id| (is("a")(graph, id) || is("b")(graph, id)).then_some(0)).unwrap_err();
    assert!(matches!(error, FuseError::Order { .. }), "{error}");
}

#[test]
fn groups_keep_the_order_of_effects() {
    for horizontal in [true, false] {
        let mut module = three(&NOTE);
        let partitioner = || {
            Partitioner::new(|graph, id| !is("f")(graph, id))
                .allows_single_node_partition(true)
                .skip_horizontal_fusion(!horizontal)
        };
        assert_eq!(partitioner().partition_and_fuse(&mut module).unwrap().len(), 2);
        assert_eq!(noted(&module), [1.0, 2.0, 3.0]);
        // All of them are one group, also where those that do not read each other are kept apart.
        let mut module = three(&NOTE);
        let all = Partitioner::new(|_, _| true).skip_horizontal_fusion(!horizontal);
        assert_eq!(all.partition_and_fuse(&mut module).unwrap().len(), 1);
        assert_eq!(noted(&module), [1.0, 2.0, 3.0]);
    }
    let mut pure = three(op("relu"));
    let partitioner = Partitioner::new(|graph, id| !is("f")(graph, id));
    assert_eq!(partitioner.partition_and_fuse(&mut pure).unwrap().len(), 1);
}
