//! [`Sample`]: arguments on which an operation is tested, kept with its description.
//!
//! Invariant: a sample is deterministic: the same tensors in every run.

use candle_core::{DType, Device, Result, Shape, Tensor};

use crate::value::Value;

/// One call to test: values for the parameters, in order.
///
/// Some are refused on purpose: rule and candle have to agree on that too.
#[derive(Debug, Clone)]
pub struct Sample(pub Vec<Value>);

/// A sample from anything that becomes values.
#[must_use]
pub fn sample<const N: usize>(values: [Value; N]) -> Sample {
    Sample(values.into())
}

/// A tensor of this shape and dtype with distinct values between -1.5 and 1.5 in no order (0, 1, 2, … for integers,
/// modulo 5).
///
/// # Panics
/// If the shape is larger than memory.
pub fn tensor(dtype: DType, shape: impl Into<Shape>) -> Value {
    Value::Tensor(filled(dtype, &shape.into()).expect("a CPU tensor of a small shape"))
}

/// A tensor like [`tensor`], but with positive values between 0.1 and 1.6, for `log` and `sqrt`.
///
/// # Panics
/// If the shape is larger than memory.
pub fn positive(dtype: DType, shape: impl Into<Shape>) -> Value {
    let make = || filled(DType::F64, &shape.into())?.abs()?.affine(1.0, 0.1)?.to_dtype(dtype);
    Value::Tensor(make().expect("a CPU tensor of a small shape"))
}

/// A tensor of these integers.
///
/// # Panics
/// If there are not as many as the shape has elements.
pub fn integers(dtype: DType, shape: impl Into<Shape>, values: &[i64]) -> Value {
    let make = || Tensor::from_slice(values, shape.into(), &Device::Cpu)?.to_dtype(dtype);
    Value::Tensor(make().expect("as many integers as the shape holds"))
}

/// Sizes, axes or a shape with a hole, written as a tuple.
#[must_use]
pub fn ints(ints: &[i64]) -> Value {
    Value::Tuple(ints.iter().map(|&int| Value::Int(int)).collect())
}

/// Several values.
#[must_use]
pub fn values<const N: usize>(values: [Value; N]) -> Value {
    Value::List(values.into())
}

/// `start..stop`.
#[must_use]
pub fn range(start: i64, stop: i64) -> Value {
    Value::Range(Some(start), Some(stop))
}

/// `..stop`.
#[must_use]
pub fn until(stop: i64) -> Value {
    Value::Range(None, Some(stop))
}

/// `..`.
#[must_use]
pub fn all() -> Value {
    Value::Range(None, None)
}

/// The processor, where samples live.
#[must_use]
pub fn cpu() -> Value {
    Value::Device(crate::value::Device(Device::Cpu))
}

fn filled(dtype: DType, shape: &Shape) -> Result<Tensor> {
    let count = shape.elem_count();
    let values: Vec<f64> = if dtype.is_float() {
        // The fractional parts of multiples of the golden ratio are spread evenly and never repeat.
        (0..count).map(|i| ((i as f64 + 1.0) * 0.618_033_988_749_895).fract().mul_add(3.0, -1.5)).collect()
    } else {
        (0..count).map(|i| (i % 5) as f64).collect()
    };
    Tensor::from_vec(values, shape, &Device::Cpu)?.to_dtype(dtype)
}
