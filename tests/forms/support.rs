//! Tensors and layers to build models of, and the comparison of a capture with its original.

use candle_core::{DType, Device, Tensor};
use candle_nn::Linear;
use fx::{GraphModule, TraceError, Value};

#[path = "ways.rs"]
mod ways;

/// What a capture returns.
pub(crate) type Captured = Result<GraphModule, TraceError>;

fn filled(shape: &[usize], value: impl Fn(f32) -> f32) -> Tensor {
    let count: usize = shape.iter().product();
    let data: Vec<f32> = (0..count).map(|i| value(i as f32)).collect();
    Tensor::from_vec(data, shape, &Device::Cpu).unwrap()
}

pub(crate) fn tensor(shape: &[usize]) -> Tensor {
    filled(shape, |i| (i * 0.37).sin())
}

/// A tensor of other numbers than [`tensor`] gives.
pub(crate) fn other(shape: &[usize]) -> Tensor {
    filled(shape, |i| (i * 0.71 + 0.2).cos())
}

pub(crate) fn linear(from: usize, to: usize) -> Linear {
    Linear::new(tensor(&[to, from]), Some(tensor(&[to])))
}

fn bits(tensor: &Tensor) -> Vec<u64> {
    let data = tensor.to_dtype(DType::F64).unwrap().flatten_all().unwrap().to_vec1::<f64>().unwrap();
    data.into_iter().map(f64::to_bits).collect()
}

/// Whether two tensors have the same shape and the same bits.
pub(crate) fn is_same(one: &Tensor, other: &Tensor) -> bool {
    one.dims() == other.dims() && one.dtype() == other.dtype() && bits(one) == bits(other)
}

#[track_caller]
pub(crate) fn assert_same(expected: &Tensor, found: &Tensor) {
    assert_eq!(expected.dims(), found.dims());
    assert_eq!(expected.dtype(), found.dtype());
    assert_eq!(bits(expected), bits(found));
}

fn tensors_of(value: &Value, found: &mut Vec<Tensor>) {
    match value {
        Value::Tensor(tensor) => found.push(tensor.clone()),
        Value::Tuple(values) | Value::List(values) => values.iter().for_each(|value| tensors_of(value, found)),
        Value::Struct(_, fields) => fields.iter().for_each(|(_, value)| tensors_of(value, found)),
        _ => (),
    }
}

/// Values of the placeholders, as the parameters are called: the graph's own signature says how they are put together.
pub(crate) fn as_parameters(graph: &fx::Graph, inputs: &[&Tensor]) -> Vec<Value> {
    let each = inputs.iter().map(|input| Value::from(*input));
    let Some(signature) = graph.signature() else { return each.collect() };
    let values: std::collections::HashMap<fx::NodeId, Value> = graph.placeholders().zip(each).collect();
    signature.parameters.iter().map(|(_, made_of)| filled_in(made_of, &values)).collect()
}

fn filled_in(made_of: &fx::Argument, values: &std::collections::HashMap<fx::NodeId, Value>) -> Value {
    let each = |parts: &[fx::Argument]| parts.iter().map(|part| filled_in(part, values)).collect();
    match made_of {
        fx::Argument::Node(id) => values[id].clone(),
        fx::Argument::List(parts) => Value::List(each(parts)),
        fx::Argument::Tuple(parts) => Value::Tuple(each(parts)),
        plain => plain.to_value().expect("plain data"),
    }
}

/// Checks a capture, writes it as code, runs it, and compares the tensors it returns.
#[track_caller]
pub(crate) fn assert_returns(expected: &[&Tensor], captured: Captured, inputs: &[&Tensor]) {
    let module = captured.unwrap_or_else(|error| panic!("not captured: {error}"));
    let graph = module.graph();
    if let Err(error) = module.check() {
        panic!("{error}\n{graph}");
    }
    assert!(module.code().contains("fn "), "{graph}");
    assert!(!graph.print_tabular().to_string().is_empty());
    let placeholders: Vec<Value> = inputs.iter().map(|input| Value::from(*input)).collect();
    let inputs = as_parameters(graph, inputs);
    let fresh = module.clone();
    let value = module.run(&inputs).unwrap_or_else(|error| panic!("{error}\n{graph}"));
    ways::assert_runs_alike(&fresh, &inputs, &placeholders, &value);
    let mut found = Vec::new();
    tensors_of(&value, &mut found);
    assert_eq!(expected.len(), found.len(), "{value:?}");
    for (expected, found) in expected.iter().zip(&found) {
        assert_same(expected, found);
    }
}

/// The model of one input `x`, captured with it and from its shape alone, returns what the original returns, for this
/// input and for another one.
macro_rules! assert_captured {
    ($model:expr, $x:expr) => {{
        let (model, x) = (&$model, &$x);
        let next = crate::support::other(x.dims()).to_dtype(x.dtype()).unwrap();
        for input in [x, &next] {
            let expected = model.forward(input).unwrap();
            crate::support::assert_returns(&[&expected], fx::trace(model, (x,)), &[input]);
            let from_shape = fx::Tracer::new().input("x", x.dtype(), x.shape().clone()).trace(model);
            crate::support::assert_returns(&[&expected], from_shape, &[input]);
        }
    }};
}

/// The same, and captured without any shape too.
macro_rules! assert_captured_in_every_way {
    ($model:expr, $x:expr) => {{
        let (model, x) = (&$model, &$x);
        assert_captured!(*model, *x);
        let expected = model.forward(x).unwrap();
        crate::support::assert_returns(&[&expected], fx::symbolic_trace(model), &[x]);
    }};
}

/// The capture is refused by this variant.
macro_rules! assert_refused {
    ($captured:expr, $pattern:pat $(if $guard:expr)?) => {
        match $captured {
            Err($pattern) $(if $guard)? => (),
            Err(error) => panic!("refused by another error: {error:?}"),
            Ok(module) => panic!("captured:\n{}", module.graph()),
        }
    };
}

/// What the model gives, the compiled one gives at each of these calls.
macro_rules! assert_compiled_follows {
    ($new:expr, |$model:ident $(, $name:ident: $ty:ty)*| $call:expr, $calls:expr) => {{
        let (mut plain, compiled) = ($new, fx::compile!($new, |$model $(, $name: $ty)*| $call));
        for ($($name,)*) in $calls {
            let found = compiled.call(($($name.clone(),)*));
            let $model = &mut plain;
            let expected: candle_core::Result<candle_core::Tensor> = $call;
            match (expected, found) {
                (Ok(expected), Ok(found)) => crate::support::assert_same(&expected, &found),
                (Err(_), Err(_)) => {}
                (expected, found) => panic!("plain: {expected:?}\ncompiled: {found:?}"),
            }
        }
        compiled
    }};
}
