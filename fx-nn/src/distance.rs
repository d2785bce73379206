//! Distances of vectors: [`CosineSimilarity`] and [`PairwiseDistance`].
//!
//! Invariant: both inputs broadcast against each other.

use std::fmt;

use candle_core::{Result, Shape, Tensor};

use crate::dims::{floats, index};
use crate::leaf::several;
use crate::twice::twice;

/// The common shape of both.
pub(crate) fn together(layer: &str, first: &[usize], second: &[usize]) -> Result<Vec<usize>> {
    let rank = first.len().max(second.len());
    let at = |dims: &[usize], i: usize| (i + dims.len()).checked_sub(rank).map_or(1, |i| dims[i]);
    (0..rank)
        .map(|i| match (at(first, i), at(second, i)) {
            (a, b) if a == b || b == 1 => Ok(a),
            (1, b) => Ok(b),
            _ => candle_core::bail!("{layer}: inputs of shapes {first:?} and {second:?} do not broadcast"),
        })
        .collect()
}

twice! {
    {}

    /// The length of vectors along `axis`: `(∑ |x|^p)^(1/p)`.
    pub(crate) fn norm(x: &Tensor, axis: usize, p: f64, keep: bool) -> Result<Tensor> {
        let lengths = if p == 2.0 {
            x.sqr()?.sum_keepdim(axis)?.sqrt()?
        } else if p == 1.0 {
            x.abs()?.sum_keepdim(axis)?
        } else if p == 0.0 {
            x.ne(0.0)?.to_dtype(x.dtype())?.sum_keepdim(axis)?
        } else if p == f64::INFINITY {
            x.abs()?.max_keepdim(axis)?
        } else if p == f64::NEG_INFINITY {
            x.abs()?.min_keepdim(axis)?
        } else {
            x.abs()?.powf(p)?.sum_keepdim(axis)?.powf(1.0 / p)?
        };
        if keep { Ok(lengths) } else { lengths.squeeze(axis) }
    }

    /// What [`CosineSimilarity`] computes.
    pub(crate) fn similarity(layer: CosineSimilarity, x1: &Tensor, x2: &Tensor) -> Result<Tensor> {
        let (axis, _) = layer.shape(x1.dims(), x2.dims())?;
        let shape = Shape::from(together("CosineSimilarity", x1.dims(), x2.dims())?);
        let unit = |x: &Tensor| -> Result<Tensor> {
            let x = x.broadcast_as(&shape)?;
            x.broadcast_div(&norm(&x, axis, 2.0, true)?.maximum(layer.eps)?)
        };
        (unit(x1)? * unit(x2)?)?.sum(axis)
    }

    /// What [`PairwiseDistance`] computes.
    pub(crate) fn pairwise(layer: PairwiseDistance, x1: &Tensor, x2: &Tensor) -> Result<Tensor> {
        layer.shape(x1.dims(), x2.dims())?;
        let difference = (x1.broadcast_sub(x2)? + layer.eps)?;
        norm(&difference, difference.rank() - 1, layer.p, layer.keepdim)
    }
}

/// `x₁ · x₂ / (max(‖x₁‖, eps) · max(‖x₂‖, eps))` along a dimension, which goes away.
///
/// [torch.nn.CosineSimilarity](https://docs.pytorch.org/docs/stable/generated/torch.nn.CosineSimilarity.html)
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CosineSimilarity {
    dim: i64,
    eps: f64,
}

impl Default for CosineSimilarity {
    /// Along dimension 1, lengths of at least 1e-8.
    fn default() -> Self {
        Self { dim: 1, eps: 1e-8 }
    }
}

impl CosineSimilarity {
    /// Along dimension `dim`, lengths of at least `eps`.
    #[must_use]
    pub const fn new(dim: i64, eps: f64) -> Self {
        Self { dim, eps }
    }

    fn shape(self, first: &[usize], second: &[usize]) -> Result<(usize, Vec<usize>)> {
        let mut dims = together("CosineSimilarity", first, second)?;
        let axis = index("CosineSimilarity", self.dim, dims.len())?;
        dims.remove(axis);
        Ok((axis, dims))
    }

    /// The similarity of `x1` and `x2`.
    ///
    /// # Errors
    /// When they do not broadcast or have no such dimension.
    pub fn forward(&self, x1: &Tensor, x2: &Tensor) -> Result<Tensor> {
        floats("CosineSimilarity", x1.dtype()).and_then(|()| floats("CosineSimilarity", x2.dtype()))?;
        similarity(*self, x1, x2)
    }
}

impl fmt::Display for CosineSimilarity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CosineSimilarity()")
    }
}

several! {
    CosineSimilarity as "nn.CosineSimilarity", (x2);
    arguments { dim: i64, eps: f64 }
    tensors {}
    make |_vb| Ok(Self { dim, eps });
    call |layer, first, second| layer.forward(first, second);
    shape |layer, first, second| {
        floats("CosineSimilarity", first.dtype).and_then(|()| floats("CosineSimilarity", second.dtype))?;
        layer.shape(first.dims(), second.dims()).map(|(_, dims)| dims)
    };
    through |layer, _scope, first, second| entered::similarity(*layer, first, second);
}

/// `‖x₁ − x₂ + eps‖` of norm `p` along the last dimension, which goes away unless it is kept.
///
/// [torch.nn.PairwiseDistance](https://docs.pytorch.org/docs/stable/generated/torch.nn.PairwiseDistance.html)
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairwiseDistance {
    p: f64,
    eps: f64,
    keepdim: bool,
}

impl Default for PairwiseDistance {
    /// The Euclidean distance, with 1e-6 added to differences.
    fn default() -> Self {
        Self { p: 2.0, eps: 1e-6, keepdim: false }
    }
}

impl PairwiseDistance {
    /// The distance of norm `p`, with `eps` added to differences.
    #[must_use]
    pub const fn new(p: f64, eps: f64, keepdim: bool) -> Self {
        Self { p, eps, keepdim }
    }

    fn shape(self, first: &[usize], second: &[usize]) -> Result<Vec<usize>> {
        let mut dims = together("PairwiseDistance", first, second)?;
        let axis = index("PairwiseDistance", -1, dims.len())?;
        dims.truncate(axis);
        dims.extend(self.keepdim.then_some(1));
        Ok(dims)
    }

    /// The distance of `x1` and `x2`.
    ///
    /// # Errors
    /// When they do not broadcast or are scalars.
    pub fn forward(&self, x1: &Tensor, x2: &Tensor) -> Result<Tensor> {
        floats("PairwiseDistance", x1.dtype()).and_then(|()| floats("PairwiseDistance", x2.dtype()))?;
        pairwise(*self, x1, x2)
    }
}

impl fmt::Display for PairwiseDistance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PairwiseDistance()")
    }
}

several! {
    PairwiseDistance as "nn.PairwiseDistance", (x2);
    arguments { p: f64, eps: f64, keepdim: bool }
    tensors {}
    make |_vb| Ok(Self { p, eps, keepdim });
    call |layer, first, second| layer.forward(first, second);
    shape |layer, first, second| {
        floats("PairwiseDistance", first.dtype).and_then(|()| floats("PairwiseDistance", second.dtype))?;
        layer.shape(first.dims(), second.dims())
    };
    through |layer, _scope, first, second| entered::pairwise(*layer, first, second);
}
