//! Operations and graphs for tests.

use candle_core::DType;

use super::cursor::Cursor;
use super::graph::Graph;
use super::node::NodeId;
use crate::ops::{CallKind, Effect, Facts, InferError, OpDef, Param, ResultKind};
use crate::value::{Fact, Value};

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

/// The fact of the first argument; refuses integers.
fn like_first(facts: Facts<'_>) -> Result<Fact, InferError> {
    match facts.facts.first() {
        Some(Fact::Tensor(fact)) if fact.dtype == DType::U8 => Err(InferError("no bytes, please".into())),
        Some(fact) => Ok((*fact).clone()),
        None => Ok(Fact::Unknown),
    }
}

pub(crate) static ADD: OpDef =
    operation("add", CallKind::Function, &[Param::new("lhs", true), Param::new("rhs", true)]);
pub(crate) static SOFTMAX: OpDef =
    operation("candle_nn::ops::softmax", CallKind::Function, &[Param::new("xs", true), Param::new("dim", false)]);
pub(crate) static CLAMP: OpDef =
    operation("clamp", CallKind::Method, &[Param::new("x", true), Param::new("min", false), Param::new("max", false)]);
pub(crate) static RELU: OpDef = operation("relu", CallKind::Method, &[Param::new("x", true)]);
pub(crate) static CAT: OpDef =
    operation("Tensor::cat", CallKind::Function, &[Param::new("args", true), Param::new("dim", false)]);

pub(crate) fn add(cursor: &mut Cursor<'_>, lhs: NodeId, rhs: NodeId) -> NodeId {
    cursor.call_function(&ADD, [lhs.into(), rhs.into()], []).expect("two arguments")
}

pub(crate) fn relu(cursor: &mut Cursor<'_>, x: NodeId) -> NodeId {
    cursor.call_method(&RELU, [x.into()], []).expect("one argument")
}

/// The module that the documentation of torch.fx opens with.
pub(crate) fn my_module() -> Graph {
    let mut graph = Graph::new("my_module");
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    let param = cursor.get_attr("param");
    let sum = add(&mut cursor, x, param);
    let linear = cursor.call_module("linear", [sum.into()], []);
    let clamp = cursor
        .call_method(&CLAMP, [linear.into()], [("min".into(), 0.0.into()), ("max".into(), 1.0.into())])
        .expect("all arguments");
    cursor.output(clamp);
    graph
}
