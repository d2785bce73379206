//! Formulas that layers are made of, compiled twice: on tensors, and on the proxies of a capture that enters a layer.
//!
//! Invariant: `super::world` says what a tensor is, so both compute the same.

use super::world::{Result, Tensor};
use crate::dims::index;

/// `x` where the condition holds, elsewhere a number.
pub(crate) fn or_number(condition: &Tensor, x: &Tensor, value: f64) -> Result<Tensor> {
    condition.where_cond(x, &x.zeros_like()?.affine(1.0, value)?)
}

/// The dimension of a softmax.
pub(crate) fn along(layer: &str, dim: Option<i64>, rank: usize) -> Result<usize> {
    let dim = dim.unwrap_or(i64::from(!matches!(rank, 0 | 1 | 3)));
    // torch takes a scalar for a vector of one.
    index(layer, dim, rank.max(1))
}

/// What `function` does along a dimension, of a scalar as well.
pub(crate) fn along_of(
    layer: &str,
    dim: Option<i64>,
    x: &Tensor,
    function: impl Fn(&Tensor, usize) -> Result<Tensor>,
) -> Result<Tensor> {
    let axis = along(layer, dim, x.rank())?;
    if x.elem_count() == 0 {
        return Ok(x.clone());
    }
    if x.rank() == 0 { function(&x.unsqueeze(0)?, axis)?.squeeze(0) } else { function(x, axis) }
}

/// `x · weightᵀ + bias` along the last dimension, which becomes that of `dims`.
pub(crate) fn linear(x: &Tensor, weight: &Tensor, bias: Option<&Tensor>, dims: Vec<usize>) -> Result<Tensor> {
    let rows = match weight.dims2()? {
        // Of no features; candle multiplies no empty matrices.
        (to, 0) => Tensor::zeros((dims.iter().product::<usize>() / to.max(1), to), x.dtype(), x.device())?,
        (_, from) => x.reshape(((), from))?.matmul(&weight.t()?)?,
    };
    let rows = match bias {
        Some(bias) => rows.broadcast_add(bias)?,
        None => rows,
    };
    rows.reshape(dims)
}
