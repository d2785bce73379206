//! Child graphs at several places, deep nesting, and hooks: each child is one, before and after.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use candle_core::{DType, Device};
use fx_core::ir::{Argument, Graph};
use fx_core::module::{Attribute, Attributes, GraphModule, LayerTable};
use fx_core::ops::OpTable;
use fx_core::passes::{DeadCode, Fuel, Pass, PassFailure, PassManager};
use fx_core::value::Fact;

use crate::support::{Scale, chain, floats, module, nested, op, tensor};

/// A graph that calls `a`, then `b`, and has a dead node.
fn twice(name: &str, child: &Arc<GraphModule>) -> GraphModule {
    let mut graph = Graph::new(name);
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    cursor.call(op("exp"), [x.into()], []).expect("one argument");
    let y = cursor.call_module("a", [x.into()], []);
    let z = cursor.call_module("b", [y.into()], []);
    cursor.output(z);
    module(graph, Attributes::from_iter([("a", child.clone()), ("b", child.clone())]))
}

/// Calls a layer of weight 2 in evaluation, and has a dead node.
fn block() -> Arc<GraphModule> {
    let mut graph = Graph::new("block");
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    cursor.call(op("neg"), [x.into()], []).expect("one argument");
    let y = cursor.call_module("s", [x.into()], [("train".into(), Argument::Bool(false))]);
    cursor.output(y);
    Arc::new(module(graph, Attributes::from_iter([("s", Scale::layer(&tensor(&[2.0])))])))
}

fn is_shared(module: &GraphModule) -> bool {
    match (module.attributes().get(&"a".into()), module.attributes().get(&"b".into())) {
        (Some(Attribute::Module(a)), Some(Attribute::Module(b))) => Arc::ptr_eq(a, b),
        _ => false,
    }
}

type Change = (&'static str, fn(&mut GraphModule));

const CHANGES: [Change; 7] = [
    ("PassManager", |module| {
        let report = PassManager::new().pass("dead", DeadCode::new()).run(module).expect("it is correct");
        assert!(report.changed);
    }),
    ("train", |module| module.train(true)),
    ("eliminate_dead_code", |module| assert_eq!(module.eliminate_dead_code().len(), 2)),
    ("DeadCode", |module| assert!(DeadCode::new().run(module, &mut Fuel::unlimited()).expect("it runs"))),
    ("to_dtype", |module| module.to_dtype(DType::F64).expect("it fits")),
    ("to_device", |module| module.to_device(&Device::Cpu).expect("it fits")),
    ("load_state_dict", |module| {
        module.load_state_dict([("a.s.weight", tensor(&[2.0]))], false).expect("it fits");
    }),
];

#[test]
fn a_child_at_two_places_stays_one_and_the_holders_outside_keep_theirs() {
    for (name, change) in CHANGES {
        let block = block();
        let before = block.to_string();
        let mut model = twice("model", &block);
        change(&mut model);
        assert!(is_shared(&model), "{name}");
        assert_eq!(block.to_string(), before, "{name}");
        assert!(!block.is_training(), "{name}");
        model.check().unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let mut model = twice("model", &block());
    model.train(true);
    assert_eq!(floats(&model.run(&[tensor(&[1.0]).into()]).expect("it runs")), [16.0]);
    assert!(model.child_mut("b").expect("a child").is_training());
    assert!(!is_shared(&model), "reaching one to change it makes it one of its own");
}

#[test]
fn shared_children_are_looked_into_once_however_many_paths_lead_to_them() {
    // 2^40 paths: whatever follows each of them does not come back.
    let mut module = Arc::new(module(chain("leaf", &["neg"]), Attributes::new()));
    for depth in 0..40 {
        module = Arc::new(twice(&format!("graph{depth}"), &module));
    }
    module.check().expect("it is correct");
    assert!(!module.is_impure(true));
    let mut copy = GraphModule::clone(&module);
    let x = copy.graph().node_named("x").expect("x");
    copy.graph_mut().meta_mut(x).fact = Fact::tensor(1, DType::F32);
    copy.infer_facts().expect("it would run");
    let output = copy.graph().output_node().expect("an output");
    assert_eq!(copy.graph().node(output).meta().fact, Fact::tensor(1, DType::F32));
    copy.train(true);
    copy.to_dtype(DType::F64).expect("there is nothing to convert");
    assert!(is_shared(&copy));
    assert_eq!(copy.eliminate_dead_code().len(), 40);
    let mut copy = GraphModule::clone(&module);
    assert!(DeadCode::new().run(&mut copy, &mut Fuel::unlimited()).expect("it runs"));
    assert!(!DeadCode::new().run(&mut copy, &mut Fuel::unlimited()).expect("it runs"));
    let file = std::env::temp_dir().join(format!("fx_core_shared_{}.fx", std::process::id()));
    module.save(&file).expect("it can be saved");
    let loaded = GraphModule::load_with(&file, OpTable::builtin(), LayerTable::builtin(), &Device::Cpu).expect("saved");
    for left in [file.with_extension("safetensors"), file] {
        std::fs::remove_file(left).expect("it is there");
    }
    assert!(is_shared(&loaded));
}

/// A graph of this many levels, each of which holds and calls the next twice; the innermost has a layer and a buffer.
fn doubled(levels: usize) -> GraphModule {
    let mut inner = GraphModule::clone(&block());
    inner.set_attribute("w", tensor(&[3.0]));
    let mut module = Arc::new(inner);
    for depth in 0..levels {
        module = Arc::new(twice(&format!("graph{depth}"), &module));
    }
    GraphModule::clone(&module)
}

#[test]
fn lists_of_paths_have_an_end_however_graphs_are_shared() {
    const LEVELS: usize = 60;
    let mut module = doubled(LEVELS);
    let first = vec!["a"; LEVELS].join(".");
    let paths: Vec<String> = module.named_modules().iter().map(|(path, _)| path.to_string()).collect();
    // The root, the graphs, and the layer.
    assert_eq!((paths.len(), &paths[LEVELS + 1]), (LEVELS + 2, &format!("{first}.s")));
    let state = module.state_dict();
    let paths: Vec<String> = state.iter().map(|(path, _)| path.to_string()).collect();
    assert_eq!(paths, [format!("{first}.s.weight"), format!("{first}.w")]);
    assert_eq!(module.named_buffers().len(), 2);
    assert!(module.named_parameters().is_empty());
    // Every path can be read, written back, and loaded.
    let other = ["b", "a"].repeat(LEVELS / 2).join(".");
    let loaded = module.load_state_dict([(format!("{other}.w"), tensor(&[7.0]))], false).expect("it fits");
    assert_eq!((loaded.missing.len(), loaded.unexpected.len()), (1, 0));
    for path in [&first, &other] {
        let w = module.tensor(&format!("{path}.w")).expect("it is there");
        assert_eq!(w.to_vec1::<f32>().expect("floats"), [7.0]);
    }
    let error = module.load_state_dict([(format!("{other}.v"), tensor(&[7.0]))], true).unwrap_err().to_string();
    assert!(error.contains(&format!("`{other}.v` is not in the module")), "{error}");
    let text = module.to_string();
    assert_eq!(text.matches("graph block").count(), 1);
    assert!(
        text.ends_with("// b: the same graph as a") && text.contains("    // b: the same graph as a.a\n"),
        "{text}"
    );
    assert!(module.var_map().all_vars().is_empty());
    // What is not too much is listed as torch lists it.
    let few = doubled(3);
    assert_eq!((few.state_dict().len(), few.named_buffers().len()), (16, 2));
    assert!(doubled(LEVELS).to_device(&Device::Cpu).is_ok());
}

#[test]
fn what_is_wrong_in_a_shared_child_is_told_once() {
    let mut broken = GraphModule::clone(&block());
    broken.attributes_mut().remove(&"s".into());
    let mut model = twice("model", &block());
    let broken = Arc::new(broken);
    for path in ["a", "b"] {
        model.set_attribute(path, broken.clone());
    }
    let error = model.check().unwrap_err().to_string();
    assert_eq!(error.matches("`s` should be").count(), 1, "{error}");
    assert!(error.starts_with("in the graph at `a`: "), "{error}");
}

#[test]
fn no_nesting_is_too_deep_to_be_changed() {
    let depth = 20_000;
    let mut model = module(chain("leaf", &["neg"]), Attributes::new());
    for _ in 0..depth {
        let mut outer = module(chain("outer", &[]), Attributes::new());
        outer.set_attribute("k", model);
        model = outer;
    }
    model.train(true);
    assert!(model.is_training() && model.children().all(|(_, child)| child.is_training()));
    assert!(model.eliminate_dead_code().is_empty());
    assert!(!DeadCode::new().run(&mut model, &mut Fuel::unlimited()).expect("it runs"));
    assert!(model.check().is_err());
    let path = vec!["k"; 500].join(".");
    assert!(model.child_mut(path.as_str()).is_some() && model.get_submodule(path.as_str()).is_some());
    model.add_submodule(format!("{path}.z"), nested()).expect("nothing is in the way");
    assert!(model.get_submodule(format!("{path}.z.block")).is_some());
    assert!(model.delete_submodule(format!("{path}.z")) && !model.delete_submodule(format!("{path}.z")));
}

#[test]
fn hooks_stay_on_the_graphs_they_watch() {
    for (name, change) in CHANGES {
        let told = Arc::new(AtomicUsize::new(0));
        let mut model = twice("model", &block());
        let hook = model.graph_mut().register_hook(|_, _| {});
        let count = told.clone();
        let mut child = GraphModule::clone(&block());
        let inner = child.graph_mut().register_hook(move |_, _| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        let child = Arc::new(child);
        for path in ["a", "b"] {
            model.set_attribute(path, child.clone());
        }
        // Only this module holds the child now, at two places; and the plan of a run.
        drop(child);
        model.run(&[tensor(&[1.0]).into()]).expect("it runs");
        change(&mut model);
        assert!(model.graph_mut().unregister_hook(hook), "{name}");
        let erases = matches!(name, "PassManager" | "eliminate_dead_code" | "DeadCode");
        assert_eq!(told.load(Ordering::Relaxed), usize::from(erases), "{name}");
        model.attributes_mut().remove(&"b".into());
        let child = model.child_mut("a").expect("a child");
        assert!(child.graph_mut().unregister_hook(inner), "{name}");
    }
}

#[test]
fn a_manager_that_fails_and_others_that_hold_a_child_leave_hooks_where_they_are() {
    let told = Arc::new(AtomicUsize::new(0));
    let hooked = || {
        let count = told.clone();
        let mut child = GraphModule::clone(&block());
        let hook = child.graph_mut().register_hook(move |_, _| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        (Arc::new(child), hook)
    };
    let fails = |_: &mut GraphModule| Err::<bool, PassFailure>("out of ideas".into());
    let (child, hook) = hooked();
    let mut model = twice("model", &child);
    drop(child);
    PassManager::new().pass("dead", DeadCode::new()).pass("fails", fails).run(&mut model).unwrap_err();
    // The hook was told of the erasure in the copy that is gone.
    assert_eq!(told.swap(0, Ordering::Relaxed), 1);
    model.attributes_mut().remove(&"b".into());
    let child = model.child_mut("a").expect("a child");
    assert_eq!(child.eliminate_dead_code().len(), 1);
    assert_eq!(told.swap(0, Ordering::Relaxed), 1);
    assert!(child.graph_mut().unregister_hook(hook));

    // A child that is also held elsewhere, directly or by what holds it, keeps its hooks there.
    let (child, hook) = hooked();
    let holder = Arc::new(twice("holder", &child));
    drop(child);
    let mut model = twice("model", &holder);
    PassManager::new().pass("dead", DeadCode::new()).run(&mut model).expect("it is correct");
    assert_eq!(told.load(Ordering::Relaxed), 0);
    let mut holder = Arc::try_unwrap(holder).expect("the model has its own");
    holder.attributes_mut().remove(&"b".into());
    assert!(holder.child_mut("a").expect("a child").graph_mut().unregister_hook(hook));
}

#[test]
fn a_hook_that_panics_leaves_all_in_place() {
    let mut model = twice("model", &block());
    for path in ["a", "b"] {
        model.child_mut(path).expect("a child").graph_mut().register_hook(|_, _| panic!("a hook"));
    }
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| model.eliminate_dead_code()));
    assert!(result.is_err());
    model.check().expect("everything is there");
    assert_eq!(floats(&model.run(&[tensor(&[1.0]).into()]).expect("it runs")), [4.0]);
}

#[test]
fn floats_inside_of_lists_become_floats_of_the_dtype() {
    let mut graph = chain("model", &[]);
    let x = graph.node_named("x").expect("x");
    let list = |dtype| Fact::List(vec![Fact::tensor(1, dtype), Fact::Tuple(vec![Fact::tensor(2, dtype)])]);
    graph.meta_mut(x).fact = list(DType::F32);
    let mut model = module(graph, Attributes::new());
    model.to_dtype(DType::F16).expect("it fits");
    assert_eq!(model.graph().node(x).meta().fact, list(DType::F16));
}
