//! A small vocabulary of shape and dtype rules, and the error they give; rules for one family of operations are in the
//! files below this one.
//!
//! Invariant: a rule refuses what candle refuses and agrees with candle's shape where it accepts. Where candle panics,
//! the rule refuses. What depends on strides, devices or data is unknown to a rule and left to the run: operations
//! that want contiguous tensors (`gather`, `scatter`, `index_select`, `index_add`, `flip`, `sort_last_dim`, `rope`,
//! `softmax_last_dim`, `rms_norm`, `layer_norm`, `matmul` of transposed batches), indices out of range, integers that
//! overflow or are divided by zero.

pub mod conv;
pub mod create;
pub mod index;
pub mod linalg;
pub mod nn;
pub mod shape;

use candle_core::shape::{Dim, Dims};
use candle_core::{DType, Shape};

use crate::value::{Fact, TensorFact};

use super::from_fact::OperandFact;
use super::kind::{Axes, Axis};

/// A call that candle would refuse.
///
/// The text is candle's own reason, as near as the rule can say it; who knows the node adds which one it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InferError(pub String);

impl From<candle_core::Error> for InferError {
    fn from(error: candle_core::Error) -> Self {
        Self(super::candle_error::reason(&error))
    }
}

/// What a rule returns.
pub type Inferred = Result<Fact, InferError>;

/// Refuses, with a reason.
macro_rules! refuse {
    ($($message:tt)+) => { return Err($crate::ops::InferError(format!($($message)+))) };
}
pub(crate) use refuse;

/// Shape and dtype of `x`.
pub fn same(x: &TensorFact) -> Inferred {
    Ok(Fact::Tensor(x.clone()))
}

/// Shape of `x`, another dtype.
pub fn cast(x: &TensorFact, dtype: DType) -> Inferred {
    Ok(Fact::tensor(&x.shape, dtype))
}

/// Dtype of `x`, another shape.
pub fn shaped(x: &TensorFact, dims: impl Into<Shape>) -> Inferred {
    let shape = dims.into();
    elements(shape.dims())?;
    Ok(Fact::tensor(shape, x.dtype))
}

/// Number of elements of a shape, unless it is beyond what can be counted.
///
/// # Errors
/// If it is.
pub fn elements(dims: &[usize]) -> Result<usize, InferError> {
    let count = dims.iter().try_fold(1usize, |count, &dim| count.checked_mul(dim));
    count.ok_or_else(|| InferError(format!("a tensor of shape {dims:?} is too large")))
}

/// Whether a tensor has no elements; candle then mostly returns it unchanged, whatever its dtype.
pub fn is_empty(x: &TensorFact) -> bool {
    x.dims().contains(&0)
}

/// Refuses the dtypes that candle stores but does not compute with.
///
/// # Errors
/// If it is one of those.
pub fn computed(dtype: DType) -> Result<(), InferError> {
    if matches!(dtype, DType::F6E2M3 | DType::F6E3M2 | DType::F4 | DType::F8E8M0) {
        refuse!("candle does not compute with {}", dtype.as_str());
    }
    Ok(())
}

/// Shape and dtype of `x`, which candle computes with.
pub fn each(x: &TensorFact) -> Inferred {
    computed(x.dtype)?;
    same(x)
}

/// Shape and dtype of `x`, of floating-point numbers. candle panics on integers, unless there are none.
pub fn floats(x: &TensorFact) -> Inferred {
    if !x.dtype.is_float() && !is_empty(x) {
        refuse!("needs floating-point numbers, but is given {x}");
    }
    each(x)
}

/// Shape and dtype of `x`, which has elements.
pub fn filled(x: &TensorFact) -> Inferred {
    if is_empty(x) {
        refuse!("needs a tensor with elements, but is given {x}");
    }
    each(x)
}

/// The extents of a tensor of `N` dimensions.
///
/// # Errors
/// If it has another number of dimensions.
pub fn dims<const N: usize>(x: &TensorFact) -> Result<[usize; N], InferError> {
    match <[usize; N]>::try_from(x.dims()) {
        Ok(dims) => Ok(dims),
        Err(_) => refuse!("needs {N} dimensions, but is given {x}"),
    }
}

/// The tensor of a fact that is one.
///
/// # Errors
/// If it is none, or if nothing is known of it.
pub fn tensor(fact: Fact) -> Result<TensorFact, InferError> {
    match fact {
        Fact::Tensor(tensor) => Ok(tensor),
        other => refuse!("needs a tensor, but is given {other}"),
    }
}

/// Position of `axis` among the dimensions of `x`.
///
/// # Errors
/// If there is no such dimension.
pub fn index_of(x: &TensorFact, axis: Axis, op: &'static str) -> Result<usize, InferError> {
    Ok(axis.to_index(&x.shape, op)?)
}

/// Both tensors have one dtype.
///
/// # Errors
/// If they have two.
pub fn one_dtype(lhs: &TensorFact, rhs: &TensorFact) -> Result<(), InferError> {
    if lhs.dtype != rhs.dtype {
        refuse!("dtypes differ: {lhs} and {rhs}");
    }
    Ok(())
}

/// Both tensors have one shape.
///
/// # Errors
/// If they have two.
pub fn one_shape(lhs: &TensorFact, rhs: &TensorFact) -> Result<(), InferError> {
    if lhs.shape != rhs.shape {
        refuse!("shapes differ: {lhs} and {rhs}");
    }
    Ok(())
}

/// Two tensors of one shape and dtype, element by element. Without elements candle does not look at the dtypes.
pub fn alike(lhs: &TensorFact, rhs: &TensorFact) -> Inferred {
    one_shape(lhs, rhs)?;
    if !is_empty(lhs) {
        one_dtype(lhs, rhs)?;
    }
    each(lhs)
}

/// Two tensors whose shapes broadcast to a common one. Without elements candle does not look at the dtypes.
pub fn broadcast(lhs: &TensorFact, rhs: &TensorFact) -> Inferred {
    let result = TensorFact::new(broadcast_dims(lhs.dims(), rhs.dims())?, lhs.dtype);
    elements(result.dims())?;
    if !is_empty(&result) {
        one_dtype(lhs, rhs)?;
    }
    each(&result)
}

/// Flags for each element of two tensors of one shape and dtype, or of a tensor and a number.
pub fn compared(x: &TensorFact, rhs: OperandFact<'_>) -> Inferred {
    computed(x.dtype)?;
    if let OperandFact::Tensor(rhs) = rhs {
        one_shape(x, rhs)?;
        one_dtype(x, rhs)?;
    }
    cast(x, DType::U8)
}

/// Flags for each element of two tensors whose shapes broadcast.
pub fn broadcast_compared(lhs: &TensorFact, rhs: &TensorFact) -> Inferred {
    one_dtype(lhs, rhs)?;
    cast(&tensor(broadcast(lhs, rhs)?)?, DType::U8)
}

/// `base` to the power `exponent`, which candle computes as `exp(exponent * log(base))`.
pub fn power(base: &TensorFact, exponent: &TensorFact, product: Inferred) -> Inferred {
    floats(base)?;
    let product = tensor(product?)?;
    floats(&TensorFact::new(&product.shape, exponent.dtype))
}

/// The common shape that two shapes broadcast to.
///
/// # Errors
/// If they do not: extents differ, and neither is 1.
pub fn broadcast_dims(lhs: &[usize], rhs: &[usize]) -> Result<Vec<usize>, InferError> {
    let rank = lhs.len().max(rhs.len());
    let at = |dims: &[usize], i: usize| (i + dims.len()).checked_sub(rank).map_or(1, |i| dims[i]);
    (0..rank)
        .map(|i| match (at(lhs, i), at(rhs, i)) {
            (l, r) if l == r => Ok(l),
            (1, r) => Ok(r),
            (l, 1) => Ok(l),
            _ => refuse!("shapes {lhs:?} and {rhs:?} do not broadcast"),
        })
        .collect()
}

/// An operator: two tensors of one shape, or a tensor and a number.
pub fn operator(lhs: OperandFact<'_>, rhs: OperandFact<'_>) -> Inferred {
    match (lhs, rhs) {
        (OperandFact::Tensor(lhs), OperandFact::Tensor(rhs)) => alike(lhs, rhs),
        (OperandFact::Tensor(x), OperandFact::Number) | (OperandFact::Number, OperandFact::Tensor(x)) => each(x),
        (OperandFact::Number, OperandFact::Number) => refuse!("an operator needs a tensor on one side"),
    }
}

/// A tensor beside another of its shape or a number.
pub fn beside(x: &TensorFact, rhs: OperandFact<'_>) -> Inferred {
    match rhs {
        OperandFact::Tensor(rhs) => alike(x, rhs),
        OperandFact::Number => each(x),
    }
}

/// The quotient: candle takes the reciprocal of the divisor of a number, and so floats only.
pub fn quotient(lhs: OperandFact<'_>, rhs: OperandFact<'_>) -> Inferred {
    if let (OperandFact::Number, OperandFact::Tensor(rhs)) = (lhs, rhs) {
        floats(rhs)?;
    }
    operator(lhs, rhs)
}

/// Axis `dim` taken away, or kept with extent 1.
pub fn reduced(x: &TensorFact, dim: Axis, keep: bool, op: &'static str) -> Inferred {
    reduced_over(x, &Axes(vec![dim]), keep, op)
}

/// Several axes taken away, or kept with extent 1.
pub fn reduced_over(x: &TensorFact, axes: &Axes, keep: bool, op: &'static str) -> Inferred {
    computed(x.dtype)?;
    let axes = axes.clone().to_indexes(&x.shape, op)?;
    let dims = x.dims().iter().enumerate();
    if keep {
        shaped(x, dims.map(|(i, &dim)| if axes.contains(&i) { 1 } else { dim }).collect::<Vec<_>>())
    } else {
        shaped(x, dims.filter(|(i, _)| !axes.contains(i)).map(|(_, &dim)| dim).collect::<Vec<_>>())
    }
}

/// Axis `dim` searched for its greatest or smallest element, of which there has to be one.
pub fn extremum(x: &TensorFact, dim: Axis, keep: bool, op: &'static str) -> Inferred {
    filled(x)?;
    reduced(x, dim, keep, op)
}

/// Axis `dim` searched for the position of its greatest or smallest element.
pub fn position(x: &TensorFact, dim: Axis, keep: bool, op: &'static str) -> Inferred {
    cast(&tensor(extremum(x, dim, keep, op)?)?, DType::U32)
}

/// The variance along `dim`: candle squares, and so floats only, and needs an element to take one off the count.
pub fn variance(x: &TensorFact, dim: Axis, keep: bool) -> Inferred {
    if x.dims()[index_of(x, dim, "var")?] == 0 {
        refuse!("the variance of no elements is not defined: {x}");
    }
    floats(x)?;
    reduced(x, dim, keep, "var")
}

/// The logarithm of a sum of exponentials over `axes`.
pub fn log_sum_exp(x: &TensorFact, axes: &Axes) -> Inferred {
    let result = reduced_over(x, axes, false, "log-sum-exp")?;
    if !axes.0.is_empty() {
        filled(x)?;
        floats(x)?;
    }
    Ok(result)
}

/// One element for all of `x`.
pub fn scalar(x: &TensorFact) -> Inferred {
    computed(x.dtype)?;
    shaped(x, ())
}

/// The length of `x`, of floating-point numbers; candle refuses integers even where there are none.
pub fn measured(x: &TensorFact) -> Inferred {
    if x.dtype.is_int() {
        refuse!("needs floating-point numbers, but is given {x}");
    }
    scalar(x)
}

/// The elements of `x` as another dtype.
pub fn converted(x: &TensorFact, dtype: DType) -> Inferred {
    if x.dtype != dtype {
        computed(x.dtype)?;
        computed(dtype)?;
    }
    cast(x, dtype)
}

/// The elements of `x` on a device; where they are is not part of a fact.
pub fn to_device(x: &TensorFact, _device: &candle_core::Device) -> Inferred {
    same(x)
}

/// One of several values.
pub fn part(items: &Fact, index: usize) -> Inferred {
    match items {
        Fact::List(items) | Fact::Tuple(items) => match items.get(index) {
            Some(item) => Ok(item.clone()),
            None => refuse!("there is no item {index} among {}", items.len()),
        },
        other => refuse!("needs a list, but is given {other}"),
    }
}
