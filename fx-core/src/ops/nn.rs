//! The functions of `candle_nn::ops`.
//!
//! Invariant: parameters have candle's names, so the tensor is `xs` where it is there.

use candle_core::DType::{BF16, F16, F32, F64, U8};

use crate::value::Value::{self, Bool, Float, Int};

use super::infer::nn::{
    attended, dropped, gated, normalised, normalised_last, normed, normed_slowly, replicated, shuffled, sigmoid,
    single, unshuffled,
};
use super::infer::{each, floats};
use super::macs::attention;
use super::sample::tensor;

macro_rules! nn {
    ($with:ident) => {
        $with! { nn:
            /// Probabilities along a dimension.
            /// The shape stays.
            function softmax in candle_nn::ops (xs: Tensor, dim: Axis) -> Tensor {
                candle: candle_nn::ops::softmax(xs, dim)?,
                infer: normalised(xs, dim, "softmax"),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(1)], [tensor(BF16, (2, 3)), Int(-1)], [tensor(F64, 3), Int(0)],
                    [tensor(U8, (2, 3)), Int(1)], [tensor(F32, (0, 3)), Int(1)], [tensor(F32, (2, 3)), Int(2)],
                ],
            }
            /// The logarithms of probabilities along a dimension.
            /// The shape stays.
            function log_softmax in candle_nn::ops (xs: Tensor, d: Axis) -> Tensor {
                candle: candle_nn::ops::log_softmax(xs, d)?,
                infer: normalised(xs, d, "log-softmax"),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(1)], [tensor(BF16, (2, 3)), Int(-1)], [tensor(F64, 3), Int(0)],
                    [tensor(U8, (2, 3)), Int(1)], [tensor(F32, (0, 3)), Int(1)], [tensor(F32, (2, 3)), Int(2)],
                ],
            }
            /// Probabilities along the last dimension, by one kernel.
            /// The shape stays.
            function softmax_last_dim in candle_nn::ops (xs: Tensor) -> Tensor {
                candle: candle_nn::ops::softmax_last_dim(xs)?,
                infer: normalised_last(xs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3))], [tensor(F16, 3)], [tensor(F64, (0, 3))], [tensor(U8, 3)],
                    [tensor(F32, (3, 0))], [tensor(F32, ())],
                ],
            }
            /// `x * sigmoid(x)`.
            function silu in candle_nn::ops (xs: Tensor) -> Tensor {
                candle: candle_nn::ops::silu(xs)?,
                infer: each(xs),
                effect: Pure,
                samples: [[tensor(F32, (2, 3))], [tensor(BF16, 3)], [tensor(U8, 3)], [Int(1)]],
            }
            /// One half of the last dimension through `silu`, times the other.
            /// `(…, 2 n)` becomes `(…, n)`.
            function swiglu in candle_nn::ops (xs: Tensor) -> Tensor {
                candle: candle_nn::ops::swiglu(xs)?,
                infer: gated(xs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 6))], [tensor(F16, 2)], [tensor(F32, (2, 3))], [tensor(F32, (2, 1))],
                    [tensor(F32, (2, 0))], [tensor(F32, ())],
                ],
            }
            /// `1 / (1 + exp(-x))`.
            function sigmoid in candle_nn::ops (xs: Tensor) -> Tensor {
                candle: candle_nn::ops::sigmoid(xs)?,
                infer: sigmoid(xs),
                effect: Pure,
                samples: [[tensor(F32, (2, 3))], [tensor(BF16, ())], [tensor(F64, (0, 3))], [tensor(U8, 3)]],
            }
            /// `(x + 3) / 6`, limited to 0 and 1.
            function hard_sigmoid in candle_nn::ops (xs: Tensor) -> Tensor {
                candle: candle_nn::ops::hard_sigmoid(xs)?,
                infer: each(xs),
                effect: Pure,
                samples: [[tensor(F32, (2, 3))], [tensor(F16, 3)], [tensor(U8, 3)], [Int(1)]],
            }
            /// `x * tanh(log(1 + exp(x)))`.
            function mish in candle_nn::ops (xs: Tensor) -> Tensor {
                candle: candle_nn::ops::mish(xs)?,
                infer: floats(xs),
                effect: Pure,
                samples: [[tensor(F32, (2, 3))], [tensor(BF16, 3)], [tensor(U8, 3)]],
            }
            /// `x`, or a part of it where it is negative.
            function leaky_relu in candle_nn::ops (xs: Tensor, negative_slope: Float) -> Tensor {
                candle: candle_nn::ops::leaky_relu(xs, negative_slope)?,
                infer: each(xs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), Float(0.1)], [tensor(F16, 3), Int(0)], [tensor(U8, 3), Int(0)],
                    [Int(1), Int(1)],
                ],
            }
            /// `gamma * x`, or `gamma * alpha * (exp(x) - 1)` where it is negative; of `f32` only.
            function selu in candle_nn::ops (xs: Tensor, alpha: Single, gamma: Single) -> Tensor {
                candle: candle_nn::ops::selu(xs, alpha, gamma)?,
                infer: single(xs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), Float(1.7), Float(1.1)], [tensor(F16, 0), Int(1), Int(1)],
                    [tensor(F16, 3), Int(1), Int(1)], [tensor(F64, 3), Int(1), Int(1)],
                ],
            }
            /// The last dimension divided by the root of the mean of its squares, by one kernel.
            /// `(…, n)`, with weights `alpha` of `(n,)`.
            function rms_norm in candle_nn::ops (xs: Tensor, alpha: Tensor, eps: Single) -> Tensor {
                candle: candle_nn::ops::rms_norm(xs, alpha, eps)?,
                infer: normed(xs, &[alpha]),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, 3), Float(1e-5)],
                    [tensor(BF16, 3), tensor(BF16, 3), Float(1e-5)], [tensor(F32, (0, 3)), tensor(F32, 3), Int(0)],
                    [tensor(F32, (2, 3)), tensor(F32, 2), Float(1e-5)],
                    [tensor(F32, (2, 3)), tensor(F16, 3), Float(1e-5)],
                    [tensor(F32, ()), tensor(F32, 1), Float(1e-5)], [tensor(U8, 3), tensor(U8, 3), Float(1e-5)],
                    [tensor(F64, (2, 3)), tensor(F64, 3), Float(1e-5)],
                    [tensor(F32, (2, 0)), tensor(F32, 0), Float(1e-5)],
                    [tensor(F32, (2, 3)), tensor(F32, (1, 3)), Float(1e-5)],
                ],
            }
            /// The last dimension divided by the root of the mean of its squares, step by step.
            /// `alpha` broadcasts against it.
            function rms_norm_slow in candle_nn::ops (x: Tensor, alpha: Tensor, eps: Single) -> Tensor {
                candle: candle_nn::ops::rms_norm_slow(x, alpha, eps)?,
                infer: normed_slowly(x, &[alpha]),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, 3), Float(1e-5)],
                    [tensor(BF16, 3), tensor(BF16, 3), Float(1e-5)], [tensor(F32, (0, 3)), tensor(F32, 3), Int(0)],
                    [tensor(F32, (2, 3)), tensor(F32, 2), Float(1e-5)],
                    [tensor(F32, (2, 3)), tensor(F16, 3), Float(1e-5)],
                    [tensor(F32, ()), tensor(F32, 1), Float(1e-5)], [tensor(U8, 3), tensor(U8, 3), Float(1e-5)],
                    [tensor(F64, (2, 3)), tensor(F64, 3), Float(1e-5)],
                    [tensor(F16, (2, 3)), tensor(F16, (2, 1)), Float(1e-5)],
                ],
            }
            /// The last dimension brought to mean 0 and variance 1, by one kernel.
            /// `(…, n)`, with weights `alpha` and biases `beta` of `(n,)`.
            function layer_norm in candle_nn::ops (xs: Tensor, alpha: Tensor, beta: Tensor, eps: Single) -> Tensor {
                candle: candle_nn::ops::layer_norm(xs, alpha, beta, eps)?,
                infer: normed(xs, &[alpha, beta]),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, 3), tensor(F32, 3), Float(1e-5)],
                    [tensor(F16, 3), tensor(F16, 3), tensor(F16, 3), Float(1e-5)],
                    [tensor(F32, (2, 3)), tensor(F32, 3), tensor(F32, 2), Float(1e-5)],
                    [tensor(F32, (2, 3)), tensor(F32, 3), tensor(F64, 3), Float(1e-5)],
                    [tensor(F32, ()), tensor(F32, 1), tensor(F32, 1), Float(1e-5)],
                    [tensor(F64, 3), tensor(F64, 3), tensor(F64, 3), Float(1e-5)],
                ],
            }
            /// The last dimension brought to mean 0 and variance 1, step by step.
            /// `alpha` and `beta` broadcast against it.
            function layer_norm_slow in candle_nn::ops (x: Tensor, alpha: Tensor, beta: Tensor, eps: Single) -> Tensor {
                candle: candle_nn::ops::layer_norm_slow(x, alpha, beta, eps)?,
                infer: normed_slowly(x, &[alpha, beta]),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, 3), tensor(F32, 3), Float(1e-5)],
                    [tensor(F16, 3), tensor(F16, 3), tensor(F16, 3), Float(1e-5)],
                    [tensor(F32, (2, 3)), tensor(F32, 3), tensor(F32, 2), Float(1e-5)],
                    [tensor(F32, (2, 3)), tensor(F32, 3), tensor(F64, 3), Float(1e-5)],
                    [tensor(F32, ()), tensor(F32, 1), tensor(F32, 1), Float(1e-5)],
                    [tensor(F64, (2, 3)), tensor(F64, (4, 1, 1)), tensor(F64, ()), Float(1e-5)],
                ],
            }
            /// Channels made into pixels.
            /// `(batch, c f², h, w)` becomes `(batch, c, h f, w f)`.
            function pixel_shuffle in candle_nn::ops (xs: Tensor, upscale_factor: Size) -> Tensor {
                candle: candle_nn::ops::pixel_shuffle(xs, upscale_factor)?,
                infer: shuffled(xs, upscale_factor),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 8, 3, 4)), Int(2)], [tensor(U8, (1, 9, 1, 1)), Int(3)],
                    [tensor(F32, (2, 6, 3, 4)), Int(2)], [tensor(F32, (8, 3, 4)), Int(2)],
                    [tensor(F32, (1, 1, 1, 1)), Int(0)],
                ],
            }
            /// Pixels made into channels.
            /// `(batch, c, h f, w f)` becomes `(batch, c f², h, w)`.
            function pixel_unshuffle in candle_nn::ops (xs: Tensor, downscale_factor: Size) -> Tensor {
                candle: candle_nn::ops::pixel_unshuffle(xs, downscale_factor)?,
                infer: unshuffled(xs, downscale_factor),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 2, 6, 4)), Int(2)], [tensor(F16, (1, 1, 3, 3)), Int(3)],
                    [tensor(F32, (2, 2, 5, 4)), Int(2)], [tensor(F32, (2, 6, 4)), Int(2)],
                    [tensor(F32, (1, 1, 1, 1)), Int(0)],
                ],
            }
            /// The borders of an image repeated once.
            /// `(batch, c, h, w)` with `pad` 1 becomes `(batch, c, h + 2, w + 2)`; with 0 it stays.
            function replication_pad2d in candle_nn::ops (xs: Tensor, pad: Size) -> Tensor {
                candle: candle_nn::ops::replication_pad2d(xs, pad)?,
                infer: replicated(xs, pad),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4, 5)), Int(1)], [tensor(U8, 3), Int(0)], [tensor(F32, (2, 3, 4, 5)), Int(2)],
                    [tensor(F32, (4, 5)), Int(1)], [tensor(F32, (1, 1, 4, 0)), Int(1)],
                    [tensor(F32, (1, 1, 0, 4)), Int(1)],
                ],
            }
            /// Attention by one kernel, which only Metal has.
            /// `(batch, heads, positions, size)` each.
            function sdpa in candle_nn::ops (q: Tensor, k: Tensor, v: Tensor, mask: OptTensor, do_causal: Flag, scale: Single, softcapping: Single) -> Tensor {
                candle: candle_nn::ops::sdpa(q, k, v, mask, do_causal, scale, softcapping)?,
                infer: attended(q, k, v, mask),
                macs: |out| attention(q, k, out),
                effect: Pure,
                samples: [

                    [tensor(U8, (1, 2, 3, 32)), tensor(U8, (1, 2, 3, 32)), tensor(U8, (1, 2, 3, 32)), Value::None, Bool(false), Int(1), Int(1)],
                    [tensor(F32, (1, 2, 3, 32)), tensor(F32, (1, 2, 3, 64)), tensor(F32, (1, 2, 3, 32)), Value::None, Bool(false), Int(1), Int(1)],
                ],
            }
            /// Elements set to zero with a probability, the others scaled up.
            function dropout in candle_nn::ops (xs: Tensor, drop_p: Single) -> Tensor {
                candle: candle_nn::ops::dropout(xs, drop_p)?,
                infer: dropped(xs, drop_p),
                effect: Random,
                samples: [
                    [tensor(F32, (2, 3)), Float(0.5)], [tensor(BF16, 3), Int(0)], [tensor(F64, ()), Float(0.1)],
                    [tensor(F32, 3), Int(1)], [tensor(F32, 3), Float(-0.1)],
                ],
            }
        }
    };
}
nn!(define);
pub(crate) use nn;
