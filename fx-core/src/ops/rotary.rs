//! Rotary embeddings, the functions of `candle_nn::rotary_emb`.
//!
//! Invariant: parameters have candle's names.

use candle_core::DType::{BF16, F16, F32, F64, U8};

use super::infer::nn::{rotated, rotated_pairs_slowly, rotated_slowly};
use super::sample::tensor;

macro_rules! rotary {
    ($with:ident) => {
        $with! { rotary:
            /// Positions rotated, each element with the one half of the last dimension away.
            /// `(batch, heads, positions, size)`, with tables of `(positions, size / 2)`.
            function rope in candle_nn::rotary_emb (xs: Tensor, cos: Tensor, sin: Tensor) -> Tensor {
                candle: candle_nn::rotary_emb::rope(xs, cos, sin)?,
                infer: rotated(xs, [cos, sin], 2),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 5, 8)), tensor(F32, (5, 4)), tensor(F32, (5, 4))],
                    [tensor(F16, (2, 3, 5, 8)), tensor(F16, (9, 4)), tensor(F16, (7, 4))],
                    [tensor(F64, (2, 3, 1, 8)), tensor(F64, (2, 1, 4)), tensor(F64, (2, 1, 4))],
                    [tensor(BF16, (2, 3, 5, 8)), tensor(BF16, (2, 5, 4)), tensor(BF16, (2, 5, 4))],
                    [tensor(F32, (2, 3, 1, 0)), tensor(F32, (1, 0)), tensor(F32, (1, 0))],
                    [tensor(F32, (2, 3, 5, 0)), tensor(F32, (5, 0)), tensor(F32, (5, 0))],
                    [tensor(F32, (2, 3, 5, 8)), tensor(F32, (4, 4)), tensor(F32, (5, 4))],
                    [tensor(F32, (2, 3, 5, 8)), tensor(F32, (5, 8)), tensor(F32, (5, 8))],
                    [tensor(F32, (2, 3, 5, 8)), tensor(F32, (3, 5, 4)), tensor(F32, (3, 5, 4))],
                    [tensor(F32, (2, 3, 5, 8)), tensor(F64, (5, 4)), tensor(F32, (5, 4))],
                    [tensor(U8, (2, 3, 5, 8)), tensor(U8, (5, 4)), tensor(U8, (5, 4))],
                    [tensor(F32, (3, 5, 8)), tensor(F32, (5, 4)), tensor(F32, (5, 4))],
                ],
            }
            /// Positions rotated, each element with its neighbour.
            /// `(batch, heads, positions, size)`, with tables of `(positions, size / 2)`.
            function rope_i in candle_nn::rotary_emb (xs: Tensor, cos: Tensor, sin: Tensor) -> Tensor {
                candle: candle_nn::rotary_emb::rope_i(xs, cos, sin)?,
                infer: rotated(xs, [cos, sin], 2),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 5, 8)), tensor(F32, (5, 4)), tensor(F32, (5, 4))],
                    [tensor(F16, (2, 3, 5, 8)), tensor(F16, (9, 4)), tensor(F16, (7, 4))],
                    [tensor(F64, (2, 3, 1, 8)), tensor(F64, (2, 1, 4)), tensor(F64, (2, 1, 4))],
                    [tensor(BF16, (2, 3, 5, 8)), tensor(BF16, (2, 5, 4)), tensor(BF16, (2, 5, 4))],
                    [tensor(F32, (2, 3, 1, 0)), tensor(F32, (1, 0)), tensor(F32, (1, 0))],
                    [tensor(F32, (2, 3, 5, 0)), tensor(F32, (5, 0)), tensor(F32, (5, 0))],
                    [tensor(F32, (2, 3, 5, 8)), tensor(F32, (4, 4)), tensor(F32, (5, 4))],
                    [tensor(F32, (2, 3, 5, 8)), tensor(F32, (5, 8)), tensor(F32, (5, 8))],
                    [tensor(F32, (2, 3, 5, 8)), tensor(F32, (3, 5, 4)), tensor(F32, (3, 5, 4))],
                    [tensor(F32, (2, 3, 5, 8)), tensor(F64, (5, 4)), tensor(F32, (5, 4))],
                    [tensor(U8, (2, 3, 5, 8)), tensor(U8, (5, 4)), tensor(U8, (5, 4))],
                    [tensor(F32, (3, 5, 8)), tensor(F32, (5, 4)), tensor(F32, (5, 4))],
                ],
            }
            /// As `rope`, with the positions before the heads.
            /// `(batch, positions, heads, size)`.
            function rope_thd in candle_nn::rotary_emb (xs: Tensor, cos: Tensor, sin: Tensor) -> Tensor {
                candle: candle_nn::rotary_emb::rope_thd(xs, cos, sin)?,
                infer: rotated(xs, [cos, sin], 1),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 5, 3, 8)), tensor(F32, (5, 4)), tensor(F32, (5, 4))],
                    [tensor(F16, (2, 5, 3, 8)), tensor(F16, (9, 4)), tensor(F16, (7, 4))],
                    [tensor(F64, (2, 1, 3, 8)), tensor(F64, (2, 1, 4)), tensor(F64, (2, 1, 4))],
                    [tensor(BF16, (2, 5, 3, 8)), tensor(BF16, (2, 5, 4)), tensor(BF16, (2, 5, 4))],
                    [tensor(F32, (2, 1, 3, 0)), tensor(F32, (1, 0)), tensor(F32, (1, 0))],
                    [tensor(F32, (2, 5, 3, 0)), tensor(F32, (5, 0)), tensor(F32, (5, 0))],
                    [tensor(F32, (2, 5, 3, 8)), tensor(F32, (4, 4)), tensor(F32, (5, 4))],
                    [tensor(F32, (2, 5, 3, 8)), tensor(F32, (5, 8)), tensor(F32, (5, 8))],
                    [tensor(F32, (2, 5, 3, 8)), tensor(F32, (3, 5, 4)), tensor(F32, (3, 5, 4))],
                    [tensor(F32, (2, 5, 3, 8)), tensor(F64, (5, 4)), tensor(F32, (5, 4))],
                    [tensor(U8, (2, 5, 3, 8)), tensor(U8, (5, 4)), tensor(U8, (5, 4))],
                    [tensor(F32, (3, 5, 8)), tensor(F32, (5, 4)), tensor(F32, (5, 4))],
                ],
            }
            /// As `rope`, step by step.
            function rope_slow in candle_nn::rotary_emb (x: Tensor, cos: Tensor, sin: Tensor) -> Tensor {
                candle: candle_nn::rotary_emb::rope_slow(x, cos, sin)?,
                infer: rotated_slowly(x, [cos, sin]),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 5, 8)), tensor(F32, (5, 4)), tensor(F32, (5, 4))],
                    [tensor(BF16, (2, 3, 5, 8)), tensor(BF16, (9, 4)), tensor(BF16, (7, 4))],
                    [tensor(F32, (2, 3, 5, 8)), tensor(F32, (4, 4)), tensor(F32, (4, 4))],
                    [tensor(F32, (2, 3, 5, 8)), tensor(F32, (5, 3)), tensor(F32, (5, 3))],
                    [tensor(F32, (2, 3, 5, 8)), tensor(F64, (5, 4)), tensor(F64, (5, 4))],
                    [tensor(U8, (2, 3, 5, 8)), tensor(U8, (5, 4)), tensor(U8, (5, 4))],
                    [tensor(F32, (3, 5, 8)), tensor(F32, (5, 4)), tensor(F32, (5, 4))],
                ],
            }
            /// As `rope_i`, step by step.
            function rope_i_slow in candle_nn::rotary_emb (x: Tensor, cos: Tensor, sin: Tensor) -> Tensor {
                candle: candle_nn::rotary_emb::rope_i_slow(x, cos, sin)?,
                infer: rotated_pairs_slowly(x, [cos, sin]),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 5, 8)), tensor(F32, (5, 4)), tensor(F32, (5, 4))],
                    [tensor(F16, (2, 3, 5, 8)), tensor(F16, (9, 4)), tensor(F16, (7, 4))],
                    [tensor(F32, (2, 3, 5, 8)), tensor(F32, (4, 4)), tensor(F32, (4, 4))],
                    [tensor(F32, (2, 3, 5, 8)), tensor(F32, (5, 3)), tensor(F32, (5, 3))],
                    [tensor(F32, (2, 3, 5, 7)), tensor(F32, (5, 3)), tensor(F32, (5, 3))],
                    [tensor(F32, (2, 3, 5, 8)), tensor(F64, (5, 4)), tensor(F64, (5, 4))],
                    [tensor(F32, (3, 5, 8)), tensor(F32, (5, 4)), tensor(F32, (5, 4))],
                ],
            }
        }
    };
}
rotary!(define);
pub(crate) use rotary;
