//! Rules of operations that only move elements: reshapes, cuts, joins, padding.
//!
//! Invariant: extents are added and multiplied with care: sizes near `usize::MAX` are refused, not a panic.

use candle_core::Shape;
use candle_core::shape::{Dim, Dims, ShapeWithOneHole};

use crate::ops::kind::{Axes, Axis, HoledShape};
use crate::value::{Fact, TensorFact};

use super::{
    InferError, Inferred, computed, dims, elements, index_of, is_empty, one_dtype, refuse, same, shaped, tensor,
};

/// The same number of elements in another shape.
pub fn reshaped(x: &TensorFact, shape: HoledShape) -> Inferred {
    shaped(x, shape.into_shape(elements(x.dims())?)?)
}

/// The shape of `x` with the extent of one dimension replaced.
pub fn resized(x: &TensorFact, index: usize, extent: usize) -> Inferred {
    let mut dims = x.dims().to_vec();
    dims[index] = extent;
    shaped(x, dims)
}

/// `len` elements of dimension `dim` from `start` on.
pub fn narrowed(x: &TensorFact, dim: Axis, start: usize, len: usize) -> Inferred {
    cut(x, index_of(x, dim, "narrow")?, start, len)
}

fn cut(x: &TensorFact, index: usize, start: usize, len: usize) -> Inferred {
    if start.saturating_add(len) > x.dims()[index] {
        refuse!("cannot take {len} from {start} on in dimension {index} of {x}");
    }
    resized(x, index, len)
}

/// One element of dimension `dim`, which goes away.
pub fn picked(x: &TensorFact, dim: Axis, index: usize, op: &'static str) -> Inferred {
    let at = index_of(x, dim, op)?;
    cut(x, at, index, 1)?;
    without(x, at)
}

/// Element `i` of the first dimension; a scalar as it is.
pub fn got(x: &TensorFact, i: usize) -> Inferred {
    if x.rank() == 0 { same(x) } else { picked(x, Axis(0), i, "get") }
}

/// Dimension `index` taken away.
pub fn without(x: &TensorFact, index: usize) -> Inferred {
    let mut dims = x.dims().to_vec();
    dims.remove(index);
    shaped(x, dims)
}

/// Dimension `dim` taken away if its extent is 1.
pub fn squeezed(x: &TensorFact, dim: Axis) -> Inferred {
    let index = index_of(x, dim, "squeeze")?;
    if x.dims()[index] == 1 { without(x, index) } else { same(x) }
}

/// The extent of a dimension, if there is one.
pub fn extent(x: &TensorFact, dim: Axis) -> Option<i64> {
    let index = index_of(x, dim, "dim").ok()?;
    i64::try_from(x.dims()[index]).ok()
}

/// A dimension of extent 1 put in at `dim`.
pub fn unsqueezed(x: &TensorFact, dim: Axis) -> Inferred {
    let mut dims = x.dims().to_vec();
    dims.insert(dim.to_index_plus_one(&x.shape, "unsqueeze")?, 1);
    shaped(x, dims)
}

/// Two dimensions exchanged.
pub fn transposed(x: &TensorFact, dim1: Axis, dim2: Axis) -> Inferred {
    let mut dims = x.dims().to_vec();
    dims.swap(index_of(x, dim1, "transpose")?, index_of(x, dim2, "transpose")?);
    shaped(x, dims)
}

/// The last two dimensions exchanged.
pub fn turned(x: &TensorFact) -> Inferred {
    if x.rank() < 2 {
        refuse!("needs at least 2 dimensions, but is given {x}");
    }
    transposed(x, Axis(-2), Axis(-1))
}

/// All dimensions in another order.
pub fn permuted(x: &TensorFact, dims: Axes) -> Inferred {
    let order = dims.to_indexes(&x.shape, "permute")?;
    if order.len() != x.rank() {
        refuse!("{order:?} is not an order of the dimensions of {x}");
    }
    shaped(x, order.iter().map(|&dim| x.dims()[dim]).collect::<Vec<_>>())
}

/// The dimensions from `start` to `end`, both included, made one. A scalar becomes a vector of one.
pub fn flattened(x: &TensorFact, start: Option<Axis>, end: Option<Axis>) -> Inferred {
    if x.rank() == 0 {
        return shaped(x, 1);
    }
    let start = start.map_or(Ok(0), |dim| index_of(x, dim, "flatten"))?;
    let end = end.map_or(Ok(x.rank() - 1), |dim| index_of(x, dim, "flatten"))?;
    if start >= end {
        return same(x);
    }
    let mut dims = x.dims().to_vec();
    let joined = elements(&dims[start..=end])?;
    dims.splice(start..=end, [joined]);
    shaped(x, dims)
}

/// The extents of `x` spread to those of `shape`, which may have more in front.
pub fn spread(x: &TensorFact, shape: impl Into<Shape>) -> Inferred {
    let shape = shape.into();
    let Some(added) = shape.rank().checked_sub(x.rank()) else {
        refuse!("{x} does not broadcast to {shape:?}");
    };
    if x.dims().iter().zip(&shape.dims()[added..]).any(|(&from, &to)| from != to && from != 1) {
        refuse!("{x} does not broadcast to {shape:?}");
    }
    shaped(x, shape)
}

/// `left` put before the extents of `x`.
pub fn spread_left(x: &TensorFact, left: Shape) -> Inferred {
    shaped(x, [left.dims(), x.dims()].concat())
}

/// Dimension after dimension repeated, from the front; missing dimensions are added in front.
pub fn repeated(x: &TensorFact, repeats: &Shape) -> Inferred {
    let mut dims = vec![1; repeats.rank().saturating_sub(x.rank())];
    dims.extend(x.dims());
    for (dim, &repeat) in dims.iter_mut().zip(repeats.dims()) {
        *dim = elements(&[*dim, repeat])?;
    }
    shaped(x, dims)
}

/// Dimension `dim` moved round. candle panics where it has no elements.
pub fn rolled(x: &TensorFact, dim: Axis) -> Inferred {
    let extent = x.dims()[index_of(x, dim, "roll")?];
    if extent == 0 || i32::try_from(extent).is_err() {
        refuse!("cannot roll {extent} elements of {x}");
    }
    same(x)
}

/// Some dimensions turned round.
pub fn flipped(x: &TensorFact, dims: &[usize]) -> Inferred {
    for &dim in dims {
        dim.to_index(&x.shape, "flip")?;
    }
    same(x)
}

/// Zeros before and after dimension `dim`; none wanted, none checked.
pub fn padded(x: &TensorFact, dim: Axis, left: usize, right: usize, op: &'static str) -> Inferred {
    if left == 0 && right == 0 {
        return same(x);
    }
    computed(x.dtype)?;
    let index = index_of(x, dim, op)?;
    resized(x, index, sum(&[left, x.dims()[index], right])?)
}

/// The first and last elements of dimension `dim` repeated before and after it.
pub fn padded_with_same(x: &TensorFact, dim: Axis, left: usize, right: usize) -> Inferred {
    if is_empty(x) && (left, right) != (0, 0) {
        refuse!("nothing to repeat in {x}");
    }
    padded(x, dim, left, right, "pad_with_same")
}

/// A sum of extents, unless it is beyond what can be counted.
fn sum(extents: &[usize]) -> Result<usize, InferError> {
    let sum = extents.iter().try_fold(0usize, |sum, &extent| sum.checked_add(extent));
    sum.ok_or_else(|| InferError(format!("the extents {extents:?} are too large to add")))
}

/// Windows of `size` elements, `step` apart, of dimension `dim`, in a new last dimension. The number of windows is
/// candle's, in single precision. With a step of 0 candle's shape means nothing, so it is refused.
pub fn unfolded(x: &TensorFact, dim: Axis, size: usize, step: usize) -> Inferred {
    let index = index_of(x, dim, "unfold")?;
    let extent = x.dims()[index];
    if size > extent || step == 0 {
        refuse!("no windows of {size} elements, {step} apart, in dimension {index} of {x}");
    }
    let mut dims = x.dims().to_vec();
    dims[index] = ((extent as f32 - size as f32) / step as f32 + 1.0) as usize;
    dims.push(size);
    shaped(x, dims)
}

/// Dimension `dim` in `chunks` parts, the first ones larger if it does not divide; fewer if there are fewer elements.
/// candle panics on no parts.
pub fn chunked(x: &TensorFact, chunks: usize, dim: Axis) -> Inferred {
    let index = index_of(x, dim, "chunk")?;
    let extent = x.dims()[index];
    if chunks == 0 {
        refuse!("cannot cut {x} into no chunks");
    }
    let (size, larger) = if extent < chunks { (1, 0) } else { (extent / chunks, extent % chunks) };
    (0..chunks.min(extent))
        .map(|part| resized(x, index, size + usize::from(part < larger)))
        .collect::<Result<_, _>>()
        .map(Fact::List)
}

/// Tensors joined along `dim`; a single one as it is, whatever `dim`.
pub fn joined(args: &[&TensorFact], dim: Axis) -> Inferred {
    let [first, rest @ ..] = args else { refuse!("cat needs at least one tensor") };
    if rest.is_empty() {
        return same(first);
    }
    let index = index_of(first, dim, "cat")?;
    for arg in rest {
        one_dtype(first, arg)?;
        let mut others = first.dims().iter().zip(arg.dims()).enumerate();
        if arg.rank() != first.rank() || others.any(|(i, (a, b))| i != index && a != b) {
            refuse!("cannot join {first} and {arg} along dimension {index}");
        }
    }
    resized(first, index, sum(&args.iter().map(|arg| arg.dims()[index]).collect::<Vec<_>>())?)
}

/// Tensors of one shape joined along a new dimension `dim`.
pub fn stacked(args: &[&TensorFact], dim: Axis) -> Inferred {
    let [first, ..] = args else { refuse!("stack needs at least one tensor") };
    let index = Axis(dim.to_index_plus_one(&first.shape, "stack")? as i64);
    let args = args.iter().map(|arg| tensor(unsqueezed(arg, index)?)).collect::<Result<Vec<_>, _>>()?;
    joined(&args.iter().collect::<Vec<_>>(), index)
}

/// Each vector spread over a grid of all.
pub fn gridded(args: &[&TensorFact], xy_indexing: bool) -> Inferred {
    if args.len() < 2 {
        refuse!("meshgrid needs at least two tensors");
    }
    let mut grid = args.iter().map(|arg| Ok(dims::<1>(arg)?[0])).collect::<Result<Vec<_>, InferError>>()?;
    if xy_indexing {
        grid.reverse();
    }
    args.iter().map(|arg| shaped(arg, grid.as_slice())).collect::<Result<_, _>>().map(Fact::List)
}
