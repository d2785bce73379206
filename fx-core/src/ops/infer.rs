//! A small vocabulary of shape and dtype rules, and the error they give.
//!
//! Invariant: a rule refuses what candle refuses and agrees with candle's shape where it accepts.

use candle_core::shape::{Dim, Dims, ShapeWithOneHole};
use candle_core::{DType, Shape};

use crate::value::{Fact, TensorFact};

use super::from_fact::OperandFact;
use super::kind::{Axes, Axis, HoledShape};

/// A call that candle would refuse.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InferError(pub String);

impl From<candle_core::Error> for InferError {
    fn from(error: candle_core::Error) -> Self {
        Self(error.to_string())
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
    Ok(Fact::tensor(dims, x.dtype))
}

/// Position of `axis` among the dimensions of `x`.
pub fn index_of(x: &TensorFact, axis: Axis, op: &'static str) -> Result<usize, InferError> {
    Ok(axis.to_index(&x.shape, op)?)
}

/// Both tensors have one dtype.
pub fn one_dtype(lhs: &TensorFact, rhs: &TensorFact) -> Result<(), InferError> {
    if lhs.dtype != rhs.dtype {
        refuse!("dtypes differ: {lhs} and {rhs}");
    }
    Ok(())
}

/// Two tensors of one shape and dtype, element by element.
pub fn alike(lhs: &TensorFact, rhs: &TensorFact) -> Inferred {
    if lhs.shape != rhs.shape {
        refuse!("shapes differ: {lhs} and {rhs}");
    }
    one_dtype(lhs, rhs)?;
    same(lhs)
}

/// Two tensors whose shapes broadcast to a common one.
pub fn broadcast(lhs: &TensorFact, rhs: &TensorFact) -> Inferred {
    one_dtype(lhs, rhs)?;
    shaped(lhs, broadcast_dims(lhs.dims(), rhs.dims())?)
}

/// The common shape that two shapes broadcast to.
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
        (OperandFact::Tensor(x), OperandFact::Number) | (OperandFact::Number, OperandFact::Tensor(x)) => same(x),
        (OperandFact::Number, OperandFact::Number) => refuse!("an operator needs a tensor on one side"),
    }
}

/// A tensor beside another of its shape or a number.
pub fn beside(x: &TensorFact, rhs: OperandFact<'_>) -> Inferred {
    match rhs {
        OperandFact::Tensor(rhs) => alike(x, rhs),
        OperandFact::Number => same(x),
    }
}

/// Axis `dim` taken away, or kept with extent 1.
pub fn reduced(x: &TensorFact, dim: Axis, keep: bool, op: &'static str) -> Inferred {
    reduced_over(x, &Axes(vec![dim]), keep, op)
}

/// Several axes taken away, or kept with extent 1.
pub fn reduced_over(x: &TensorFact, axes: &Axes, keep: bool, op: &'static str) -> Inferred {
    let axes = axes.clone().to_indexes(&x.shape, op)?;
    let dims = x.dims().iter().enumerate();
    if keep {
        shaped(x, dims.map(|(i, &dim)| if axes.contains(&i) { 1 } else { dim }).collect::<Vec<_>>())
    } else {
        shaped(x, dims.filter(|(i, _)| !axes.contains(i)).map(|(_, &dim)| dim).collect::<Vec<_>>())
    }
}

/// As [`reshaped`] in candle: the same number of elements.
pub fn reshaped(x: &TensorFact, shape: HoledShape) -> Inferred {
    shaped(x, shape.into_shape(x.shape.elem_count())?)
}
