//! Rules of operations that read or write at indices.
//!
//! Invariant: the indices themselves are data, which a rule does not see; only shapes and dtypes are checked.

use candle_core::DType;
use candle_core::DType::{I16, I32, I64, U8, U32};

use crate::ops::from_fact::IndexFact;
use crate::ops::kind::Axis;
use crate::value::TensorFact;

use super::shape::{resized, without};
use super::{InferError, Inferred, computed, dims, each, index_of, one_dtype, one_shape, refuse, same, shaped, tensor};

/// Refuses indices of a dtype that candle does not read indices from.
fn indices(indexes: &TensorFact, dtypes: &[DType]) -> Result<(), InferError> {
    if !dtypes.contains(&indexes.dtype) {
        refuse!("cannot index by {indexes}");
    }
    Ok(())
}

/// Parts of dimension `dim`, in the order of a vector of indices.
pub fn selected(x: &TensorFact, indexes: &TensorFact, dim: Axis) -> Inferred {
    select(x, indexes, index_of(x, dim, "index-select")?)
}

fn select(x: &TensorFact, indexes: &TensorFact, index: usize) -> Inferred {
    let [count] = dims(indexes)?;
    indices(indexes, &[U8, U32, I64])?;
    each(x)?;
    resized(x, index, count)
}

/// Rows of a matrix, in the order of a vector of indices.
pub fn embedded(x: &TensorFact, ids: &TensorFact) -> Inferred {
    dims::<2>(x)?;
    select(x, ids, 0)
}

/// An element for each index, which stands for its place along `dim`.
pub fn gathered(x: &TensorFact, indexes: &TensorFact, dim: Axis) -> Inferred {
    let index = index_of(x, dim, "gather")?;
    indices(indexes, &[U8, U32, I64])?;
    let mut extents = x.dims().iter().zip(indexes.dims()).enumerate();
    if x.rank() != indexes.rank() || extents.any(|(i, (x, indexes))| i != index && x < indexes) {
        refuse!("cannot gather from {x} by {indexes} along dimension {index}");
    }
    each(x)?;
    shaped(x, &indexes.shape)
}

/// Elements of `source` written at, or added to, their places along `dim`.
pub fn scattered(
    x: &TensorFact,
    indexes: &TensorFact,
    source: &TensorFact,
    dim: Axis,
    also: &[DType],
    op: &'static str,
) -> Inferred {
    let index = index_of(x, dim, op)?;
    indices(indexes, &[&[U8, U32, I64], also].concat())?;
    one_shape(indexes, source)?;
    fitting(x, source, index)?;
    each(x)
}

/// Parts of `source` added to parts of `x`, whose places along `dim` are in a vector of indices.
pub fn added_at(x: &TensorFact, indexes: &TensorFact, source: &TensorFact, dim: Axis) -> Inferred {
    let index = index_of(x, dim, "index-add")?;
    indices(indexes, &[U8, U32, I16, I32, I64])?;
    fitting(x, source, index)?;
    if dims(indexes)? != [source.dims()[index]] {
        refuse!("{indexes} does not have an index for each part of {source} along dimension {index}");
    }
    each(x)
}

/// `source` written over `x` from `start` on along dimension `index`.
pub fn overwritten(x: &TensorFact, source: &TensorFact, index: usize, start: usize) -> Inferred {
    fitting(x, source, index)?;
    let Some(extent) = x.dims().get(index) else { refuse!("{x} has no dimension to write along") };
    if source.dims()[index].saturating_add(start) > *extent {
        refuse!("{source} does not fit into {x} from {start} on");
    }
    same(x)
}

/// Both have one dtype and, but for dimension `index`, one shape.
fn fitting(x: &TensorFact, source: &TensorFact, index: usize) -> Result<(), InferError> {
    one_dtype(x, source)?;
    let mut extents = x.dims().iter().zip(source.dims()).enumerate();
    if x.rank() != source.rank() || extents.any(|(i, (x, source))| i != index && x != source) {
        refuse!("shapes of {x} and {source} differ beside dimension {index}");
    }
    Ok(())
}

/// `source` written over one range of each dimension of `x`.
pub fn assigned(x: &TensorFact, ranges: &[std::ops::Range<usize>], source: &TensorFact) -> Inferred {
    one_dtype(x, source)?;
    computed(x.dtype)?;
    if x.rank() != source.rank() || x.rank() != ranges.len() {
        refuse!("needs a range for each dimension of {x} and {source}, but is given {}", ranges.len());
    }
    for (range, (extent, wanted)) in ranges.iter().zip(x.dims().iter().zip(source.dims())) {
        if range.is_empty() || range.end > *extent || range.len() != *wanted {
            refuse!("cannot write {source} to {ranges:?} of {x}");
        }
    }
    same(x)
}

/// One item for each of the leading dimensions: an element, a range, or a vector of indices.
pub fn indexed(x: &TensorFact, items: &[IndexFact<'_>]) -> Inferred {
    if items.is_empty() || items.len() > x.rank().min(7) {
        refuse!("cannot index {x} by {} items", items.len());
    }
    let mut result = x.clone();
    let mut index = 0;
    for item in items {
        let extent = result.dims()[index];
        result = tensor(match item {
            IndexFact::At(at) if *at < extent => without(&result, index)?,
            IndexFact::At(at) => refuse!("there is no element {at} among {extent} of {x}"),
            IndexFact::Range(start, stop) => {
                let stop = stop.unwrap_or(extent);
                if *start > extent || stop > extent {
                    refuse!("there is no range {start}..{stop} among {extent} of {x}");
                }
                index += 1;
                resized(&result, index - 1, stop.saturating_sub(*start))?
            }
            IndexFact::Tensor(indexes) => {
                index += 1;
                select(&result, indexes, index - 1)?
            }
        })?;
    }
    same(&result)
}

/// One of two elements for each condition, an integer.
pub fn chosen(condition: &TensorFact, on_true: &TensorFact, on_false: &TensorFact) -> Inferred {
    if !condition.dtype.is_int() {
        refuse!("a condition is of integers, but is given as {condition}");
    }
    one_shape(condition, on_true)?;
    one_shape(condition, on_false)?;
    one_dtype(on_true, on_false)?;
    each(on_true)
}

/// Elements in sorted order along the last dimension. candle panics where that has none.
pub fn sorted(x: &TensorFact) -> Inferred {
    if x.dims().last().is_none_or(|&extent| extent == 0) {
        refuse!("nothing to sort in the last dimension of {x}");
    }
    each(x)
}
