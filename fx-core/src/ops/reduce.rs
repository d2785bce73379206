//! Operations that make one element of many: sums, means, extremes.
//!
//! `(2, 3, 4)` over dimension 1 becomes `(2, 4)`, or `(2, 1, 4)` where dimensions are kept.
//!
//! Invariant: what is not defined for no elements is refused for none.

use candle_core::DType::{BF16, F16, F32, F64, I64, U8, U32};

use crate::value::Value::Int;

use super::infer::linalg::running_sums;
use super::infer::{extremum, filled, log_sum_exp, measured, position, reduced_over, scalar, variance};
use super::sample::{ints, tensor};

macro_rules! reduce {
    ($with:ident) => {
        $with! { reduce:
            /// The sum over some dimensions, which go away.
            method sum(x: Tensor, sum_dims: Axes) -> Tensor {
                candle: x.sum(sum_dims)?,
                infer: reduced_over(x, &sum_dims, false, "sum"),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(-1)], [tensor(F32, (2, 3, 4)), ints(&[0, 2])],
                    [tensor(F32, vec![1, 2, 1, 2, 1, 3, 1]), ints(&[6, 0, 5, 1, 4, 2, 3])],
                    [tensor(F16, (2, 3)), Int(0)], [tensor(BF16, (2, 3)), ints(&[-1, 0])],
                    [tensor(I64, (2, 3)), ints(&[])], [tensor(F64, (0, 3)), Int(0)], [tensor(F32, (2, 3)), Int(2)],
                    [tensor(F32, (2, 3)), Int(-3)], [tensor(F32, (2, 3)), ints(&[1, 1])], [tensor(F32, ()), Int(0)],
                ],
            }
            /// The sum over some dimensions, which keep the extent 1.
            method sum_keepdim(x: Tensor, sum_dims: Axes) -> Tensor {
                candle: x.sum_keepdim(sum_dims)?,
                infer: reduced_over(x, &sum_dims, true, "sum_keepdim"),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(-1)], [tensor(F32, (2, 3, 4)), ints(&[0, 2])],
                    [tensor(F16, (2, 3)), Int(0)], [tensor(BF16, (2, 3)), ints(&[-1, 0])],
                    [tensor(I64, (2, 3)), ints(&[])], [tensor(F64, (0, 3)), Int(0)], [tensor(F32, (2, 3)), Int(2)],
                    [tensor(F32, (2, 3)), Int(-3)], [tensor(F32, (2, 3)), ints(&[1, 1])], [tensor(F32, ()), Int(0)],
                ],
            }
            /// The mean over some dimensions, which go away.
            method mean(x: Tensor, mean_dims: Axes) -> Tensor {
                candle: x.mean(mean_dims)?,
                infer: reduced_over(x, &mean_dims, false, "mean"),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(-1)], [tensor(F32, (2, 3, 4)), ints(&[0, 2])],
                    [tensor(F16, (2, 3)), Int(0)], [tensor(BF16, (2, 3)), ints(&[-1, 0])],
                    [tensor(I64, (2, 3)), ints(&[])], [tensor(F64, (0, 3)), Int(0)], [tensor(F32, (2, 3)), Int(2)],
                    [tensor(F32, (2, 3)), Int(-3)], [tensor(F32, (2, 3)), ints(&[1, 1])], [tensor(F32, ()), Int(0)],
                ],
            }
            /// The mean over some dimensions, which keep the extent 1.
            method mean_keepdim(x: Tensor, mean_dims: Axes) -> Tensor {
                candle: x.mean_keepdim(mean_dims)?,
                infer: reduced_over(x, &mean_dims, true, "mean_keepdim"),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(-1)], [tensor(F32, (2, 3, 4)), ints(&[0, 2])],
                    [tensor(F16, (2, 3)), Int(0)], [tensor(BF16, (2, 3)), ints(&[-1, 0])],
                    [tensor(I64, (2, 3)), ints(&[])], [tensor(F64, (0, 3)), Int(0)], [tensor(F32, (2, 3)), Int(2)],
                    [tensor(F32, (2, 3)), Int(-3)], [tensor(F32, (2, 3)), ints(&[1, 1])], [tensor(F32, ()), Int(0)],
                ],
            }
            /// The greatest element along a dimension, which goes away.
            method max(x: Tensor, dim: Axis) -> Tensor {
                candle: x.max(dim)?,
                infer: extremum(x, dim, false, "max"),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(1)], [tensor(F16, (2, 3)), Int(-1)], [tensor(U8, (2, 3)), Int(0)],
                    [tensor(F32, (0, 3)), Int(1)], [tensor(F32, (2, 3)), Int(2)], [tensor(F32, ()), Int(-1)],
                ],
            }
            /// The greatest element along a dimension, which keeps the extent 1.
            method max_keepdim(x: Tensor, dim: Axis) -> Tensor {
                candle: x.max_keepdim(dim)?,
                infer: extremum(x, dim, true, "max"),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(1)], [tensor(F16, (2, 3)), Int(-1)], [tensor(U8, (2, 3)), Int(0)],
                    [tensor(F32, (0, 3)), Int(1)], [tensor(F32, (2, 3)), Int(2)], [tensor(F32, ()), Int(-1)],
                ],
            }
            /// The smallest element along a dimension, which goes away.
            method min(x: Tensor, dim: Axis) -> Tensor {
                candle: x.min(dim)?,
                infer: extremum(x, dim, false, "min"),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(1)], [tensor(F16, (2, 3)), Int(-1)], [tensor(U8, (2, 3)), Int(0)],
                    [tensor(F32, (0, 3)), Int(1)], [tensor(F32, (2, 3)), Int(2)], [tensor(F32, ()), Int(-1)],
                ],
            }
            /// The smallest element along a dimension, which keeps the extent 1.
            method min_keepdim(x: Tensor, dim: Axis) -> Tensor {
                candle: x.min_keepdim(dim)?,
                infer: extremum(x, dim, true, "min"),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(1)], [tensor(F16, (2, 3)), Int(-1)], [tensor(U8, (2, 3)), Int(0)],
                    [tensor(F32, (0, 3)), Int(1)], [tensor(F32, (2, 3)), Int(2)], [tensor(F32, ()), Int(-1)],
                ],
            }
            /// The position of the greatest element along a dimension, which goes away.
            /// Of `u32`.
            method argmax(x: Tensor, dim: Axis) -> Tensor {
                candle: x.argmax(dim)?,
                infer: position(x, dim, false, "argmax"),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(1)], [tensor(F16, (2, 3)), Int(-1)], [tensor(U8, (2, 3)), Int(0)],
                    [tensor(F32, (0, 3)), Int(1)], [tensor(F32, (2, 3)), Int(2)], [tensor(F32, ()), Int(-1)],
                ],
            }
            /// The position of the greatest element along a dimension, which keeps the extent 1.
            /// Of `u32`.
            method argmax_keepdim(x: Tensor, dim: Axis) -> Tensor {
                candle: x.argmax_keepdim(dim)?,
                infer: position(x, dim, true, "argmax"),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(1)], [tensor(F16, (2, 3)), Int(-1)], [tensor(U8, (2, 3)), Int(0)],
                    [tensor(F32, (0, 3)), Int(1)], [tensor(F32, (2, 3)), Int(2)], [tensor(F32, ()), Int(-1)],
                ],
            }
            /// The position of the smallest element along a dimension, which goes away.
            /// Of `u32`.
            method argmin(x: Tensor, dim: Axis) -> Tensor {
                candle: x.argmin(dim)?,
                infer: position(x, dim, false, "argmin"),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(1)], [tensor(F16, (2, 3)), Int(-1)], [tensor(U8, (2, 3)), Int(0)],
                    [tensor(F32, (0, 3)), Int(1)], [tensor(F32, (2, 3)), Int(2)], [tensor(F32, ()), Int(-1)],
                ],
            }
            /// The position of the smallest element along a dimension, which keeps the extent 1.
            /// Of `u32`.
            method argmin_keepdim(x: Tensor, dim: Axis) -> Tensor {
                candle: x.argmin_keepdim(dim)?,
                infer: position(x, dim, true, "argmin"),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(1)], [tensor(F16, (2, 3)), Int(-1)], [tensor(U8, (2, 3)), Int(0)],
                    [tensor(F32, (0, 3)), Int(1)], [tensor(F32, (2, 3)), Int(2)], [tensor(F32, ()), Int(-1)],
                ],
            }
            /// The sum of all elements.
            /// A scalar.
            method sum_all(x: Tensor) -> Tensor {
                candle: x.sum_all()?,
                infer: scalar(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3))], [tensor(BF16, 3)], [tensor(U32, ())], [tensor(F64, (0, 2))], [Int(1)],
                ],
            }
            /// The mean of all elements.
            /// A scalar.
            method mean_all(x: Tensor) -> Tensor {
                candle: x.mean_all()?,
                infer: scalar(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3))], [tensor(BF16, 3)], [tensor(U32, ())], [tensor(F64, (0, 2))], [Int(1)],
                ],
            }
            /// The greatest of all elements.
            /// A scalar.
            method max_all(x: Tensor) -> Tensor {
                candle: x.max_all()?,
                infer: filled(x).and_then(|_| scalar(x)),
                effect: Pure,
                samples: [[tensor(F32, (2, 3))], [tensor(F16, 3)], [tensor(U32, ())], [tensor(F64, (0, 2))]],
            }
            /// The smallest of all elements.
            /// A scalar.
            method min_all(x: Tensor) -> Tensor {
                candle: x.min_all()?,
                infer: filled(x).and_then(|_| scalar(x)),
                effect: Pure,
                samples: [[tensor(F32, (2, 3))], [tensor(F16, 3)], [tensor(U32, ())], [tensor(F64, (0, 2))]],
            }
            /// The variance along a dimension, which goes away.
            method var(x: Tensor, dim: Axis) -> Tensor {
                candle: x.var(dim)?,
                infer: variance(x, dim, false),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(-1)], [tensor(F16, (2, 3)), Int(0)], [tensor(F64, (2, 1)), Int(1)],
                    [tensor(U32, (2, 3)), Int(1)], [tensor(F32, (2, 0)), Int(1)], [tensor(F32, (2, 3)), Int(2)],
                ],
            }
            /// The variance along a dimension, which keeps the extent 1.
            method var_keepdim(x: Tensor, dim: Axis) -> Tensor {
                candle: x.var_keepdim(dim)?,
                infer: variance(x, dim, true),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(-1)], [tensor(F16, (2, 3)), Int(0)], [tensor(F64, (2, 1)), Int(1)],
                    [tensor(U32, (2, 3)), Int(1)], [tensor(F32, (2, 0)), Int(1)], [tensor(F32, (2, 3)), Int(2)],
                ],
            }
            /// The logarithm of the sum of the exponentials over some dimensions.
            /// They go away.
            method log_sum_exp(x: Tensor, sum_dims: Axes) -> Tensor {
                candle: x.log_sum_exp(sum_dims)?,
                infer: log_sum_exp(x, &sum_dims),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(-1)], [tensor(F32, (2, 3, 4)), ints(&[0, 2])],
                    [tensor(U32, 3), ints(&[])], [tensor(BF16, (2, 3)), Int(1)], [tensor(U32, (2, 3)), Int(1)],
                    [tensor(F32, (2, 0)), Int(0)], [tensor(F32, (2, 3)), Int(2)],
                ],
            }
            /// The square root of the sum of the squares of all elements.
            /// A scalar.
            method norm(x: Tensor) -> Tensor {
                candle: x.norm()?,
                infer: measured(x),
                effect: Pure,
                samples: [[tensor(F32, (2, 3))], [tensor(F16, 3)], [tensor(F64, (0, 3))], [tensor(U32, 3)]],
            }
            /// Running sums along a dimension.
            /// The shape stays.
            method cumsum(x: Tensor, dim: Axis) -> Tensor {
                candle: x.cumsum(dim)?,
                infer: running_sums(x, dim),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(1)], [tensor(F32, 5), Int(-1)], [tensor(F64, (2, 3)), Int(0)],
                    [tensor(BF16, (2, 3)), Int(-1)], [tensor(U32, (2, 0)), Int(1)], [tensor(U32, (2, 3)), Int(1)],
                    [tensor(F32, (2, 3)), Int(2)], [tensor(F32, ()), Int(-1)],
                ],
            }
        }
    };
}
reduce!(define);
pub(crate) use reduce;
