//! Operations that draw random numbers.
//!
//! Two calls differ, so none is merged with another or folded, and calls keep their order.
//!
//! Invariant: their effect is `Random`.

use candle_core::DType::{BF16, F16, F32, F64, U8, U32};
use candle_core::Tensor;

use crate::value::Value::{DType, Float, Int};

use super::infer::create::{normal, typed, uniform};
use super::sample::{cpu, ints, tensor};

macro_rules! random {
    ($with:ident) => {
        $with! { random:
            /// Random numbers, uniform between two limits.
            function rand in Tensor (lo: Number, up: Number, s: Shape, dtype: NumberType, device: Device) -> Tensor {
                floats: dtype(lo, up),
                candle: Tensor::rand(lo, up, s, device)?,
                infer: typed(&s, dtype).and_then(|_| uniform(s, lo, up, dtype)),
                effect: Random,
                samples: [
                    [Int(0), Int(1), ints(&[2, 3]), DType(F32), cpu()],
                    [Float(-0.5), Float(0.5), Int(3), DType(BF16), cpu()],
                    [Int(0), Int(1), ints(&[]), DType(F64), cpu()], [Int(0), Int(1), Int(0), DType(F16), cpu()],
                    [Int(1), Int(1), Int(2), DType(F32), cpu()], [Int(0), Int(1), Int(2), DType(U32), cpu()],
                ],
            }
            /// Random numbers, normal around a mean.
            function randn in Tensor (mean: Number, std: Number, s: Shape, dtype: NumberType, device: Device) -> Tensor {
                floats: dtype(mean, std),
                candle: Tensor::randn(mean, std, s, device)?,
                infer: typed(&s, dtype).and_then(|_| normal(s, std, dtype)),
                effect: Random,
                samples: [
                    [Int(0), Int(1), ints(&[2, 3]), DType(F32), cpu()],
                    [Float(-0.5), Float(0.5), Int(3), DType(BF16), cpu()],
                    [Int(0), Int(-1), ints(&[]), DType(F64), cpu()], [Int(0), Int(1), Int(0), DType(F16), cpu()],
                    [Int(0), Float(f64::INFINITY), Int(2), DType(F32), cpu()],
                    [Int(0), Int(1), Int(2), DType(U32), cpu()],
                ],
            }
            /// Random numbers, uniform between two limits, of the shape and dtype of another tensor.
            method rand_like(x: Tensor, lo: Float, up: Float) -> Tensor {
                candle: x.rand_like(lo, up)?,
                infer: uniform(&x.shape, lo, up, x.dtype),
                effect: Random,
                samples: [
                    [tensor(F32, (2, 3)), Int(0), Int(1)], [tensor(F16, 3), Float(-0.5), Float(0.5)],
                    [tensor(F32, 3), Int(1), Int(0)], [tensor(F16, 3), Int(0), Float(1e6)],
                    [tensor(F32, 3), Float(-3e38), Float(3e38)], [tensor(U8, 3), Int(0), Int(1)],
                ],
            }
            /// Random numbers, normal around a mean, of the shape and dtype of another tensor.
            method randn_like(x: Tensor, mean: Float, stdev: Float) -> Tensor {
                candle: x.randn_like(mean, stdev)?,
                infer: normal(&x.shape, stdev, x.dtype),
                effect: Random,
                samples: [
                    [tensor(F32, (2, 3)), Int(0), Int(1)], [tensor(BF16, 3), Float(0.5), Float(0.0)],
                    [tensor(F32, 3), Int(0), Float(f64::NAN)], [tensor(U8, 3), Int(0), Int(1)],
                ],
            }
        }
    };
}
random!(define);
pub(crate) use random;
