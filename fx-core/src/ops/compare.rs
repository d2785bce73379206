//! Comparisons, whose results are flags of dtype `u8`, and the choice by flags.
//!
//! The result has the shape of both sides, or the common one where shapes broadcast.
//!
//! Invariant: a comparison looks at the dtypes even where there are no elements.

use candle_core::DType::{BF16, F16, F32, F64, I64, U8, U32};

use crate::value::Value::{Float, Int};

use super::infer::index::chosen;
use super::infer::{broadcast_compared, compared};
use super::sample::tensor;

macro_rules! compare {
    ($with:ident) => {
        $with! { compare:
            /// 1 where an element is equal to its counterpart, or a number; else 0.
            method eq(x: Tensor, rhs: Scalar) -> Tensor {
                candle: x.eq(rhs)?,
                infer: compared(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(U32, 4), Int(2)],
                    [tensor(F16, 4), Float(0.5)], [tensor(I64, ()), tensor(I64, ())],
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(F32, 3), tensor(U32, 3)],
                    [tensor(F32, 0), tensor(U8, 0)],
                ],
            }
            /// 1 where an element is unequal to its counterpart, or a number; else 0.
            method ne(x: Tensor, rhs: Scalar) -> Tensor {
                candle: x.ne(rhs)?,
                infer: compared(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(U32, 4), Int(2)],
                    [tensor(F16, 4), Float(0.5)], [tensor(I64, ()), tensor(I64, ())],
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(F32, 3), tensor(U32, 3)],
                    [tensor(F32, 0), tensor(U8, 0)],
                ],
            }
            /// 1 where an element is less than its counterpart, or a number; else 0.
            method lt(x: Tensor, rhs: Scalar) -> Tensor {
                candle: x.lt(rhs)?,
                infer: compared(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(U32, 4), Int(2)],
                    [tensor(F16, 4), Float(0.5)], [tensor(I64, ()), tensor(I64, ())],
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(F32, 3), tensor(U32, 3)],
                    [tensor(F32, 0), tensor(U8, 0)],
                ],
            }
            /// 1 where an element is at most its counterpart, or a number; else 0.
            method le(x: Tensor, rhs: Scalar) -> Tensor {
                candle: x.le(rhs)?,
                infer: compared(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(U32, 4), Int(2)],
                    [tensor(F16, 4), Float(0.5)], [tensor(I64, ()), tensor(I64, ())],
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(F32, 3), tensor(U32, 3)],
                    [tensor(F32, 0), tensor(U8, 0)],
                ],
            }
            /// 1 where an element is greater than its counterpart, or a number; else 0.
            method gt(x: Tensor, rhs: Scalar) -> Tensor {
                candle: x.gt(rhs)?,
                infer: compared(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(U32, 4), Int(2)],
                    [tensor(F16, 4), Float(0.5)], [tensor(I64, ()), tensor(I64, ())],
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(F32, 3), tensor(U32, 3)],
                    [tensor(F32, 0), tensor(U8, 0)],
                ],
            }
            /// 1 where an element is at least its counterpart, or a number; else 0.
            method ge(x: Tensor, rhs: Scalar) -> Tensor {
                candle: x.ge(rhs)?,
                infer: compared(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(U32, 4), Int(2)],
                    [tensor(F16, 4), Float(0.5)], [tensor(I64, ()), tensor(I64, ())],
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(F32, 3), tensor(U32, 3)],
                    [tensor(F32, 0), tensor(U8, 0)],
                ],
            }
            /// 1 where an element is equal to its counterpart, else 0; the shapes broadcast.
            method broadcast_eq(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.broadcast_eq(rhs)?,
                infer: broadcast_compared(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(U8, (2, 1)), tensor(U8, (4, 1, 3))],
                    [tensor(BF16, ()), tensor(BF16, 2)], [tensor(F32, (2, 3)), tensor(F32, 2)],
                    [tensor(F32, 3), tensor(U32, 3)],
                ],
            }
            /// 1 where an element is unequal to its counterpart, else 0; the shapes broadcast.
            method broadcast_ne(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.broadcast_ne(rhs)?,
                infer: broadcast_compared(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(U8, (2, 1)), tensor(U8, (4, 1, 3))],
                    [tensor(BF16, ()), tensor(BF16, 2)], [tensor(F32, (2, 3)), tensor(F32, 2)],
                    [tensor(F32, 3), tensor(U32, 3)],
                ],
            }
            /// 1 where an element is less than its counterpart, else 0; the shapes broadcast.
            method broadcast_lt(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.broadcast_lt(rhs)?,
                infer: broadcast_compared(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(U8, (2, 1)), tensor(U8, (4, 1, 3))],
                    [tensor(BF16, ()), tensor(BF16, 2)], [tensor(F32, (2, 3)), tensor(F32, 2)],
                    [tensor(F32, 3), tensor(U32, 3)],
                ],
            }
            /// 1 where an element is at most its counterpart, else 0; the shapes broadcast.
            method broadcast_le(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.broadcast_le(rhs)?,
                infer: broadcast_compared(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(U8, (2, 1)), tensor(U8, (4, 1, 3))],
                    [tensor(BF16, ()), tensor(BF16, 2)], [tensor(F32, (2, 3)), tensor(F32, 2)],
                    [tensor(F32, 3), tensor(U32, 3)],
                ],
            }
            /// 1 where an element is greater than its counterpart, else 0; the shapes broadcast.
            method broadcast_gt(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.broadcast_gt(rhs)?,
                infer: broadcast_compared(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(U8, (2, 1)), tensor(U8, (4, 1, 3))],
                    [tensor(BF16, ()), tensor(BF16, 2)], [tensor(F32, (2, 3)), tensor(F32, 2)],
                    [tensor(F32, 3), tensor(U32, 3)],
                ],
            }
            /// 1 where an element is at least its counterpart, else 0; the shapes broadcast.
            method broadcast_ge(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.broadcast_ge(rhs)?,
                infer: broadcast_compared(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(U8, (2, 1)), tensor(U8, (4, 1, 3))],
                    [tensor(BF16, ()), tensor(BF16, 2)], [tensor(F32, (2, 3)), tensor(F32, 2)],
                    [tensor(F32, 3), tensor(U32, 3)],
                ],
            }
            /// An element of `on_true` where `x` is not 0, of `on_false` where it is.
            method where_cond(x: Tensor, on_true: Tensor, on_false: Tensor) -> Tensor {
                candle: x.where_cond(on_true, on_false)?,
                infer: chosen(x, on_true, on_false),
                effect: Pure,
                samples: [
                    [tensor(U8, (2, 3)), tensor(F32, (2, 3)), tensor(F32, (2, 3))],
                    [tensor(I64, 3), tensor(U32, 3), tensor(U32, 3)],
                    [tensor(U32, 3), tensor(F16, 3), tensor(F16, 3)],
                    [tensor(F32, 3), tensor(F32, 3), tensor(F32, 3)], [tensor(U8, 3), tensor(F32, 3), tensor(F64, 3)],
                    [tensor(U8, 3), tensor(F32, 3), tensor(F32, 1)],
                ],
            }
        }
    };
}
compare!(define);
pub(crate) use compare;
