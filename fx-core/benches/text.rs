//! Time and size for each node of the text form, of graphs of 1,000 to 1,000,000 nodes:
//! `cargo bench -p candle-fx-core --bench text`.
//!
//! The graph is a residual chain of calls of a function, a module and a method with arguments by name. Each node has a
//! fact, a source line and the modules that it was recorded in.

use std::hint::black_box;
use std::panic::Location;
use std::time::Instant;

use candle_core::{DType, Device};
use fx_core::ir::{Graph, ModuleStack};
use fx_core::module::{Attribute, Attributes, GraphModule};
use fx_core::ops::{CallKind, OpTable};
use fx_core::value::Fact;

fn build(count: usize) -> Graph {
    let op = |kind, name| OpTable::builtin().get(kind, name).expect("it is built in");
    let (add, clamp) = (op(CallKind::Function, "add"), op(CallKind::Method, "clamp"));
    let mut graph = Graph::new("chain");
    let mut x = graph.at_end().placeholder("x");
    let encoder = ModuleStack::ROOT.enter("encoder", "Encoder", 0);
    let mut module = encoder.clone();
    for i in 1..count - 1 {
        if i % 12 == 1 {
            module = encoder.enter(format!("encoder.layers.{}", i / 12), "Layer", 0);
        }
        let mut cursor = graph.at_end().with_source(Location::caller()).with_module(module.clone());
        x = match i % 3 {
            0 => cursor.call(add, [x.into(), x.into()], []).expect("two arguments"),
            1 => cursor.call_module("act", [x.into()], []),
            _ => {
                let bounds = [("min".into(), 0.0.into()), ("max".into(), 1.0.into())];
                cursor.call(clamp, [x.into()], bounds).expect("three arguments")
            }
        };
        cursor.meta_mut(x).fact = Fact::tensor((8, 512, 768), DType::F32);
    }
    graph.at_end().output(x);
    graph
}

/// Nanoseconds for each node: the best of some runs.
fn measure<T>(count: usize, mut run: impl FnMut() -> T) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..(1_000_000 / count).clamp(3, 100) {
        let start = Instant::now();
        let result = black_box(run());
        best = best.min(start.elapsed().as_nanos() as f64 / count as f64);
        drop(result);
    }
    best
}

fn main() {
    println!(
        "{:>9} {:>7} {:>7} {:>10} {:>7} {:>7} {:>10} {:>7} {:>7}",
        "nodes", "print", "parse", "bytes/node", "full", "parse", "bytes/node", "save", "load"
    );
    for count in [1_000, 10_000, 100_000, 1_000_000] {
        let graph = build(count);
        let (short, full) = (graph.to_string(), graph.to_text().expect("no tensors"));
        let print = measure(count, || graph.to_string());
        let parse = measure(count, || short.parse::<Graph>().expect("it was printed"));
        let print_full = measure(count, || graph.to_text().expect("no tensors"));
        let parse_full = measure(count, || full.parse::<Graph>().expect("it was written"));
        let mut attributes = Attributes::new();
        attributes.insert("act", Attribute::Layer(std::sync::Arc::new(candle_nn::Activation::Relu)));
        let module = GraphModule::new(graph, attributes).expect("one layer");
        let file = std::env::temp_dir().join(format!("fx_bench_text_{}.fx", std::process::id()));
        let save = measure(count, || module.save(&file).expect("the folder is there"));
        let load = measure(count, || GraphModule::load(&file, &Device::Cpu).expect("it was saved"));
        for file in [&file, &file.with_extension("safetensors")] {
            std::fs::remove_file(file).expect("it was saved");
        }
        println!(
            "{count:>9} {print:>7.0} {parse:>7.0} {:>10.0} {print_full:>7.0} {parse_full:>7.0} {:>10.0} {save:>7.0} \
             {load:>7.0}  ns a node",
            short.len() as f64 / count as f64,
            full.len() as f64 / count as f64,
        );
    }
}
