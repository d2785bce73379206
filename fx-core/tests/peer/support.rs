//! What tests of modules are built of: operations by name, small tensors, and a layer that tells what it is made of.

use std::sync::Arc;

use candle_core::{Device, Result, Tensor};
use fx_core::ir::{Argument, Graph, NodeId};
use fx_core::module::{Attributes, Called, GraphModule, LayerModule, LayerState};
use fx_core::ops::{CallKind, InferError, OpRef, OpTable};
use fx_core::value::{Fact, Value};

pub(crate) fn op(name: &str) -> OpRef {
    let table = OpTable::builtin();
    let found = table.get(CallKind::Method, name).or_else(|| table.get(CallKind::Function, name));
    found.unwrap_or_else(|| panic!("{name} is an operation"))
}

/// The operator `+`, not the method.
pub(crate) fn plus() -> OpRef {
    OpTable::builtin().get(CallKind::Function, "add").expect("the operator")
}

pub(crate) fn tensor(values: &[f32]) -> Tensor {
    Tensor::new(values, &Device::Cpu).expect("a small tensor")
}

pub(crate) fn floats(value: &Value) -> Vec<f32> {
    value.as_tensor().expect("a tensor").flatten_all().and_then(|flat| flat.to_vec1()).expect("floats")
}

/// `graph name(%x) { output op(op(x)) }`.
pub(crate) fn chain(name: &str, ops: &[&str]) -> Graph {
    let mut graph = Graph::new(name);
    let mut cursor = graph.at_end();
    let mut last: NodeId = cursor.placeholder("x");
    for name in ops {
        last = cursor.call(op(name), [last.into()], []).expect("an operation of one tensor");
    }
    cursor.output(last);
    graph
}

pub(crate) fn module(graph: Graph, attributes: Attributes) -> GraphModule {
    GraphModule::new(graph, attributes).unwrap_or_else(|error| panic!("{error}"))
}

/// A graph that calls `block` twice, by position and by name.
pub(crate) fn nested() -> GraphModule {
    let block = module(chain("block", &["neg", "exp"]), Attributes::new());
    let mut graph = Graph::new("model");
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    let once = cursor.call_module("block", [x.into()], []);
    let twice = cursor.call_module("block", [], [("x".into(), Argument::from(once))]);
    cursor.output(twice);
    module(graph, Attributes::from_iter([("block", block)]))
}

/// `x * weight`, a layer of its own that tells what it is made of; doubled in training.
pub(crate) struct Scale(pub(crate) Tensor);

impl Scale {
    pub(crate) fn layer(weight: &Tensor) -> Arc<dyn LayerModule> {
        Arc::new(Self(weight.clone()))
    }
}

impl LayerModule for Scale {
    fn type_name(&self) -> &str {
        "Scale"
    }

    fn called(&self) -> Called {
        Called::FORWARD_T
    }

    fn call(&self, args: &[&Value]) -> Result<Value> {
        let x = args[0].as_tensor().expect("a tensor").broadcast_mul(&self.0)?;
        Ok(if args.get(1) == Some(&&Value::Bool(true)) { (x * 2.0)?.into() } else { x.into() })
    }

    fn infer(&self, facts: &[&Fact]) -> std::result::Result<Fact, InferError> {
        match facts[0] {
            Fact::Tensor(fact) if fact.dtype != self.0.dtype() => Err(InferError("dtypes differ".to_owned())),
            fact => Ok(fact.clone()),
        }
    }

    fn state(&self) -> Option<LayerState> {
        Some(LayerState { options: Vec::new(), tensors: vec![("weight", self.0.clone())] })
    }

    fn rebuild(&self, state: &LayerState) -> Result<Arc<dyn LayerModule>> {
        let weight = state.tensors.iter().find(|(name, _)| *name == "weight");
        let Some((_, weight)) = weight else { candle_core::bail!("weight is missing") };
        Ok(Self::layer(weight))
    }
}
