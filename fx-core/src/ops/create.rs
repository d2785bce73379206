//! Operations that make a tensor from nothing but numbers.
//!
//! Those that are not like another tensor have no inputs: shape, dtype and device are arguments.
//!
//! Invariant: a number is converted to the dtype before it is used.

use candle_core::DType::{BF16, F4, F8E4M3, F16, F32, F64, I64, U8, U32};
use candle_core::Tensor;

use crate::value::Value::{DType, Float, Int};

use super::infer::create::{counted, created, square, typed};
use super::infer::each;
use super::sample::{cpu, ints, tensor};

macro_rules! create {
    ($with:ident) => {
        $with! { create:
            /// Zeros.
            function zeros in Tensor (shape: Shape, dtype: DType, device: Device) -> Tensor {
                candle: Tensor::zeros(shape, dtype, device)?,
                infer: created(shape, dtype),
                effect: Pure,
                samples: [
                    [ints(&[2, 3]), DType(F32), cpu()], [Int(3), DType(BF16), cpu()], [ints(&[]), DType(I64), cpu()],
                    [ints(&[2, 1, 1, 3, 1, 1, 1]), DType(F32), cpu()],
                    [ints(&[0, 2]), DType(F8E4M3), cpu()], [Int(3), DType(F4), cpu()], [Int(-3), DType(F32), cpu()],
                ],
            }
            /// Zeros, of the shape and dtype of another tensor.
            method zeros_like(x: Tensor) -> Tensor {
                candle: x.zeros_like()?,
                infer: each(x),
                effect: Pure,
                samples: [[tensor(F32, (2, 3))], [tensor(U8, ())], [Int(1)]],
            }
            /// Ones.
            function ones in Tensor (shape: Shape, dtype: DType, device: Device) -> Tensor {
                candle: Tensor::ones(shape, dtype, device)?,
                infer: created(shape, dtype),
                effect: Pure,
                samples: [
                    [ints(&[2, 3]), DType(F32), cpu()], [Int(3), DType(BF16), cpu()], [ints(&[]), DType(I64), cpu()],
                    [ints(&[2, 1, 1, 3, 1, 1, 1]), DType(F32), cpu()],
                    [ints(&[0, 2]), DType(F8E4M3), cpu()], [Int(3), DType(F4), cpu()], [Int(-3), DType(F32), cpu()],
                ],
            }
            /// Ones, of the shape and dtype of another tensor.
            method ones_like(x: Tensor) -> Tensor {
                candle: x.ones_like()?,
                infer: each(x),
                effect: Pure,
                samples: [[tensor(F32, (2, 3))], [tensor(U8, ())], [Int(1)]],
            }
            /// One number everywhere.
            function full in Tensor (value: Number, shape: Shape, dtype: NumberType, device: Device) -> Tensor {
                numbers: dtype(value),
                candle: Tensor::full(value, shape, device)?,
                infer: typed(shape, dtype),
                effect: Pure,
                samples: [
                    [Float(0.5), ints(&[2, 3]), DType(F32), cpu()], [Int(3), Int(2), DType(U8), cpu()],
                    [Float(f64::NEG_INFINITY), ints(&[]), DType(F16), cpu()], [Int(1), Int(2), DType(F8E4M3), cpu()],
                ],
            }
            /// `start`, `start + 1`, and so on, before `end`.
            function arange in Tensor (start: Number, end: Number, dtype: NumberType, device: Device) -> Tensor {
                numbers: dtype(start, end),
                candle: Tensor::arange(start, end, device)?,
                infer: counted(start, end, 1.0, dtype),
                effect: Pure,
                samples: [
                    [Int(0), Int(5), DType(U32), cpu()], [Float(0.5), Int(3), DType(F32), cpu()],
                    [Int(0), Float(2.5), DType(F64), cpu()], [Int(5), Int(3), DType(I64), cpu()],
                    [Int(-2), Int(2), DType(U8), cpu()], [Int(0), Int(300), DType(U8), cpu()],
                    [Int(0), Int(9), DType(BF16), cpu()], [Float(0.1), Float(5.1), DType(F16), cpu()],
                    [Int(0), Int(2), DType(F8E4M3), cpu()],
                ],
            }
            /// `start`, `start + step`, and so on, before `end`.
            function arange_step in Tensor (start: Number, end: Number, step: Number, dtype: NumberType, device: Device) -> Tensor {
                numbers: dtype(start, end, step),
                candle: Tensor::arange_step(start, end, step, device)?,
                infer: counted(start, end, step, dtype),
                effect: Pure,
                samples: [
                    [Int(0), Int(5), Int(2), DType(U32), cpu()], [Int(5), Int(0), Int(-2), DType(I64), cpu()],
                    [Int(0), Int(1), Float(0.1), DType(F32), cpu()], [Int(0), Int(1), Float(0.1), DType(BF16), cpu()],
                    [Int(1), Int(0), Float(-0.3), DType(F16), cpu()], [Int(0), Int(5), Int(0), DType(U32), cpu()],
                    [Int(0), Int(255), Int(100), DType(U8), cpu()], [Int(0), Int(1), Int(0), DType(F32), cpu()],
                ],
            }
            /// Ones on the diagonal of a square matrix, else zeros.
            /// `(n, n)`.
            function eye in Tensor (n: Size, dtype: DType, device: Device) -> Tensor {
                candle: Tensor::eye(n, dtype, device)?,
                infer: square(n, dtype),
                effect: Pure,
                samples: [
                    [Int(3), DType(F32), cpu()], [Int(0), DType(U8), cpu()], [Int(2), DType(BF16), cpu()],
                    [Int(-1), DType(F32), cpu()], [Int(2), DType(F4), cpu()],
                ],
            }
            /// Ones on and below the diagonal of a square matrix, else zeros.
            /// `(n, n)`.
            function tril2 in Tensor (n: Size, dtype: DType, device: Device) -> Tensor {
                candle: Tensor::tril2(n, dtype, device)?,
                infer: square(n, dtype),
                effect: Pure,
                samples: [
                    [Int(3), DType(F32), cpu()], [Int(0), DType(U8), cpu()], [Int(2), DType(BF16), cpu()],
                    [Int(-1), DType(F32), cpu()], [Int(2), DType(F4), cpu()],
                ],
            }
            /// Ones on and above the diagonal of a square matrix, else zeros.
            /// `(n, n)`.
            function triu2 in Tensor (n: Size, dtype: DType, device: Device) -> Tensor {
                candle: Tensor::triu2(n, dtype, device)?,
                infer: square(n, dtype),
                effect: Pure,
                samples: [
                    [Int(3), DType(F32), cpu()], [Int(0), DType(U8), cpu()], [Int(2), DType(BF16), cpu()],
                    [Int(-1), DType(F32), cpu()], [Int(2), DType(F4), cpu()],
                ],
            }
        }
    };
}
create!(define);
pub(crate) use create;
