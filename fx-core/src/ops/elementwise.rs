//! Operations that work element by element on tensors of one shape, or of shapes that broadcast.

use candle_core::DType::{F32, U32};

use crate::value::Value::{Float, Int};

use super::infer::{alike, beside, broadcast, same};
use super::sample::{positive, tensor};

macro_rules! elementwise {
    ($with:ident) => {
        $with! { elementwise:
            /// `max(x, 0)`.
            method relu(x: Tensor) -> Tensor {
                candle: x.relu()?,
                infer: same(x),
                effect: Pure,
                samples: [[tensor(F32, (2, 3))]],
            }
            /// The natural logarithm.
            method log(x: Tensor) -> Tensor {
                candle: x.log()?,
                infer: same(x),
                effect: Pure,
                samples: [[positive(F32, (2, 3))]],
            }
            /// The sum of two tensors of one shape.
            method add(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.add(rhs)?,
                infer: alike(x, rhs),
                effect: Pure,
                samples: [[tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(F32, (2, 3)), tensor(F32, 3)]],
            }
            /// The sum of two tensors whose shapes broadcast.
            method broadcast_add(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.broadcast_add(rhs)?,
                infer: broadcast(x, rhs),
                effect: Pure,
                samples: [[tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(F32, (2, 3)), tensor(F32, 4)]],
            }
            /// `x` limited to `min..=max`; the limits are numbers or tensors.
            method clamp(x: Tensor, min: Scalar, max: Scalar) -> Tensor {
                candle: x.clamp(min, max)?,
                infer: beside(x, min).and_then(|_| beside(x, max)),
                effect: Pure,
                samples: [[tensor(F32, (2, 3)), Float(0.0), Float(1.0)], [tensor(U32, 4), Int(1), Int(2)]],
            }
        }
    };
}
elementwise!(define);
pub(crate) use elementwise;
