//! Operations that read or write at indices, and sorting, which makes them.
//!
//! Indices in tensors are data: one that is out of range is an error of the run, not of the rule.
//!
//! Invariant: as of all operations, in [`super::infer`].

use candle_core::DType::{BF16, F16, F32, F64, I16, I32, I64, U8, U32};

use crate::value::Fact;
use crate::value::Value::{Bool, Int, Range};

use super::infer::index::{added_at, assigned, embedded, gathered, indexed, overwritten, scattered, selected, sorted};
use super::infer::{cast, index_of};
use super::kind::IndexWith;
use super::sample::{all, integers, range, tensor, until, values};

macro_rules! index {
    ($with:ident) => {
        $with! { index:
            /// Leading dimensions indexed by numbers, ranges and vectors of indices.
            /// A number takes its dimension away, a range cuts it, a vector chooses from it; dimensions after those
            /// indexed stay.
            method i(x: Tensor, index: Index) -> Tensor {
                candle: x.i(index)?,
                infer: indexed(x, &index),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), Int(1)], [tensor(F32, (2, 3)), range(0, 1)],
                    [tensor(F32, (2, 3, 4)), values([all(), Int(2)])],
                    [tensor(F32, (2, 3, 4)), values([all(), all(), Int(0)])],
                    [tensor(F32, (2, 3, 4)), values([Int(0), range(1, 3), Range(Some(2), None)])],
                    [tensor(F32, (2, 3, 4)), values([all(), all(), range(1, 3)])],
                    [tensor(F32, (1, 2, 3, 2, 2)), values([all(), all(), all(), all(), Int(1)])],
                    [tensor(F32, (2, 3)), integers(U32, 3, &[1, 0, 1])],
                    [tensor(F32, (2, 3)), values([all(), integers(I64, 2, &[2, 0])])],
                    [tensor(F16, (2, 3)), values([Int(1), integers(U8, 1, &[2])])],
                    [tensor(F32, (2, 3)), range(2, 2)], [tensor(F32, (2, 3)), range(1, 0)],
                    [tensor(F32, (2, 3)), Int(2)], [tensor(F32, (2, 3)), range(1, 3)],
                    [tensor(F32, (2, 3)), Range(Some(3), None)], [tensor(F32, 2), values([Int(0), Int(0)])],
                    [tensor(F32, 2), values([all(), all()])], [tensor(F32, 2), values([])],
                    [tensor(F32, 2), integers(U32, (1, 1), &[0])], [tensor(F32, 2), tensor(F32, 2)],
                ],
            }
            /// Parts of a dimension, in the order of a vector of indices.
            /// The extent becomes the length of `indexes`, of `u8`, `u32` or `i64`.
            method index_select(x: Tensor, indexes: Tensor, dim: Axis) -> Tensor {
                candle: x.index_select(indexes, dim)?,
                infer: selected(x, indexes, dim),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), integers(U32, 4, &[0, 2, 2, 1]), Int(1)],
                    [tensor(BF16, (2, 3)), integers(I64, 1, &[1]), Int(0)],
                    [tensor(U8, (2, 3)), integers(U8, 0, &[]), Int(-1)],
                    [tensor(F32, (2, 3)), integers(U32, (1, 1), &[0]), Int(0)],
                    [tensor(F32, (2, 3)), tensor(F32, 2), Int(0)],
                    [tensor(F32, (2, 3)), integers(I32, 1, &[0]), Int(0)],
                    [tensor(F32, (2, 3)), integers(U32, 1, &[0]), Int(2)],
                ],
            }
            /// Rows of a matrix, in the order of a vector of indices.
            /// `(rows, size)` by `(n,)` gives `(n, size)`.
            method embedding(x: Tensor, ids: Tensor) -> Tensor {
                candle: x.embedding(ids)?,
                infer: embedded(x, ids),
                effect: Pure,
                samples: [
                    [tensor(F32, (4, 3)), integers(U32, 2, &[3, 0])], [tensor(F16, (4, 3)), integers(I64, 1, &[3])],
                    [tensor(F32, 4), integers(U32, 2, &[3, 0])],
                    [tensor(F32, (4, 3)), integers(U32, (1, 2), &[3, 0])], [tensor(F32, (4, 3)), tensor(F32, 2)],
                ],
            }
            /// An element for each index, which gives its place along a dimension.
            /// The result has the shape of `indexes`.
            method gather(x: Tensor, indexes: Tensor, dim: Axis) -> Tensor {
                candle: x.gather(indexes, dim)?,
                infer: gathered(x, indexes, dim),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), integers(U32, (2, 2), &[0, 2, 1, 1]), Int(1)],
                    [tensor(F16, (2, 3)), integers(I64, (1, 3), &[0, 1, 1]), Int(-2)],
                    [tensor(F32, (2, 3)), integers(U32, (3, 1), &[0, 1, 2]), Int(1)],
                    [tensor(F32, (2, 3)), integers(U32, 2, &[0, 1]), Int(1)],
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3)), Int(1)],
                    [tensor(F32, (2, 3)), integers(U32, (2, 1), &[0, 1]), Int(2)],
                ],
            }
            /// Elements written at the places that indices give along a dimension.
            /// The result has the shape of `x`, `indexes` and `source` have one shape.
            method scatter(x: Tensor, indexes: Tensor, source: Tensor, dim: Axis) -> Tensor {
                candle: x.scatter(indexes, source, dim)?,
                infer: scattered(x, indexes, source, dim, &[], "scatter"),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), integers(U32, (2, 2), &[0, 2, 1, 1]), tensor(F32, (2, 2)), Int(1)],
                    [tensor(BF16, (2, 3)), integers(I64, (1, 3), &[0, 1, 1]), tensor(BF16, (1, 3)), Int(-2)],
                    [tensor(F32, (2, 3)), integers(U32, (2, 1), &[0, 2]), tensor(F32, (2, 2)), Int(1)],
                    [tensor(F32, (2, 3)), integers(U32, (1, 2), &[0, 2]), tensor(F32, (1, 2)), Int(1)],
                    [tensor(F32, (2, 3)), integers(U32, (2, 1), &[0, 2]), tensor(F64, (2, 1)), Int(1)],
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3)), tensor(F32, (2, 3)), Int(1)],
                    [tensor(F32, (2, 3)), integers(U32, (2, 1), &[0, 2]), tensor(F32, (2, 1)), Int(2)],
                    [tensor(F32, 2), integers(I32, 2, &[0, 1]), tensor(F32, 2), Int(0)],
                ],
            }
            /// Elements added at the places that indices give along a dimension.
            /// The result has the shape of `x`, `indexes` and `source` have one shape.
            method scatter_add(x: Tensor, indexes: Tensor, source: Tensor, dim: Axis) -> Tensor {
                candle: x.scatter_add(indexes, source, dim)?,
                infer: scattered(x, indexes, source, dim, &[I16, I32], "scatter-add"),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), integers(U32, (2, 2), &[0, 2, 1, 1]), tensor(F32, (2, 2)), Int(1)],
                    [tensor(BF16, (2, 3)), integers(I64, (1, 3), &[0, 1, 1]), tensor(BF16, (1, 3)), Int(-2)],
                    [tensor(F32, (2, 3)), integers(U32, (2, 1), &[0, 2]), tensor(F32, (2, 2)), Int(1)],
                    [tensor(F32, (2, 3)), integers(U32, (1, 2), &[0, 2]), tensor(F32, (1, 2)), Int(1)],
                    [tensor(F32, (2, 3)), integers(U32, (2, 1), &[0, 2]), tensor(F64, (2, 1)), Int(1)],
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3)), tensor(F32, (2, 3)), Int(1)],
                    [tensor(F32, (2, 3)), integers(U32, (2, 1), &[0, 2]), tensor(F32, (2, 1)), Int(2)],
                    [tensor(F32, 2), integers(I32, 2, &[0, 1]), tensor(F32, 2), Int(0)],
                ],
            }
            /// Parts added to those that a vector of indices gives along a dimension.
            /// The result has the shape of `x`; `indexes` has one number for each part of `source`.
            method index_add(x: Tensor, indexes: Tensor, source: Tensor, dim: Axis) -> Tensor {
                candle: x.index_add(indexes, source, dim)?,
                infer: added_at(x, indexes, source, dim),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), integers(U32, 2, &[0, 2]), tensor(F32, (2, 2)), Int(1)],
                    [tensor(F16, (2, 3)), integers(I32, 1, &[1]), tensor(F16, (1, 3)), Int(0)],
                    [tensor(F32, (2, 3)), integers(U32, 1, &[0]), tensor(F32, (2, 2)), Int(1)],
                    [tensor(F32, (2, 3)), integers(U32, (2, 1), &[0, 2]), tensor(F32, (2, 2)), Int(1)],
                    [tensor(F32, (2, 3)), integers(U32, 1, &[0]), tensor(F64, (2, 1)), Int(1)],
                    [tensor(F32, (2, 3)), tensor(F32, 1), tensor(F32, (2, 1)), Int(1)],
                    [tensor(F32, 2), integers(U32, 1, &[0]), tensor(F32, 1), Int(1)],
                ],
            }
            /// A tensor written over parts of a dimension, from `start` on.
            /// The result has the shape of `x`.
            method slice_scatter(x: Tensor, src: Tensor, dim: Axis, start: Size) -> Tensor {
                candle: x.slice_scatter(src, dim, start)?,
                infer: overwritten(x, src, index_of(x, dim, "slice-scatter")?, start),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, (2, 2)), Int(1), Int(1)],
                    [tensor(U8, (2, 3)), tensor(U8, (1, 3)), Int(-2), Int(0)],
                    [tensor(F32, (2, 3)), tensor(F32, (2, 2)), Int(1), Int(2)],
                    [tensor(F32, (2, 3)), tensor(F64, (2, 2)), Int(1), Int(0)],
                    [tensor(F32, (2, 3)), tensor(F32, 2), Int(1), Int(0)],
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3)), Int(2), Int(0)],
                    [tensor(F32, 3), tensor(F32, 2), Int(0), Int(i64::MAX)],
                ],
            }
            /// A tensor written over parts of the first dimension, from `start` on.
            /// The result has the shape of `x`.
            method slice_scatter0(x: Tensor, src: Tensor, start: Size) -> Tensor {
                candle: x.slice_scatter0(src, start)?,
                infer: overwritten(x, src, 0, start),
                effect: Pure,
                samples: [
                    [tensor(F32, (3, 2)), tensor(F32, (2, 2)), Int(1)],
                    [tensor(F32, (3, 2)), tensor(F32, (2, 2)), Int(2)],
                    [tensor(F32, (3, 2)), tensor(F32, (2, 1)), Int(0)], [tensor(F32, ()), tensor(F32, ()), Int(0)],
                ],
            }
            /// A tensor written over one range of each dimension.
            /// The result has the shape of `x`; `src` has that of the ranges.
            method slice_assign(x: Tensor, ranges: Ranges, src: Tensor) -> Tensor {
                candle: x.slice_assign(&ranges, src)?,
                infer: assigned(x, &ranges, src),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), values([range(0, 2), range(1, 3)]), tensor(F32, (2, 2))],
                    [tensor(F32, (2, 3)), values([until(1), range(1, 3)]), tensor(F32, (1, 2))],
                    [tensor(U8, 3), values([range(0, 1)]), tensor(U8, 1)],
                    [tensor(F32, 3), values([range(0, 1)]), tensor(F32, 2)],
                    [tensor(F32, 3), values([range(1, 1)]), tensor(F32, 0)],
                    [tensor(F32, 3), values([range(2, 4)]), tensor(F32, 2)],
                    [tensor(F32, 3), values([range(0, 1)]), tensor(F64, 1)],
                    [tensor(F32, (2, 3)), values([range(0, 2)]), tensor(F32, (2, 3))],
                    [tensor(F32, (2, 3)), values([range(0, 2)]), tensor(F32, 2)],
                ],
            }
            /// The positions of the elements of the last dimension in sorted order.
            /// Of the shape of `x`, and `u32`.
            method arg_sort_last_dim(x: Tensor, asc: Flag) -> Tensor {
                candle: x.arg_sort_last_dim(asc)?,
                infer: sorted(x).and_then(|_| cast(x, U32)),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), Bool(true)], [tensor(I64, 5), Bool(false)], [tensor(F32, ()), Bool(true)],
                ],
            }
            /// The elements of the last dimension sorted, and their positions before.
            /// Both of the shape of `x`; the positions are `u32`.
            method sort_last_dim(x: Tensor, asc: Flag) -> TensorPair {
                candle: x.sort_last_dim(asc)?,
                infer: sorted(x).and_then(|values| Ok(Fact::Tuple(vec![values, cast(x, U32)?]))),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), Bool(true)], [tensor(U8, 5), Bool(false)], [tensor(F32, ()), Bool(true)],
                ],
            }
        }
    };
}
index!(define);
pub(crate) use index;
