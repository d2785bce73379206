//! The op table as a test matrix: every operation on every sample.

use candle_core::{DType, Tensor};
use fx::ops::sample::Sample;
use fx::ops::{Args, CallKind, Effect, Facts, OpRef, OpTable};
use fx::{Argument, Attributes, Fact, Graph, GraphModule, Value};

/// One call of the matrix.
pub(crate) struct Case {
    /// The operation.
    pub(crate) op: OpRef,
    /// Its arguments.
    pub(crate) sample: Sample,
    /// Unique name.
    pub(crate) name: String,
}

/// The matrix.
pub(crate) fn cases() -> impl Iterator<Item = Case> {
    OpTable::builtin().iter().flat_map(|op| {
        (op.samples)().into_iter().enumerate().map(move |(i, sample)| {
            let kind = match op.kind {
                CallKind::Method => "method",
                CallKind::Function => "function",
            };
            Case { op, sample, name: format!("{kind}_{}_{i}", op.name.replace("::", "_").to_lowercase()) }
        })
    })
}

impl Case {
    /// What candle computes, unless it refuses.
    pub(crate) fn on_candle(&self) -> candle_core::Result<Value> {
        let facts: Vec<Fact> = self.sample.0.iter().map(Fact::of).collect();
        // Some of what the rules refuse, candle panics on; that the two agree is tested beside the rules.
        if let Err(refused) = (self.op.infer)(Facts { op: self.op, facts: &facts.iter().collect::<Vec<_>>() }) {
            return Err(candle_core::Error::Msg(refused.0));
        }
        let values: Vec<&Value> = self.sample.0.iter().collect();
        (self.op.eval)(Args { op: self.op, values: &values })
    }

    /// A graph of this one call; the sample's tensors are its inputs.
    pub(crate) fn module(&self) -> GraphModule {
        let mut graph = Graph::new(self.name.as_str());
        let mut cursor = graph.at_end();
        let mut count = 0;
        let arguments: Vec<Argument> = self
            .sample
            .0
            .iter()
            .map(|value| {
                with_nodes(value, &mut |tensor| {
                    count += 1;
                    let id = cursor.placeholder(&format!("in_{count}"));
                    cursor.meta_mut(id).fact = Fact::of(&Value::from(tensor));
                    id
                })
            })
            .collect();
        let (mut args, mut kwargs) = (Vec::new(), Vec::new());
        for (param, argument) in self.op.params.iter().zip(arguments) {
            if param.positional {
                args.push(argument);
            } else {
                kwargs.push((param.name.into(), argument));
            }
        }
        let call = match self.op.kind {
            CallKind::Method => cursor.call_method(self.op, args, kwargs),
            CallKind::Function => cursor.call_function(self.op, args, kwargs),
        };
        let call = call.unwrap_or_else(|error| panic!("{}: {error}", self.name));
        cursor.output(call);
        if let Ok(value) = self.on_candle() {
            graph.meta_mut(call).fact = Fact::of(&value);
        }
        GraphModule::new(graph, Attributes::new()).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// The sample's tensors.
    pub(crate) fn inputs(&self) -> Vec<Tensor> {
        self.sample.0.iter().flat_map(|value| value.tensors().into_iter().cloned().collect::<Vec<_>>()).collect()
    }

    /// Whether results differ from call to call.
    pub(crate) fn is_random(&self) -> bool {
        self.op.effect == Effect::Random
    }
}

/// A value with its tensors replaced by nodes.
fn with_nodes(value: &Value, node: &mut dyn FnMut(&Tensor) -> fx::NodeId) -> Argument {
    match value {
        Value::Tensor(tensor) => Argument::Node(node(tensor)),
        Value::List(items) => Argument::List(items.iter().map(|item| with_nodes(item, node)).collect()),
        Value::Tuple(items) => Argument::Tuple(items.iter().map(|item| with_nodes(item, node)).collect()),
        other => Argument::from_value(other).expect("no tensors are left"),
    }
}

/// The same bits, shapes and dtypes.
#[track_caller]
pub(crate) fn assert_same(name: &str, expected: &Value, found: &Value, random: bool) {
    let (expected, found) = (expected.tensors(), found.tensors());
    assert_eq!(expected.len(), found.len(), "{name}: number of tensors");
    for (expected, found) in expected.into_iter().zip(found) {
        assert_eq!(expected.shape(), found.shape(), "{name}: shape");
        assert_eq!(expected.dtype(), found.dtype(), "{name}: dtype");
        // Some samples are broadcast to sizes that no memory holds.
        if !random && expected.elem_count() < 1 << 20 {
            assert_eq!(bits(expected), bits(found), "{name}: data");
        }
    }
}

fn bits(tensor: &Tensor) -> Vec<u64> {
    // candle's conversion of f8 numbers below 2^-6 to f64 does not end; the one to f32 does.
    let through = if tensor.dtype() == DType::F8E4M3 { DType::F32 } else { DType::F64 };
    let data = tensor
        .to_dtype(through)
        .and_then(|tensor| tensor.to_dtype(DType::F64))
        .and_then(|tensor| tensor.flatten_all()?.to_vec1::<f64>());
    data.expect("a CPU tensor").into_iter().map(f64::to_bits).collect()
}
