//! Time and memory for each node of graphs of 1,000 to 1,000,000 nodes: `cargo bench -p candle-fx-core --bench ir`.
//!
//! The graph is a residual chain of calls of a function, a module and a method with arguments by name. Each node has a
//! source line; in the second table each also has a fact, which verifying infers again. The third table is of a star: many
//! calls that one node reads.

use std::hint::black_box;
use std::panic::Location;
use std::time::Instant;

use candle_core::DType;
use fx_core::ir::{Graph, ModuleStack, NodeId, NodeMap};
use fx_core::module::{Attributes, GraphModule};
use fx_core::ops::{CallKind, Effect, Facts, InferError, OpDef, OpRef, OpTable, Param, ResultKind};
use fx_core::passes::{Proxy, replace_pattern, split_module};
use fx_core::value::{Fact, Value};

static ADD: OpDef = operation("add", CallKind::Function, &[Param::new("lhs", true), Param::new("rhs", true)]);
static CLAMP: OpDef =
    operation("clamp", CallKind::Method, &[Param::new("x", true), Param::new("min", false), Param::new("max", false)]);

const fn operation(name: &'static str, kind: CallKind, params: &'static [Param]) -> OpDef {
    OpDef {
        name,
        kind,
        params,
        doc: "",
        result: ResultKind::Tensor,
        effect: Effect::Pure,
        eval: |_| Ok(Value::None),
        infer: like_first,
        decides: |_| None,
        macs: |_, _| Some(0),
        source: "",
        samples: Vec::new,
    }
}

fn like_first(facts: Facts<'_>) -> Result<Fact, InferError> {
    Ok(facts.facts[0].clone())
}

fn build(count: usize, with_facts: bool) -> Graph {
    let mut graph = Graph::new("chain");
    let mut cursor = graph.at_end().with_source(Location::caller()).with_module(ModuleStack::ROOT.enter(
        "encoder.layers.0",
        "Layer",
        0,
    ));
    let mut x = cursor.placeholder("x");
    let path = fx_core::ir::ModulePath::new("encoder.layers.0.linear");
    for i in 1..count - 1 {
        let next = match i % 3 {
            0 => cursor.call_function(&ADD, [x.into(), x.into()], []).expect("two arguments"),
            1 => cursor.call_module(path.clone(), [x.into()], []),
            _ => {
                let bounds = [("min".into(), 0.0.into()), ("max".into(), 1.0.into())];
                cursor.call_method(&CLAMP, [x.into()], bounds).expect("three arguments")
            }
        };
        if with_facts {
            cursor.meta_mut(next).fact = Fact::tensor((8, 512, 768), DType::F32);
        }
        x = next;
    }
    cursor.output(x);
    graph
}

/// Nanoseconds for each node that `run` takes, and that dropping its result takes: the best of some runs.
fn measure<T>(count: usize, mut run: impl FnMut() -> T) -> [f64; 2] {
    let mut best = [f64::INFINITY; 2];
    for _ in 0..(3_000_000 / count).clamp(3, 300) {
        let start = Instant::now();
        let result = black_box(run());
        let ran = start.elapsed();
        drop(result);
        for (best, time) in best.iter_mut().zip([ran, start.elapsed() - ran]) {
            *best = best.min(time.as_nanos() as f64 / count as f64);
        }
    }
    best
}

/// Resident memory of this process in bytes, where the system tells.
fn resident() -> Option<usize> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(pages.split(' ').nth(1)?.parse::<usize>().ok()? * 4096)
}

fn main() {
    // Both before anything is freed, so that no memory is used again.
    let mut kept = Vec::new();
    for with_facts in [false, true] {
        let count = 1_000_000;
        let before = resident();
        kept.push(build(count, with_facts));
        if let (Some(before), Some(after)) = (before, resident()) {
            let bytes = after.saturating_sub(before) / count;
            println!("{bytes} bytes a node{}", if with_facts { " with facts" } else { "" });
        }
    }
    drop(kept);
    for with_facts in [false, true] {
        let columns = ["build", "verify", "clone", "copy", "print", "find", "again", "sort", "dce", "drop"];
        let columns: String = columns.iter().map(|column| format!(" {column:>7}")).collect();
        println!("{:>9}{columns}  ns a node{}", "nodes", if with_facts { " with facts" } else { "" });
        for count in [1_000, 10_000, 100_000, 1_000_000] {
            let graph = build(count, with_facts);
            assert_eq!(graph.verify(), Ok(()));
            let [clone, drop] = measure(count, || graph.clone());
            let copy = || {
                let mut copy = Graph::new("copy");
                copy.at_end().graph_copy(&graph, &mut NodeMap::new());
                copy
            };
            // The first look-up makes the table, the next ones use it; both find a third of the nodes.
            let find = || graph.clone().calls(&ADD).len();
            let reversed = reversed(&graph);
            let times = [
                measure(count, || build(count, with_facts))[0],
                measure(count, || graph.verify())[0],
                clone,
                measure(count, copy)[0],
                measure(count, || graph.to_string())[0],
                (measure(count, find)[0] - clone - drop).max(0.0),
                measure(count, || graph.calls(&ADD).len())[0],
                edited(count, &reversed, |graph| graph.stable_topological_sort().is_ok()),
                edited(count, &dead(&graph), |graph| graph.eliminate_dead_code(None)),
                drop,
            ];
            println!("{count:>9}{}", times.iter().map(|time| format!(" {time:>7.0}")).collect::<String>());
        }
    }
    println!("{:>9} {:>7} {:>7} {:>7}  ns a node of a star", "nodes", "uses", "pattern", "split");
    for count in [10_000, 40_000, 160_000] {
        let star = star(count);
        let calls: Vec<NodeId> = star.graph().calls(builtin("relu")).collect();
        let times = [
            // One after the other, as a pass does it that goes from call to call.
            edited(count, star.graph(), |graph| {
                let x = graph.placeholders().next().expect("an input");
                calls.iter().all(|call| graph.replace_all_uses_with(*call, x).len() == 1)
            }),
            changed(count, &star, |module| {
                let replaced = replace_pattern(module, |x: &Proxy| x.relu(), |x: &Proxy| x.tanh());
                replaced.expect("it fits").len()
            }),
            changed(count, &star, |module| {
                let mut number = 0;
                let split = split_module(module, |_, _| {
                    number += 1;
                    Some(number)
                });
                split.expect("calls do not need each other").children().count()
            }),
        ];
        println!("{count:>9}{}", times.iter().map(|time| format!(" {time:>7.0}")).collect::<String>());
    }
}

fn builtin(name: &str) -> OpRef {
    OpTable::builtin().get(CallKind::Method, name).expect("an operation")
}

/// Many calls of one operation on one input, all of which the output reads.
fn star(count: usize) -> GraphModule {
    let mut graph = Graph::new("star");
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    let calls: Vec<NodeId> =
        (0..count).map(|_| cursor.call(builtin("relu"), [x.into()], []).expect("one argument")).collect();
    cursor.output(calls);
    GraphModule::new(graph, Attributes::new()).expect("it is correct")
}

/// Nanoseconds for each node that a pass takes which changes each of them.
fn changed(count: usize, module: &GraphModule, pass: impl Fn(&mut GraphModule) -> usize) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..2 {
        let mut module = module.clone();
        let start = Instant::now();
        assert_eq!(black_box(pass(&mut module)), count);
        best = best.min(start.elapsed().as_nanos() as f64 / count as f64);
    }
    best
}

/// Nanoseconds for each node that an edit of a clone takes.
fn edited(count: usize, graph: &Graph, edit: impl Fn(&mut Graph) -> bool) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..(1_000_000 / count).clamp(2, 100) {
        let mut graph = graph.clone();
        let start = Instant::now();
        assert!(black_box(edit(&mut graph)), "there was something to do");
        best = best.min(start.elapsed().as_nanos() as f64 / count as f64);
    }
    best
}

/// The graph with its nodes from last to first.
fn reversed(graph: &Graph) -> Graph {
    let mut reversed = graph.clone();
    let ids: Vec<NodeId> = graph.nodes().map(|(id, _)| id).collect();
    for pair in ids.windows(2) {
        reversed.prepend(pair[0], pair[1]);
    }
    reversed
}

/// The graph with an output that reads the input only.
fn dead(graph: &Graph) -> Graph {
    let mut dead = graph.clone();
    let (first, output) = (graph.first().expect("there are nodes"), graph.output_node().expect("there is one"));
    dead.set_args(output, [first.into()]);
    dead
}
