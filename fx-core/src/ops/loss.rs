//! The functions of `candle_nn::loss`.
//!
//! Invariant: the result is a scalar.

use candle_core::DType::{BF16, F16, F32, F64, I64, U8, U32};

use super::infer::nn::{difference, entropy, likelihood, sigmoid};
use super::sample::{integers, positive, tensor};

macro_rules! loss {
    ($with:ident) => {
        $with! { loss:
            /// The mean of the negative of the logarithm that each target chooses.
            /// `(batch, classes)` and `(batch,)` give a scalar.
            function nll in candle_nn::loss (inp: Tensor, target: Tensor) -> Tensor {
                candle: candle_nn::loss::nll(inp, target)?,
                infer: likelihood(inp, target),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), integers(U32, 2, &[0, 2])],
                    [tensor(F16, (2, 3)), integers(I64, 2, &[0, 2])],
                    [tensor(F32, (2, 3)), integers(U32, 3, &[0, 2, 1])], [tensor(F32, 3), integers(U32, 1, &[0])],
                    [tensor(F32, (2, 3)), tensor(F32, 2)],
                ],
            }
            /// The cross entropy of the logits and the targets.
            /// `(batch, classes)` and `(batch,)` give a scalar.
            function cross_entropy in candle_nn::loss (inp: Tensor, target: Tensor) -> Tensor {
                candle: candle_nn::loss::cross_entropy(inp, target)?,
                infer: entropy(inp, target),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), integers(U32, 2, &[0, 2])],
                    [tensor(BF16, (2, 3)), integers(I64, 2, &[0, 2])],
                    [tensor(F32, (2, 3)), integers(U32, 3, &[0, 2, 1])], [tensor(F32, 3), integers(U32, 1, &[0])],
                    [tensor(U8, (2, 3)), integers(U32, 2, &[0, 2])],
                ],
            }
            /// The mean of the squares of the differences.
            /// Two tensors of one shape give a scalar.
            function mse in candle_nn::loss (inp: Tensor, target: Tensor) -> Tensor {
                candle: candle_nn::loss::mse(inp, target)?,
                infer: difference(inp, target),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(F16, 3), tensor(F16, 3)],
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(F32, 3), tensor(F64, 3)],
                    [tensor(U8, 3), tensor(U8, 3)],
                ],
            }
            /// The mean of the binary cross entropy of the logits and the targets.
            /// Two tensors of one shape give a scalar.
            function binary_cross_entropy_with_logit in candle_nn::loss (inp: Tensor, target: Tensor) -> Tensor {
                candle: candle_nn::loss::binary_cross_entropy_with_logit(inp, target)?,
                infer: sigmoid(inp).and_then(|_| difference(target, inp)),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), positive(F32, (2, 3))], [tensor(BF16, 3), positive(BF16, 3)],
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(F32, 3), tensor(F64, 3)],
                    [tensor(U8, 3), tensor(U8, 3)],
                ],
            }
        }
    };
}
loss!(define);
pub(crate) use loss;
