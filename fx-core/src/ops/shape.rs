//! Operations that move elements without computing: shapes, cuts, joins, padding, copies, conversions.
//!
//! What only looks at the elements in another way takes no memory, as in candle.
//!
//! Invariant: no element is computed from another.

use candle_core::DType::{BF16, F4, F8E4M3, F16, F32, F64, I16, I32, I64, U8, U32};
use candle_core::Tensor;

use crate::value::Value::{Bool, DType, Int};

use super::infer::shape::{
    chunked, extent, flattened, flipped, got, gridded, joined, narrowed, padded, padded_with_same, permuted, picked,
    repeated, reshaped, rolled, spread, spread_left, squeezed, stacked, transposed, turned, unfolded, unsqueezed,
};
use super::infer::{converted, same, to_device};
use super::sample::{cpu, ints, tensor, values};

macro_rules! shape {
    ($with:ident) => {
        $with! { shape:
            /// The elements in another shape; one extent may be left open.
            /// The number of elements stays; the open extent, -1 in the graph, takes what is left.
            method reshape(x: Tensor, s: HoledShape) -> Tensor {
                candle: x.reshape(s)?,
                infer: reshaped(x, s),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), ints(&[6, 4])], [tensor(F32, (2, 3, 4)), ints(&[2, -1])],
                    [tensor(F32, (2, 3, 4)), ints(&[-1, 2, 2])], [tensor(U8, (2, 3)), Int(6)],
                    [tensor(F32, (2, 3)), ints(&[-1])], [tensor(F32, (2, 4)), ints(&[2, 1, 2, 1, 2, 1, 1])],
                    [tensor(F16, 1), ints(&[])], [tensor(F32, (0, 3)), ints(&[3, 0])],
                    [tensor(F32, (2, 3)), ints(&[4])], [tensor(F32, (2, 3)), ints(&[-1, 4])],
                    [tensor(F32, (2, 3)), ints(&[-1, -1])], [tensor(F32, (0, 3)), ints(&[0, -1])],
                    [tensor(F32, 4), ints(&[i64::MAX, i64::MAX, 4])],
                ],
            }
            /// Two dimensions exchanged.
            /// `(…, a, …, b, …)` becomes `(…, b, …, a, …)`.
            method transpose(x: Tensor, dim1: Axis, dim2: Axis) -> Tensor {
                candle: x.transpose(dim1, dim2)?,
                infer: transposed(x, dim1, dim2),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(1), Int(2)], [tensor(U8, (2, 3, 4)), Int(0), Int(-1)],
                    [tensor(F32, (2, 3)), Int(1), Int(1)], [tensor(F32, (2, 3)), Int(0), Int(2)],
                    [tensor(F32, (2, 3)), Int(-3), Int(0)],
                ],
            }
            /// The last two dimensions exchanged.
            /// `(…, a, b)` becomes `(…, b, a)`.
            method t(x: Tensor) -> Tensor {
                candle: x.t()?,
                infer: turned(x),
                effect: Pure,
                samples: [[tensor(F32, (2, 3))], [tensor(I64, (2, 3, 4))], [tensor(F32, 3)]],
            }
            /// All dimensions in another order.
            /// `dims` names each dimension once; the first is where the new first one comes from.
            method permute(x: Tensor, dims: Axes) -> Tensor {
                candle: x.permute(dims)?,
                infer: permuted(x, dims),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), ints(&[2, 0, 1])], [tensor(F16, (2, 3, 4, 5)), ints(&[0, -1, 1, 2])],
                    [tensor(F32, 2), Int(0)], [tensor(F32, ()), ints(&[])], [tensor(F32, (2, 3)), ints(&[0])],
                    [tensor(F32, vec![1, 2, 1, 2, 1, 3, 1]), ints(&[6, 0, 5, 1, 4, 2, 3])],
                    [tensor(F32, (2, 3)), ints(&[0, 0])], [tensor(F32, (2, 3)), ints(&[0, 2])],
                ],
            }
            /// The same elements, one after another in memory.
            method contiguous(x: Tensor) -> Tensor {
                candle: x.contiguous()?,
                infer: same(x),
                effect: Pure,
                samples: [[tensor(F32, (2, 3))], [tensor(U8, ())], [Int(1)]],
            }
            /// A copy of the elements, one after another in memory.
            method force_contiguous(x: Tensor) -> Tensor {
                candle: x.force_contiguous()?,
                infer: same(x),
                effect: Pure,
                samples: [[tensor(F32, (2, 3))], [tensor(U8, ())], [Int(1)]],
            }
            /// A copy of the elements.
            method copy(x: Tensor) -> Tensor {
                candle: x.copy()?,
                infer: same(x),
                effect: Pure,
                samples: [[tensor(F32, (2, 3))], [tensor(BF16, 0)], [Int(1)]],
            }
            /// The same tensor, without a way back for gradients.
            method detach(x: Tensor) -> BareTensor {
                candle: x.detach(),
                infer: same(x),
                effect: Pure,
                samples: [[tensor(F32, (2, 3))], [tensor(F16, 0)], [Int(1)]],
            }
            /// The same elements on another device.
            method to_device(x: Tensor, device: Device) -> Tensor {
                candle: x.to_device(device)?,
                infer: to_device(x, device),
                effect: Pure,
                samples: [[tensor(F32, (2, 3)), cpu()], [tensor(F32, (2, 3)), Int(0)]],
            }
            /// The elements converted to another dtype.
            method to_dtype(x: Tensor, dtype: DType) -> Tensor {
                candle: x.to_dtype(dtype)?,
                infer: converted(x, dtype),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), DType(F32)], [tensor(F32, (2, 3)), DType(F16)],
                    [tensor(F32, (2, 3)), DType(BF16)], [tensor(F32, (2, 3)), DType(F64)],
                    [tensor(F32, (2, 3)), DType(U8)], [tensor(F32, (2, 3)), DType(U32)],
                    [tensor(F32, (2, 3)), DType(I16)], [tensor(F32, (2, 3)), DType(I32)],
                    [tensor(F32, (2, 3)), DType(I64)], [tensor(U32, 3), DType(F8E4M3)], [tensor(I32, 3), DType(I16)],
                    [tensor(F32, 3), DType(F4)],
                ],
            }
            /// A dimension of extent 1 put in.
            /// `dim` is where it is in the result: `(2, 3)` at 1 becomes `(2, 1, 3)`.
            method unsqueeze(x: Tensor, dim: Axis) -> Tensor {
                candle: x.unsqueeze(dim)?,
                infer: unsqueezed(x, dim),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), Int(0)], [tensor(F32, (2, 3)), Int(2)], [tensor(F32, (2, 3)), Int(-1)],
                    [tensor(F32, (2, 3)), Int(-3)], [tensor(F32, ()), Int(0)], [tensor(F32, (2, 3)), Int(3)],
                    [tensor(F32, (2, 3)), Int(-4)],
                ],
            }
            /// A dimension taken away if its extent is 1.
            /// Of another extent, `x` stays as it is.
            method squeeze(x: Tensor, dim: Axis) -> Tensor {
                candle: x.squeeze(dim)?,
                infer: squeezed(x, dim),
                decides: (extent(x, dim), Eq, 1),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 1, 3)), Int(1)], [tensor(F32, (2, 1)), Int(-1)], [tensor(F32, (2, 3)), Int(0)],
                    [tensor(F32, (2, 1)), Int(2)], [tensor(F32, 1), Int(-2147483648)],
                ],
            }
            /// The dimensions from one to another made one.
            /// Both ends are included: `(2, 3, 4)` from 0 to 1 becomes `(6, 4)`.
            method flatten(x: Tensor, start_dim: Axis, end_dim: Axis) -> Tensor {
                candle: x.flatten(start_dim, end_dim)?,
                infer: flattened(x, Some(start_dim), Some(end_dim)),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(0), Int(1)], [tensor(F32, (2, 3, 4, 5)), Int(1), Int(-1)],
                    [tensor(F32, (2, 3, 4)), Int(2), Int(0)], [tensor(F32, ()), Int(0), Int(7)],
                    [tensor(F32, (2, 3)), Int(0), Int(2)],
                ],
            }
            /// The dimensions up to one made one.
            /// `(2, 3, 4)` up to 1 becomes `(6, 4)`.
            method flatten_to(x: Tensor, end_dim: Axis) -> Tensor {
                candle: x.flatten_to(end_dim)?,
                infer: flattened(x, None, Some(end_dim)),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(1)], [tensor(U8, (2, 3, 4)), Int(-2)], [tensor(F32, (0, 3)), Int(0)],
                    [tensor(F32, ()), Int(3)], [tensor(F32, (2, 3)), Int(2)], [tensor(F32, (2, 3)), Int(-3)],
                ],
            }
            /// The dimensions from one on made one.
            /// `(2, 3, 4)` from 1 on becomes `(2, 12)`.
            method flatten_from(x: Tensor, start_dim: Axis) -> Tensor {
                candle: x.flatten_from(start_dim)?,
                infer: flattened(x, Some(start_dim), None),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(1)], [tensor(U8, (2, 3, 4)), Int(-2)], [tensor(F32, (0, 3)), Int(0)],
                    [tensor(F32, ()), Int(3)], [tensor(F32, (2, 3)), Int(2)], [tensor(F32, (2, 3)), Int(-3)],
                ],
            }
            /// All dimensions made one.
            method flatten_all(x: Tensor) -> Tensor {
                candle: x.flatten_all()?,
                infer: flattened(x, None, None),
                effect: Pure,
                samples: [[tensor(F32, (2, 3, 4))], [tensor(F32, ())], [tensor(BF16, (0, 3))], [Int(1)]],
            }
            /// The elements spread over a larger shape, without a copy.
            /// Extents of 1 become others, and more dimensions are put in front.
            method broadcast_as(x: Tensor, shape: Shape) -> Tensor {
                candle: x.broadcast_as(shape)?,
                infer: spread(x, shape),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 1)), ints(&[2, 3])], [tensor(F32, 3), ints(&[4, 2, 3])], [tensor(U8, 1), Int(5)],
                    [tensor(F32, 3), ints(&[2, 1, 1, 1, 2, 1, 1, 3])],
                    [tensor(F32, ()), ints(&[2, 0])], [tensor(F32, (2, 3)), ints(&[3])],
                    [tensor(F32, (2, 3)), ints(&[2, 4])], [tensor(F32, (2, 3)), ints(&[-1, 3])],
                ],
            }
            /// The elements spread over a larger shape, without a copy.
            /// The same as `broadcast_as`.
            method expand(x: Tensor, shape: Shape) -> Tensor {
                candle: x.expand(shape)?,
                infer: spread(x, shape),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 1)), ints(&[2, 3])], [tensor(F32, 3), ints(&[4, 2, 3])], [tensor(U8, 1), Int(5)],
                    [tensor(F32, 3), ints(&[2, 1, 1, 1, 2, 1, 1, 3])],
                    [tensor(F32, ()), ints(&[2, 0])], [tensor(F32, (2, 3)), ints(&[3])],
                    [tensor(F32, (2, 3)), ints(&[2, 4])], [tensor(F32, (2, 3)), ints(&[-1, 3])],
                ],
            }
            /// The elements spread over dimensions put in front.
            /// `(3, 4)` with `(2,)` in front becomes `(2, 3, 4)`.
            method broadcast_left(x: Tensor, left_shape: Shape) -> Tensor {
                candle: x.broadcast_left(left_shape)?,
                infer: spread_left(x, left_shape),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), ints(&[4, 5])], [tensor(F32, ()), Int(5)], [tensor(F32, 3), ints(&[])],
                    [tensor(F32, 3), Int(-1)],
                ],
            }
            /// Each dimension repeated; missing dimensions are added in front.
            /// `(2, 3)` repeated `(2, 1)` times becomes `(4, 3)`.
            method repeat(x: Tensor, shape: Shape) -> Tensor {
                candle: x.repeat(shape)?,
                infer: repeated(x, &shape),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), ints(&[2, 2])], [tensor(F32, 3), ints(&[4, 1])],
                    [tensor(F32, (2, 3)), Int(2)], [tensor(U8, (2, 3)), ints(&[1, 0])],
                    [tensor(F32, (2, 3)), ints(&[1, -1])],
                ],
            }
            /// `len` parts of a dimension, from `start` on.
            /// Its extent becomes `len`; the others stay.
            method narrow(x: Tensor, dim: Axis, start: Size, len: Size) -> Tensor {
                candle: x.narrow(dim, start, len)?,
                infer: narrowed(x, dim, start, len),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), Int(1), Int(1), Int(2)], [tensor(F32, (2, 3)), Int(-1), Int(0), Int(3)],
                    [tensor(F32, (2, 3)), Int(0), Int(2), Int(0)], [tensor(F32, (2, 3)), Int(1), Int(2), Int(2)],
                    [tensor(F32, (2, 3)), Int(0), Int(3), Int(0)], [tensor(F32, (2, 3)), Int(2), Int(0), Int(1)],
                    [tensor(F32, (2, 3)), Int(0), Int(1), Int(i64::MAX)],
                ],
            }
            /// A dimension in parts, the first ones larger if they cannot be equal.
            /// There are as many as `chunks`, or as the extent if that is less.
            method chunk(x: Tensor, chunks: Size, dim: Axis) -> Tensors {
                candle: x.chunk(chunks, dim)?,
                infer: chunked(x, chunks, dim),
                decides: (extent(x, dim), Lt, chunks),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 6)), Int(3), Int(-1)], [tensor(F32, (2, 7)), Int(3), Int(1)],
                    [tensor(U8, (2, 3)), Int(4), Int(0)], [tensor(F32, (0, 3)), Int(2), Int(0)],
                    [tensor(F32, (2, 3)), Int(0), Int(0)], [tensor(F32, (2, 3)), Int(2), Int(2)],
                ],
            }
            /// One element of the first dimension; a scalar as it is.
            /// `(a, b, …)` becomes `(b, …)`.
            method get(x: Tensor, i: Size) -> Tensor {
                candle: x.get(i)?,
                infer: got(x, i),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), Int(1)], [tensor(F32, ()), Int(5)], [tensor(F32, (2, 3)), Int(2)],
                    [tensor(F32, (2, 3)), Int(-1)],
                ],
            }
            /// One element of a dimension.
            /// The dimension goes away.
            method get_on_dim(x: Tensor, dim: Axis, index: Size) -> Tensor {
                candle: x.get_on_dim(dim, index)?,
                infer: picked(x, dim, index, "get_on_dim"),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), Int(1), Int(2)], [tensor(F16, (2, 3)), Int(-2), Int(0)],
                    [tensor(F32, (2, 3)), Int(1), Int(3)], [tensor(F32, (2, 3)), Int(2), Int(0)],
                ],
            }
            /// A dimension moved round: what leaves at the end comes in at the front.
            /// The shape stays.
            method roll(x: Tensor, shift: Int, dim: Axis) -> Tensor {
                candle: x.roll(shift, dim)?,
                infer: rolled(x, dim),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), Int(1), Int(1)], [tensor(U8, (2, 3)), Int(-4), Int(-1)],
                    [tensor(F32, (2, 3)), Int(2), Int(0)], [tensor(F32, (2, 0)), Int(1), Int(1)],
                    [tensor(F32, (2, 3)), Int(1), Int(2)],
                ],
            }
            /// Some dimensions turned round.
            /// The shape stays.
            method flip(x: Tensor, dims: Sizes) -> Tensor {
                candle: x.flip(&dims)?,
                infer: flipped(x, &dims),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), ints(&[1])], [tensor(U8, (2, 3)), ints(&[0, 1])],
                    [tensor(F32, (2, 0)), ints(&[1])], [tensor(F32, (2, 3)), ints(&[])],
                    [tensor(F32, (2, 3)), ints(&[2])],
                ],
            }
            /// Zeros before and after a dimension.
            /// Its extent grows by `left + right`.
            method pad_with_zeros(x: Tensor, dim: Axis, left: Size, right: Size) -> Tensor {
                candle: x.pad_with_zeros(dim, left, right)?,
                infer: padded(x, dim, left, right, "pad_with_zeros"),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), Int(1), Int(1), Int(2)], [tensor(F32, (2, 3)), Int(-1), Int(0), Int(2)],
                    [tensor(U8, (2, 3)), Int(0), Int(1), Int(0)], [tensor(F32, (2, 3)), Int(7), Int(0), Int(0)],
                    [tensor(F32, (2, 3)), Int(2), Int(1), Int(0)], [tensor(F32, (2, 3)), Int(-3), Int(1), Int(1)],
                ],
            }
            /// The first and last parts of a dimension repeated before and after it.
            /// Its extent grows by `left + right`.
            method pad_with_same(x: Tensor, dim: Axis, left: Size, right: Size) -> Tensor {
                candle: x.pad_with_same(dim, left, right)?,
                infer: padded_with_same(x, dim, left, right),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), Int(1), Int(1), Int(2)], [tensor(BF16, (2, 3)), Int(-1), Int(0), Int(2)],
                    [tensor(U8, (2, 3)), Int(0), Int(1), Int(0)], [tensor(F32, (0, 3)), Int(7), Int(0), Int(0)],
                    [tensor(F32, (0, 3)), Int(1), Int(1), Int(0)], [tensor(F32, (2, 3)), Int(2), Int(1), Int(0)],
                ],
            }
            /// Windows of a dimension, in a new last dimension.
            /// Each has `size` elements, and begins `step` after the one before.
            method unfold(x: Tensor, dim: Axis, size: Size, step: Size) -> Tensor {
                candle: x.unfold(dim, size, step)?,
                infer: unfolded(x, dim, size, step),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 7)), Int(1), Int(3), Int(2)], [tensor(F32, 5), Int(-1), Int(2), Int(1)],
                    [tensor(F32, (4, 3)), Int(0), Int(1), Int(3)], [tensor(F32, 5), Int(0), Int(6), Int(1)],
                    [tensor(F32, 5), Int(1), Int(2), Int(1)], [tensor(F32, ()), Int(0), Int(1), Int(1)],
                ],
            }
            /// Tensors joined along a dimension.
            /// All extents but that are equal, and so are dtypes; that one is added up.
            function cat in Tensor (args: Tensors, dim: Axis) -> Tensor {
                candle: Tensor::cat(&args, dim)?,
                infer: joined(&args, dim),
                effect: Pure,
                samples: [
                    [values([tensor(F32, (2, 3)), tensor(F32, (1, 3))]), Int(0)],
                    [values([tensor(F32, (2, 3)), tensor(F32, (2, 1)), tensor(F32, (2, 0))]), Int(-1)],
                    [values([tensor(U8, 3)]), Int(4)], [values([]), Int(0)],
                    [values([tensor(F32, (2, 3)), tensor(F32, (1, 3))]), Int(1)],
                    [values([tensor(F32, 3), tensor(F32, (1, 3))]), Int(0)],
                    [values([tensor(F32, 3), tensor(F64, 3)]), Int(0)],
                    [values([tensor(F32, 3), tensor(F32, 3)]), Int(1)],
                ],
            }
            /// Tensors of one shape joined along a new dimension.
            /// `n` tensors of `(2, 3)` at 0 become one of `(n, 2, 3)`.
            function stack in Tensor (args: Tensors, dim: Axis) -> Tensor {
                candle: Tensor::stack(&args, dim)?,
                infer: stacked(&args, dim),
                effect: Pure,
                samples: [
                    [values([tensor(F32, (2, 3)), tensor(F32, (2, 3))]), Int(0)],
                    [values([tensor(F16, 3), tensor(F16, 3)]), Int(-1)], [values([tensor(U8, 3)]), Int(1)],
                    [values([]), Int(0)], [values([tensor(F32, 3), tensor(F32, 2)]), Int(0)],
                    [values([tensor(F32, 3), tensor(U8, 3)]), Int(0)],
                    [values([tensor(F32, 3), tensor(F32, 3)]), Int(2)],
                ],
            }
            /// The coordinates of a grid, from those of its axes.
            /// Of `n` vectors, `n` tensors of `n` dimensions.
            function meshgrid in Tensor (args: Tensors, xy_indexing: Flag) -> Tensors {
                candle: Tensor::meshgrid(&args, xy_indexing)?,
                infer: gridded(&args, xy_indexing),
                effect: Pure,
                samples: [
                    [values([tensor(F32, 2), tensor(F32, 3)]), Bool(false)],
                    [values([tensor(F32, 2), tensor(U8, 3), tensor(F32, 4)]), Bool(true)],
                    [values([tensor(F32, 2)]), Bool(false)],
                    [values([tensor(F32, 2), tensor(F32, (2, 3))]), Bool(true)],
                ],
            }
        }
    };
}
shape!(define);
pub(crate) use shape;
