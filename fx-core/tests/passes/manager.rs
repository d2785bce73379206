//! The manager: order, checks, undoing, stopping.

use std::sync::{Arc, Mutex};

use fx_core::ir::{Edit, Graph};
use fx_core::module::GraphModule;
use fx_core::ops::elementwise::{relu, tanh};
use fx_core::passes::{
    CommonSubexpressions, Fuel, ManagerError, Pass, PassFailure, PassManager, PatternRewriter, Proxy, pattern,
};
use fx_core::trace::Tracer;

fn chain(length: usize) -> GraphModule {
    let traced = Tracer::new().name("chain").trace_fn(|inputs| {
        let mut x = inputs.tensor("x")?;
        for _ in 0..length {
            x = x.relu()?;
        }
        candle_core::Result::Ok(x)
    });
    traced.unwrap()
}

fn relu_to_tanh() -> PatternRewriter<'static> {
    PatternRewriter::new(|x: &Proxy| x.relu()).unwrap().replacement(pattern(|[x]| x.tanh()).unwrap()).unwrap()
}

fn nothing(_: &mut GraphModule) -> Result<bool, PassFailure> {
    Ok(false)
}

#[test]
fn passes_run_in_the_order_that_constraints_ask_for() {
    let manager = || ["a", "b", "c", "d"].into_iter().fold(PassManager::new(), |all, name| all.pass(name, nothing));
    let order =
        |manager: PassManager<'_>| manager.order().map(|names| names.concat()).map_err(|error| error.to_string());
    assert_eq!(order(manager()).unwrap(), "abcd");
    assert_eq!(order(manager().before("d", "a").before("c", "b")).unwrap(), "cbda");
    let cycle = order(manager().before("a", "b").before("b", "c").before("c", "a")).unwrap_err();
    assert_eq!(cycle, "each of the passes `a`, `b`, `c` has to come before another of them");
    assert_eq!(
        order(manager().before("a", "a")).unwrap_err(),
        "each of the passes `a` has to come before another of them"
    );
    assert_eq!(order(manager().before("a", "z")).unwrap_err(), "a constraint names pass `z`, which is not there");
    assert_eq!(order(manager().pass("b", nothing)).unwrap_err(), "there are two passes called `b`");
    assert_eq!(order(PassManager::new()).unwrap(), "");
}

#[test]
fn a_failing_pass_is_named_and_undone() {
    let mut module = chain(3);
    let before = module.to_string();
    let told = Arc::new(Mutex::new(0));
    let count = told.clone();
    module.graph_mut().register_hook(move |_: &Graph, edit| {
        if let Edit::Create { .. } = edit {
            *count.lock().unwrap() += 1;
        }
    });
    let fails = |_: &mut GraphModule| Err::<bool, PassFailure>("out of ideas".into());
    let error = PassManager::new().pass("swap", relu_to_tanh()).pass("fails", fails).run(&mut module).unwrap_err();
    assert_eq!(error.to_string(), "pass `fails` failed in step 1: out of ideas");
    assert_eq!((module.to_string(), *told.lock().unwrap()), (before, 3));
    // Hooks outlive both a failure and a success.
    PassManager::new().pass("swap", relu_to_tanh()).run(&mut module).unwrap();
    assert_eq!((module.graph().calls(&tanh::OP).len(), *told.lock().unwrap()), (3, 6));
}

#[test]
fn a_pass_that_breaks_the_graph_is_named_and_undone() {
    let mut module = chain(3);
    let before = module.to_string();
    // It does not even say that it changed something.
    let breaks = |module: &mut GraphModule| {
        let graph = module.graph_mut();
        let (first, last) = (graph.calls(&relu::OP).next().unwrap(), graph.calls(&relu::OP).next_back().unwrap());
        graph.append(last, first);
        Ok::<bool, PassFailure>(false)
    };
    let mut manager = PassManager::new().pass("swap", nothing).pass("breaks", breaks);
    let error = manager.run(&mut module).unwrap_err();
    assert!(matches!(error, ManagerError::Broken { ref pass, step: 1, .. } if &**pass == "breaks"), "{error}");
    assert!(error.to_string().contains("V4"), "{error}");
    assert_eq!(module.to_string(), before);
    assert!(PassManager::new().pass("breaks", breaks).verify(false).run(&mut module).unwrap().changed);
    let error = PassManager::new().pass("any", nothing).run(&mut module).unwrap_err();
    assert!(matches!(error, ManagerError::Before(_)), "{error}");
}

/// Whether anything changed is known from the pass and from the revision: either is enough.
#[test]
fn a_change_is_seen_though_the_revision_is_equal_or_the_pass_says_nothing() {
    let mut module = chain(1);
    let x = [candle_core::Tensor::new(&[-2_f32, 2.0], &candle_core::Device::Cpu).unwrap()];
    let run = |module: &GraphModule| module.forward(&x).unwrap().to_vec1::<f32>().unwrap();
    assert_eq!(run(&module), [0.0, 2.0]);
    // Another graph of the same revision; a run must not go by the old one's plan.
    let other = |says: bool| {
        move |module: &mut GraphModule| {
            let revision = module.graph().revision();
            let mut graph = Graph::new("other");
            let x = graph.at_end().placeholder("x");
            let y = graph.at_end().call(&tanh::OP, [x.into()], []).unwrap();
            let z = graph.at_end().call(&relu::OP, [y.into()], []).unwrap();
            graph.at_end().output(z);
            let x = graph.placeholders().next().unwrap();
            graph.meta_mut(x).fact = module.graph().node(module.graph().first().unwrap()).meta().fact.clone();
            while graph.revision() < revision {
                graph.set_name("other");
            }
            assert_eq!(graph.revision(), revision);
            *module.graph_mut() = graph;
            Ok::<bool, PassFailure>(says)
        }
    };
    let rename = |module: &mut GraphModule| {
        while module.graph().revision() < 10 {
            module.graph_mut().set_name("chain");
        }
        Ok::<bool, PassFailure>(false)
    };
    // It says that nothing changed, and the revision says otherwise.
    let report = PassManager::new().pass("rename", rename).run(&mut module).unwrap();
    assert_eq!((report.changed, report.passes), (true, vec![("rename".into(), 1)]));
    for (says, steps) in [(true, 2), (false, 1)] {
        let mut copy = module.clone();
        assert_eq!(run(&copy), [0.0, 2.0]);
        let report = PassManager::new().pass("other", other(says)).steps(2).run(&mut copy).unwrap();
        assert_eq!((report.changed, report.steps), (says, steps));
        // Even where nobody can tell that it is another graph, it is that which runs.
        assert_eq!(run(&copy), [0.0, 2_f32.tanh()]);
    }
}

#[test]
fn steps_end_when_nothing_changes() {
    let halve = || {
        let twice = pattern(|[x]| x.relu()?.relu()).unwrap();
        PatternRewriter::new(twice).unwrap().replacement(pattern(|[x]| x.relu()).unwrap()).unwrap()
    };
    let mut module = chain(16);
    let report = PassManager::new().pass("halve", halve()).steps(100).run(&mut module).unwrap();
    // 16, 8, 4, 2, 1, and once more to see that nothing changes.
    assert_eq!((report.steps, report.rewrites, module.graph().len()), (5, 15, 3));
    assert_eq!(report.passes, [("halve".into(), 4)]);
    let mut module = chain(16);
    let report = PassManager::new().pass("halve", halve()).steps(2).run(&mut module).unwrap();
    assert_eq!((report.steps, module.graph().len()), (2, 6));
    let report = PassManager::new().pass("halve", halve()).steps(0).run(&mut module).unwrap();
    assert_eq!((report.steps, report.changed, module.graph().len()), (0, false, 6));
}

#[test]
fn stopping_after_n_rewrites_finds_each_of_them() {
    for limit in 0..6 {
        let mut module = chain(4);
        let report = PassManager::new().pass("swap", relu_to_tanh()).stop_after(limit).run(&mut module).unwrap();
        let done = limit.min(4);
        assert_eq!((report.rewrites, module.graph().calls(&tanh::OP).len()), (done, done));
    }
    // Common subexpressions are counted one by one, too.
    let traced = Tracer::new().trace_fn(|inputs| {
        let x = inputs.tensor("x")?;
        candle_core::Result::Ok([x.relu()?, x.relu()?, x.relu()?])
    });
    let module = traced.unwrap();
    for (limit, left) in [(0, 3), (1, 2), (2, 1), (3, 1)] {
        let mut module = module.clone();
        PassManager::new().pass("cse", CommonSubexpressions::new()).stop_after(limit).run(&mut module).unwrap();
        assert_eq!(module.graph().calls(&relu::OP).len(), left);
    }
}

#[test]
fn a_panic_leaves_the_hooks() {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    let panics = |_: &mut GraphModule| -> Result<bool, PassFailure> { panic!("in a pass") };
    let mut module = chain(2);
    let hook = module.graph_mut().register_hook(|_, _| {});
    let before = module.to_string();
    let outcome = catch_unwind(AssertUnwindSafe(|| PassManager::new().pass("panics", panics).run(&mut module)));
    assert!(outcome.is_err());
    let made = |_: &fx_core::passes::InternalMatch, _: &Graph| -> Result<fx_core::passes::Pattern, PassFailure> {
        panic!("in a callback")
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| relu_to_tanh().callback(made).apply(&mut module).is_ok()));
    assert!(outcome.is_err());
    // A hook that panics is told of an edit of the copy.
    let angry = module.graph_mut().register_hook(|_, _| panic!("in a hook"));
    let all = fx_core::passes::Partitioner::new(|_, _| true);
    let outcome = catch_unwind(AssertUnwindSafe(|| all.partition_and_fuse(&mut module).is_ok()));
    assert!(outcome.is_err());
    assert_eq!(module.to_string(), before);
    assert!(module.graph_mut().unregister_hook(angry) && module.graph_mut().unregister_hook(hook));
}

#[test]
fn a_pass_that_breaks_attributes_or_puts_in_a_broken_graph_is_found() {
    let parameter = candle_core::Tensor::new(&[1_f32], &candle_core::Device::Cpu).unwrap();
    let mut graph = Graph::new("reads");
    let w = graph.at_end().get_attr("w");
    graph.at_end().output(w);
    let attributes = fx_core::module::Attributes::from_iter([("w", parameter)]);
    let mut module = GraphModule::new(graph, attributes).unwrap();
    let before = module.to_string();
    let removes = |module: &mut GraphModule| {
        module.attributes_mut().remove(&"w".into());
        Ok::<bool, PassFailure>(false)
    };
    let swaps = |module: &mut GraphModule| {
        let mut graph = Graph::new("other");
        let x = graph.at_end().placeholder("x");
        let call = graph.at_end().call_module("nowhere", [x.into()], []);
        graph.at_end().output(call);
        *module.graph_mut() = graph;
        Ok::<bool, PassFailure>(false)
    };
    type Breaks = fn(&mut GraphModule) -> Result<bool, PassFailure>;
    let breaks: [Breaks; 2] = [removes, swaps];
    for pass in breaks {
        let error = PassManager::new().pass("breaks", pass).run(&mut module).unwrap_err();
        assert!(matches!(error, ManagerError::Broken { step: 1, .. }), "{error}");
        assert_eq!(module.to_string(), before);
        module.check().unwrap();
    }
}

#[test]
fn hooks_are_told_what_is_read_instead_of_equal_calls() {
    let traced = Tracer::new().trace_fn(|inputs| {
        let x = inputs.tensor("x")?;
        x.relu()? + x.relu()?
    });
    let mut module = traced.unwrap();
    let log = Arc::new(Mutex::new(Vec::new()));
    let told = log.clone();
    module.graph_mut().register_hook(move |graph, edit| {
        let name = |id| graph.node(id).name();
        told.lock().unwrap().push(match edit {
            Edit::Replace { old, new, user } => format!("{} reads {} for {}", name(user), name(new), name(old)),
            Edit::Erase { node } => format!("{} goes", name(node)),
            other => format!("{other:?}"),
        });
    });
    assert!(CommonSubexpressions::new().run(&mut module, &mut Fuel::unlimited()).unwrap());
    assert_eq!(*log.lock().unwrap(), ["add reads relu for relu_1", "relu_1 goes"]);
}
