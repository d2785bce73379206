//! Operations that work element by element on tensors of one shape, or of shapes that broadcast.
//!
//! The result has the shape and dtype of `x`, or the common shape where shapes broadcast: extents are equal, or one of
//! them is 1, counted from the last dimension. Two tensors have one dtype. A number is taken in the tensor's dtype.
//!
//! Invariant: those that candle has no integer kernel for, and panics, refuse integers.

use candle_core::DType::{BF16, F16, F32, F64, I64, U8, U32};

use crate::value::Value::{Bool, Float, Int};

use super::infer::{alike, beside, broadcast, each, floats, power};
use super::sample::{integers, positive, tensor};

macro_rules! elementwise {
    ($with:ident) => {
        $with! { elementwise:
            /// `max(x, 0)`.
            method relu(x: Tensor) -> Tensor {
                candle: x.relu()?,
                infer: each(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3))], [tensor(F16, 4)], [tensor(BF16, 4)], [tensor(F64, ())],
                    [tensor(U32, (0, 3))], [tensor(U8, 4)], [tensor(U32, 4)], [tensor(I64, 4)], [Int(1)],
                ],
            }
            /// The Gaussian error linear unit, approximated by a hyperbolic tangent.
            method gelu(x: Tensor) -> Tensor {
                candle: x.gelu()?,
                infer: each(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3))], [tensor(F16, 4)], [tensor(BF16, 4)], [tensor(F64, ())],
                    [tensor(U32, (0, 3))], [tensor(U8, 4)], [tensor(U32, 4)], [tensor(I64, 4)], [Int(1)],
                ],
            }
            /// The Gaussian error linear unit.
            method gelu_erf(x: Tensor) -> Tensor {
                candle: x.gelu_erf()?,
                infer: each(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3))], [tensor(F16, 4)], [tensor(BF16, 4)], [tensor(F64, ())],
                    [tensor(U32, (0, 3))], [tensor(U8, 4)], [tensor(U32, 4)], [tensor(I64, 4)], [Int(1)],
                ],
            }
            /// `x * sigmoid(x)`.
            method silu(x: Tensor) -> Tensor {
                candle: x.silu()?,
                infer: each(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3))], [tensor(F16, 4)], [tensor(BF16, 4)], [tensor(F64, ())],
                    [tensor(U32, (0, 3))], [tensor(U8, 4)], [tensor(U32, 4)], [tensor(I64, 4)], [Int(1)],
                ],
            }
            /// The hyperbolic tangent.
            method tanh(x: Tensor) -> Tensor {
                candle: x.tanh()?,
                infer: floats(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3))], [tensor(F16, 4)], [tensor(BF16, 4)], [tensor(F64, ())],
                    [tensor(U32, (0, 3))], [tensor(U8, 4)], [tensor(I64, 4)],
                ],
            }
            /// The error function.
            method erf(x: Tensor) -> Tensor {
                candle: x.erf()?,
                infer: each(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3))], [tensor(F16, 4)], [tensor(BF16, 4)], [tensor(F64, ())],
                    [tensor(U32, (0, 3))], [tensor(U8, 4)], [tensor(U32, 4)], [tensor(I64, 4)], [Int(1)],
                ],
            }
            /// `e` to the power `x`.
            method exp(x: Tensor) -> Tensor {
                candle: x.exp()?,
                infer: floats(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3))], [tensor(F16, 4)], [tensor(BF16, 4)], [tensor(F64, ())],
                    [tensor(U32, (0, 3))], [tensor(U8, 4)], [tensor(I64, 4)],
                ],
            }
            /// The natural logarithm.
            method log(x: Tensor) -> Tensor {
                candle: x.log()?,
                infer: floats(x),
                effect: Pure,
                samples: [
                    [positive(F32, (2, 3))], [positive(F16, 4)], [positive(BF16, 4)], [positive(F64, ())],
                    [tensor(U32, (0, 3))], [tensor(U8, 4)], [tensor(I64, 4)],
                ],
            }
            /// The sine.
            method sin(x: Tensor) -> Tensor {
                candle: x.sin()?,
                infer: floats(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3))], [tensor(F16, 4)], [tensor(BF16, 4)], [tensor(F64, ())],
                    [tensor(U32, (0, 3))], [tensor(U8, 4)], [tensor(I64, 4)],
                ],
            }
            /// The cosine.
            method cos(x: Tensor) -> Tensor {
                candle: x.cos()?,
                infer: floats(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3))], [tensor(F16, 4)], [tensor(BF16, 4)], [tensor(F64, ())],
                    [tensor(U32, (0, 3))], [tensor(U8, 4)], [tensor(I64, 4)],
                ],
            }
            /// The absolute value.
            method abs(x: Tensor) -> Tensor {
                candle: x.abs()?,
                infer: each(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3))], [tensor(F16, 4)], [tensor(BF16, 4)], [tensor(F64, ())],
                    [tensor(U32, (0, 3))], [tensor(U8, 4)], [tensor(U32, 4)], [tensor(I64, 4)], [Int(1)],
                ],
            }
            /// `-x`.
            method neg(x: Tensor) -> Tensor {
                candle: x.neg()?,
                infer: floats(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3))], [tensor(F16, 4)], [tensor(BF16, 4)], [tensor(F64, ())],
                    [tensor(U32, (0, 3))], [tensor(U8, 4)], [tensor(I64, 4)],
                ],
            }
            /// `1 / x`.
            method recip(x: Tensor) -> Tensor {
                candle: x.recip()?,
                infer: floats(x),
                effect: Pure,
                samples: [
                    [positive(F32, (2, 3))], [positive(F16, 4)], [positive(BF16, 4)], [positive(F64, ())],
                    [tensor(U32, (0, 3))], [tensor(U8, 4)], [tensor(I64, 4)],
                ],
            }
            /// `x * x`.
            method sqr(x: Tensor) -> Tensor {
                candle: x.sqr()?,
                infer: floats(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3))], [tensor(F16, 4)], [tensor(BF16, 4)], [tensor(F64, ())],
                    [tensor(U32, (0, 3))], [tensor(U8, 4)], [tensor(I64, 4)],
                ],
            }
            /// The square root.
            method sqrt(x: Tensor) -> Tensor {
                candle: x.sqrt()?,
                infer: floats(x),
                effect: Pure,
                samples: [
                    [positive(F32, (2, 3))], [positive(F16, 4)], [positive(BF16, 4)], [positive(F64, ())],
                    [tensor(U32, (0, 3))], [tensor(U8, 4)], [tensor(I64, 4)],
                ],
            }
            /// `x` rounded up.
            method ceil(x: Tensor) -> Tensor {
                candle: x.ceil()?,
                infer: each(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3))], [tensor(F16, 4)], [tensor(BF16, 4)], [tensor(F64, ())],
                    [tensor(U32, (0, 3))], [tensor(U8, 4)], [tensor(U32, 4)], [tensor(I64, 4)], [Int(1)],
                ],
            }
            /// `x` rounded down.
            method floor(x: Tensor) -> Tensor {
                candle: x.floor()?,
                infer: each(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3))], [tensor(F16, 4)], [tensor(BF16, 4)], [tensor(F64, ())],
                    [tensor(U32, (0, 3))], [tensor(U8, 4)], [tensor(U32, 4)], [tensor(I64, 4)], [Int(1)],
                ],
            }
            /// `x` rounded to the nearest integer, halves away from zero.
            method round(x: Tensor) -> Tensor {
                candle: x.round()?,
                infer: each(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3))], [tensor(F16, 4)], [tensor(BF16, 4)], [tensor(F64, ())],
                    [tensor(U32, (0, 3))], [tensor(U8, 4)], [tensor(U32, 4)], [tensor(I64, 4)], [Int(1)],
                ],
            }
            /// -1, 0 or 1, as `x` is.
            method sign(x: Tensor) -> Tensor {
                candle: x.sign()?,
                infer: each(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3))], [tensor(F16, 4)], [tensor(BF16, 4)], [tensor(F64, ())],
                    [tensor(U32, (0, 3))], [tensor(U8, 4)], [tensor(U32, 4)], [tensor(I64, 4)], [Int(1)],
                ],
            }
            /// `x` rounded to so many decimals; a negative number rounds tens, hundreds, and so on.
            method round_to(x: Tensor, decimals: Int) -> Tensor {
                candle: x.round_to(decimals)?,
                infer: each(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), Int(1)], [tensor(F64, 3), Int(-1)], [tensor(BF16, 3), Int(0)],
                    [tensor(I64, 3), Int(1)], [tensor(F32, 3), Float(0.5)],
                ],
            }
            /// `x` to a power.
            method powf(x: Tensor, e: Float) -> Tensor {
                candle: x.powf(e)?,
                infer: floats(x),
                effect: Pure,
                samples: [
                    [positive(F32, (2, 3)), Float(0.5)], [tensor(F16, 3), Int(2)], [tensor(F64, 3), Float(-1.0)],
                    [tensor(U32, 3), Float(2.0)],
                ],
            }
            /// `x`, or `alpha * (exp(x) - 1)` where it is negative.
            method elu(x: Tensor, alpha: Float) -> Tensor {
                candle: x.elu(alpha)?,
                infer: floats(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), Float(1.0)], [tensor(BF16, 3), Float(0.1)], [tensor(F64, 3), Int(2)],
                    [tensor(U8, 3), Float(1.0)],
                ],
            }
            /// `x * mul + add`.
            method affine(x: Tensor, mul: Float, add: Float) -> Tensor {
                candle: x.affine(mul, add)?,
                infer: each(x),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), Float(2.0), Float(-0.5)], [tensor(F16, 3), Float(0.5), Int(0)],
                    [tensor(U32, 3), Int(2), Int(1)], [tensor(F32, 3), Bool(true), Int(1)],
                ],
            }
            /// The sum of two tensors of one shape.
            method add(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.add(rhs)?,
                infer: alike(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(BF16, 3), tensor(BF16, 3)],
                    [tensor(F64, ()), tensor(F64, ())], [tensor(I64, 3), integers(I64, 3, &[5, 6, 7])],
                    [tensor(F32, (0, 3)), tensor(U8, (0, 3))], [tensor(F32, (2, 3)), tensor(F32, 3)],
                    [tensor(F32, 3), tensor(F16, 3)],
                ],
            }
            /// The difference of two tensors of one shape.
            method sub(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.sub(rhs)?,
                infer: alike(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(BF16, 3), tensor(BF16, 3)],
                    [tensor(F64, ()), tensor(F64, ())], [integers(I64, 3, &[5, 6, 7]), tensor(I64, 3)],
                    [tensor(F32, (0, 3)), tensor(U8, (0, 3))], [tensor(F32, (2, 3)), tensor(F32, 3)],
                    [tensor(F32, 3), tensor(F16, 3)],
                ],
            }
            /// The product of two tensors of one shape.
            method mul(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.mul(rhs)?,
                infer: alike(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(BF16, 3), tensor(BF16, 3)],
                    [tensor(F64, ()), tensor(F64, ())], [tensor(I64, 3), integers(I64, 3, &[5, 6, 7])],
                    [tensor(F32, (0, 3)), tensor(U8, (0, 3))], [tensor(F32, (2, 3)), tensor(F32, 3)],
                    [tensor(F32, 3), tensor(F16, 3)],
                ],
            }
            /// The quotient of two tensors of one shape.
            method div(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.div(rhs)?,
                infer: alike(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(BF16, 3), tensor(BF16, 3)],
                    [tensor(F64, ()), tensor(F64, ())], [tensor(I64, 3), integers(I64, 3, &[5, 6, 7])],
                    [tensor(F32, (0, 3)), tensor(U8, (0, 3))], [tensor(F32, (2, 3)), tensor(F32, 3)],
                    [tensor(F32, 3), tensor(F16, 3)],
                ],
            }
            /// The sum of two tensors whose shapes broadcast.
            method broadcast_add(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.broadcast_add(rhs)?,
                infer: broadcast(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(F16, (2, 1)), tensor(F16, (4, 1, 3))],
                    [tensor(F64, ()), tensor(F64, (2, 3))], [tensor(U32, (3, 1)), integers(U32, 1, &[1])],
                    [tensor(F32, (0, 3)), tensor(U8, (1, 3))], [tensor(F32, (2, 3)), tensor(F32, 4)],
                    [tensor(F32, 3), tensor(F64, 3)],
                ],
            }
            /// The difference of two tensors whose shapes broadcast.
            method broadcast_sub(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.broadcast_sub(rhs)?,
                infer: broadcast(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(F16, (2, 1)), tensor(F16, (4, 1, 3))],
                    [tensor(F64, ()), tensor(F64, (2, 3))],
                    [integers(U32, (3, 1), &[1, 2, 3]), integers(U32, 1, &[1])],
                    [tensor(F32, (0, 3)), tensor(U8, (1, 3))], [tensor(F32, (2, 3)), tensor(F32, 4)],
                    [tensor(F32, 3), tensor(F64, 3)],
                ],
            }
            /// The product of two tensors whose shapes broadcast.
            method broadcast_mul(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.broadcast_mul(rhs)?,
                infer: broadcast(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(F16, (2, 1)), tensor(F16, (4, 1, 3))],
                    [tensor(F64, ()), tensor(F64, (2, 3))], [tensor(U32, (3, 1)), integers(U32, 1, &[1])],
                    [tensor(F32, (0, 3)), tensor(U8, (1, 3))], [tensor(F32, (2, 3)), tensor(F32, 4)],
                    [tensor(F32, 3), tensor(F64, 3)],
                ],
            }
            /// The quotient of two tensors whose shapes broadcast.
            method broadcast_div(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.broadcast_div(rhs)?,
                infer: broadcast(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(F16, (2, 1)), tensor(F16, (4, 1, 3))],
                    [tensor(F64, ()), tensor(F64, (2, 3))], [tensor(U32, (3, 1)), integers(U32, 1, &[1])],
                    [tensor(F32, (0, 3)), tensor(U8, (1, 3))], [tensor(F32, (2, 3)), tensor(F32, 4)],
                    [tensor(F32, 3), tensor(F64, 3)],
                ],
            }
            /// The greater of each two elements, or of each element and a number.
            method maximum(x: Tensor, rhs: Scalar) -> Tensor {
                candle: x.maximum(rhs)?,
                infer: beside(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(BF16, 3), tensor(BF16, 3)],
                    [tensor(F64, ()), tensor(F64, ())], [tensor(I64, 3), integers(I64, 3, &[5, 6, 7])],
                    [tensor(F32, (0, 3)), tensor(U8, (0, 3))], [tensor(F32, (2, 3)), tensor(F32, 3)],
                    [tensor(F32, 3), tensor(F16, 3)], [tensor(F32, (2, 3)), Float(0.5)], [tensor(U8, 3), Int(2)],
                    [tensor(F16, (2, 3)), Int(0)],
                ],
            }
            /// The greater of each two elements of tensors whose shapes broadcast.
            method broadcast_maximum(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.broadcast_maximum(rhs)?,
                infer: broadcast(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(F16, (2, 1)), tensor(F16, (4, 1, 3))],
                    [tensor(F64, ()), tensor(F64, (2, 3))], [tensor(U32, (3, 1)), integers(U32, 1, &[1])],
                    [tensor(F32, (0, 3)), tensor(U8, (1, 3))], [tensor(F32, (2, 3)), tensor(F32, 4)],
                    [tensor(F32, 3), tensor(F64, 3)],
                ],
            }
            /// The smaller of each two elements, or of each element and a number.
            method minimum(x: Tensor, rhs: Scalar) -> Tensor {
                candle: x.minimum(rhs)?,
                infer: beside(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(BF16, 3), tensor(BF16, 3)],
                    [tensor(F64, ()), tensor(F64, ())], [tensor(I64, 3), integers(I64, 3, &[5, 6, 7])],
                    [tensor(F32, (0, 3)), tensor(U8, (0, 3))], [tensor(F32, (2, 3)), tensor(F32, 3)],
                    [tensor(F32, 3), tensor(F16, 3)], [tensor(F32, (2, 3)), Float(0.5)], [tensor(U8, 3), Int(2)],
                    [tensor(F16, (2, 3)), Int(0)],
                ],
            }
            /// The smaller of each two elements of tensors whose shapes broadcast.
            method broadcast_minimum(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.broadcast_minimum(rhs)?,
                infer: broadcast(x, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(F16, (2, 1)), tensor(F16, (4, 1, 3))],
                    [tensor(F64, ()), tensor(F64, (2, 3))], [tensor(U32, (3, 1)), integers(U32, 1, &[1])],
                    [tensor(F32, (0, 3)), tensor(U8, (1, 3))], [tensor(F32, (2, 3)), tensor(F32, 4)],
                    [tensor(F32, 3), tensor(F64, 3)],
                ],
            }
            /// `x` limited to `min..=max`; the limits are numbers or tensors.
            method clamp(x: Tensor, min: Scalar, max: Scalar) -> Tensor {
                candle: x.clamp(min, max)?,
                infer: beside(x, min).and_then(|_| beside(x, max)),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), Float(0.0), Float(1.0)], [tensor(U32, 4), Int(1), Int(2)],
                    [tensor(F16, 3), tensor(F16, 3), Int(1)], [tensor(F64, 3), Int(0), tensor(F64, 3)],
                    [tensor(F32, 3), tensor(F32, 2), Float(1.0)], [tensor(F32, 3), Float(0.0), tensor(F64, 3)],
                ],
            }
            /// `x` to the power `rhs`, of one shape.
            method pow(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.pow(rhs)?,
                infer: power(x, rhs, alike(rhs, x)),
                effect: Pure,
                samples: [
                    [positive(F32, (2, 3)), tensor(F32, (2, 3))], [positive(F64, 3), tensor(F64, 3)],
                    [tensor(U32, 3), tensor(U32, 3)], [positive(F32, 3), tensor(F32, 2)],
                ],
            }
            /// `x` to the power `rhs`, whose shapes broadcast.
            method broadcast_pow(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.broadcast_pow(rhs)?,
                infer: power(x, rhs, broadcast(rhs, x)),
                effect: Pure,
                samples: [
                    [positive(F32, (2, 3)), tensor(F32, 3)], [positive(BF16, 3), tensor(BF16, (2, 1))],
                    [tensor(U32, 3), tensor(U32, 1)], [positive(F32, 3), tensor(F32, 2)],
                ],
            }
        }
    };
}
elementwise!(define);
pub(crate) use elementwise;
