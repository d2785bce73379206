//! Tables of modules: what is counted once, what is counted at each call, and what is not known.

use std::sync::Arc;

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::{Embedding, Func, Linear, VarBuilder, VarMap};
use fx_core::ir::{Graph, ModuleStack};
use fx_core::leaf::Leaf;
use fx_core::module::{Attribute, Attributes, GraphModule};
use fx_core::ops::linalg;
use fx_core::summary::{RowKind, Summary};
use fx_core::trace::{Inputs, Tracer};
use fx_core::value::Fact;

fn ones(dims: &[usize]) -> Tensor {
    Tensor::ones(dims, DType::F32, &Device::Cpu).expect("a tensor")
}

/// A table of words, and the same table to get words back: tied.
fn tied() -> (Embedding, Linear, Linear) {
    let table = ones(&[10, 4]);
    let inner = Linear::new(ones(&[4, 4]), Some(ones(&[4])));
    (Embedding::new(table.clone(), 4), inner, Linear::new(table, None))
}

fn captured(dims: Option<(usize, usize)>) -> GraphModule {
    type Mirror = (Leaf<Embedding>, Leaf<Linear>, Leaf<Linear>);
    let tracer = match dims {
        Some(dims) => Tracer::new().input("ids", DType::U32, dims),
        None => Tracer::new(),
    };
    let call = |(table, inner, head): &mut Mirror, inputs: &mut Inputs<'_>| {
        let x = table.forward(&inputs.tensor("ids")?)?;
        let x = inner.forward(&inner.forward(&x)?.relu()?)?;
        let scores = x.matmul(&x.t()?)?;
        head.forward(&scores.matmul(&x)?)
    };
    tracer.trace_with(&tied(), call).expect("it is captured")
}

#[test]
fn parameters_count_once_and_products_at_each_call() {
    let module = captured(Some((2, 5)));
    let summary = module.summary();
    let totals = *summary.totals();
    assert_eq!(totals.parameters, 10 * 4 + 4 * 4 + 4);
    // Two calls of one layer, two products of matrices, and the tied head; each sees two rows of five.
    assert_eq!(totals.macs, 10 * (2 * 16) + 2 * (2 * 5 * 5 * 4) + 10 * 40);
    assert_eq!((totals.trainable, totals.buffers, totals.untold), (0, 0, 0));
    assert_eq!((totals.input_bytes, totals.parameter_bytes), (2 * 5 * 4, 60 * 4));
    let kinds: Vec<RowKind> = summary.rows().iter().map(|row| row.kind).collect();
    use RowKind::{Layer, Operation};
    assert_eq!(kinds, [RowKind::Module, Layer, Layer, Layer, Operation, Operation, Layer]);
    insta::assert_snapshot!(summary);
    insta::assert_snapshot!(module.summary().depth(0));
}

#[test]
fn what_is_not_known_is_said() {
    let summary = captured(None).summary();
    assert_eq!(summary.totals().macs, 0);
    assert!(summary.totals().unknown_macs > 0 && summary.totals().unknown_shapes > 0);
    insta::assert_snapshot!(summary);
    let ids = Fact::tensor((2, 5), DType::U32);
    let known = captured(None).summary_for(&[&ids]).expect("it fits");
    assert_eq!(known.to_string(), captured(Some((2, 5))).summary().to_string());
    assert!(captured(None).summary_for(&[&Fact::tensor((2, 5), DType::F32)]).is_err());
}

#[test]
fn a_closure_tells_nothing() {
    let model = (Func::new(|x: &Tensor| x.relu()),);
    let call = |(closure,): &mut (Leaf<Func<'static>>,), inputs: &mut Inputs<'_>| closure.forward(&inputs.tensor("x")?);
    let module = Tracer::new().input("x", DType::F32, 3).trace_with(&model, call).expect("it is captured");
    let totals = *module.summary().totals();
    assert_eq!((totals.untold, totals.unknown_macs, totals.unknown_shapes), (1, 1, 1));
}

#[test]
fn buffers_are_no_parameters_and_variables_can_be_trained() -> Result<()> {
    let vars = VarMap::new();
    let vb = VarBuilder::from_varmap(&vars, DType::F32, &Device::Cpu);
    let model =
        (candle_nn::conv2d(3, 4, 3, Default::default(), vb.pp("a"))?, candle_nn::batch_norm(4, 1e-5, vb.pp("b"))?);
    let module = Tracer::new()
        .input("x", DType::F32, (1, 3, 8, 9))
        .trace_with(&model, |(conv, norm), inputs| norm.forward_t(&conv.forward(&inputs.tensor("x")?)?, false))
        .expect("it is captured");
    let totals = *module.summary().totals();
    assert_eq!((totals.parameters, totals.trainable, totals.buffers), (112 + 8, 112 + 8, 8));
    assert_eq!(totals.macs, (4 * 6 * 7) * (3 * 3 * 3));
    Ok(())
}

/// A graph that multiplies its input by itself, so often.
fn square(name: &str, times: usize) -> GraphModule {
    let mut graph = Graph::new(name);
    let mut cursor = graph.at_end();
    let mut x = cursor.placeholder("x");
    for _ in 0..times {
        x = cursor.call(&linalg::matmul::OP, [x.into(), x.into()], []).expect("it fits");
    }
    cursor.output(x);
    GraphModule::new(graph, Attributes::new()).expect("it is well formed")
}

/// A graph that calls a child so often.
fn calls(name: &str, child: Arc<GraphModule>, times: usize) -> GraphModule {
    let mut graph = Graph::new(name);
    let mut cursor = graph.at_end();
    let mut x = cursor.placeholder("x");
    for _ in 0..times {
        x = cursor.call_module("child", [x.into()], []);
    }
    cursor.output(x);
    GraphModule::new(graph, Attributes::from_iter([("child", Attribute::Module(child))])).expect("it is well formed")
}

#[test]
fn child_graphs_cost_at_each_call_and_are_listed_once() {
    let fact = Fact::tensor((3, 3), DType::F32);
    let module = calls("model", Arc::new(calls("block", Arc::new(square("square", 2)), 2)), 3);
    let summary = module.summary_for(&[&fact]).expect("it fits");
    assert_eq!(summary.totals().macs, 3 * 2 * 2 * 27);
    insta::assert_snapshot!(summary);

    // As many calls as there are paths would be 2^40.
    let mut deep = square("square", 1);
    for _ in 0..40 {
        deep = calls("level", Arc::new(deep), 2);
    }
    let summary = deep.summary_for(&[&fact]).expect("it fits");
    assert_eq!(summary.totals().macs, 27 << 40);
    assert!(summary.rows().len() < 200);
}

#[test]
fn modules_are_entered_and_left() {
    let mut graph = Graph::new("model");
    let x = graph.at_end().placeholder("x");
    let fact = Fact::tensor((2, 2), DType::F32);
    let mut last = x;
    graph.meta_mut(x).fact = fact.clone();
    let outer = ModuleStack::ROOT.enter("encoder", "Encoder", 0);
    for stack in [
        outer.enter("encoder.layers.0", "Layer", 0),
        outer.enter("encoder.layers.1", "Layer", 0),
        outer.clone(),
        ModuleStack::ROOT,
        ModuleStack::ROOT.enter("encoder", "Encoder", 1).enter("encoder.layers.0", "Layer", 1),
    ] {
        let call = graph.at_end().with_module(stack).call(&linalg::matmul::OP, [last.into(), last.into()], []);
        last = call.expect("it fits");
        graph.meta_mut(last).fact = fact.clone();
    }
    graph.at_end().output(last);
    let summary: Summary = GraphModule::new(graph, Attributes::new()).expect("it is well formed").summary();
    insta::assert_snapshot!(summary);
    insta::assert_snapshot!(summary.clone().depth(1));
    let encoder = summary.rows().iter().position(|row| row.path.as_str() == "encoder").expect("a row");
    assert_eq!(summary.below(encoder).iter().filter_map(|row| row.macs).sum::<u64>(), 3 * 8);
}

#[test]
fn a_module_without_calls_is_one_row() {
    let mut graph = Graph::new("nothing");
    let x = graph.at_end().placeholder("x");
    graph.at_end().output(x);
    let attributes = Attributes::from_iter([("never.read", Attribute::Tensor(ones(&[3])))]);
    let summary = GraphModule::new(graph, attributes).expect("it is well formed").summary();
    assert_eq!((summary.rows().len(), summary.totals().parameters), (1, 3));
}
