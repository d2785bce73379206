//! Rules of matrix products.
//!
//! Invariant: products are of floating-point numbers; without elements candle gives zeros of any dtype.

use candle_core::DType::{BF16, F16, F32, F64};

use crate::ops::kind::Axis;
use crate::value::TensorFact;

use super::{
    InferError, Inferred, broadcast_dims, elements, index_of, is_empty, one_dtype, refuse, same, scalar, shaped,
};

/// Batches of matrices, of equal ranks; the batches may have different shapes, if only the same number.
pub fn product(lhs: &TensorFact, rhs: &TensorFact) -> Inferred {
    let (Some((batch, [m, k])), Some((rhs_batch, [rhs_k, n]))) = (matrices(lhs), matrices(rhs)) else {
        refuse!("needs matrices, but is given {lhs} and {rhs}");
    };
    if lhs.rank() != rhs.rank() || k != rhs_k || elements(batch)? != elements(rhs_batch)? {
        refuse!("cannot multiply {lhs} by {rhs}");
    }
    multiplied(lhs, rhs, &[batch, &[*m, *n]].concat())
}

/// Batches of matrices whose batches broadcast.
pub fn broadcast_product(lhs: &TensorFact, rhs: &TensorFact) -> Inferred {
    let (Some((batch, [m, k])), Some((rhs_batch, [rhs_k, n]))) = (matrices(lhs), matrices(rhs)) else {
        refuse!("needs matrices, but is given {lhs} and {rhs}");
    };
    if k != rhs_k {
        refuse!("cannot multiply {lhs} by {rhs}");
    }
    let batch = broadcast_dims(batch, rhs_batch)?;
    multiplied(lhs, rhs, &[batch.as_slice(), &[*m, *n]].concat())
}

/// A matrix and a vector.
pub fn matrix_vector(lhs: &TensorFact, rhs: &TensorFact) -> Inferred {
    match (lhs.dims(), rhs.dims()) {
        ([m, k], [n]) if k == n => multiplied(lhs, rhs, &[*m]),
        _ => refuse!("cannot multiply the matrix {lhs} by the vector {rhs}"),
    }
}

/// Two vectors.
pub fn dot(lhs: &TensorFact, rhs: &TensorFact) -> Inferred {
    if lhs.rank() != 1 {
        refuse!("needs vectors, but is given {lhs} and {rhs}");
    }
    super::alike(lhs, rhs)?;
    scalar(lhs)
}

/// Running sums along `dim`, which candle computes as a product with a triangular matrix. Of a middle dimension it
/// refuses them for most tensors of four dimensions or more, because of the strides that it meets on the way.
pub fn running_sums(x: &TensorFact, dim: Axis) -> Inferred {
    let extent = x.dims()[index_of(x, dim, "cumsum")?];
    elements(&[extent, extent])?;
    if !is_empty(x) {
        multipliable(x)?;
    }
    same(x)
}

/// The batch of `x`, and rows and columns of its matrices.
fn matrices(x: &TensorFact) -> Option<(&[usize], &[usize; 2])> {
    x.dims().split_last_chunk()
}

fn multiplied(lhs: &TensorFact, rhs: &TensorFact, dims: &[usize]) -> Inferred {
    one_dtype(lhs, rhs)?;
    if !is_empty(lhs) && !is_empty(rhs) {
        multipliable(lhs)?;
    }
    shaped(lhs, dims)
}

/// Refuses the dtypes that candle has no matrix product for.
///
/// # Errors
/// If it is one of those.
pub fn multipliable(x: &TensorFact) -> Result<(), InferError> {
    if !matches!(x.dtype, F16 | BF16 | F32 | F64) {
        refuse!("candle does not multiply matrices of {}", x.dtype.as_str());
    }
    Ok(())
}
