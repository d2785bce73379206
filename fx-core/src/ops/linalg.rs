//! Products of matrices and vectors.
//!
//! Invariant: as of all operations, in [`super::infer`].

use candle_core::DType::{BF16, F16, F32, F64, I64, U8, U32};

use super::infer::linalg::{broadcast_product, dot, matrix_vector, product};
use super::macs::of_each;
use super::sample::tensor;

macro_rules! linalg {
    ($with:ident) => {
        $with! { linalg:
            /// The products of batches of matrices.
            /// `(…, m, k)` by `(…, k, n)` gives `(…, m, n)`; both have equally many dimensions, and equally many
            /// matrices.
            method matmul(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.matmul(rhs)?,
                infer: product(x, rhs),
                macs: |out| of_each(out, x.dims()[x.rank() - 1]),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, (3, 4))], [tensor(F16, (5, 2, 3)), tensor(F16, (5, 3, 4))],
                    [tensor(BF16, (2, 3)), tensor(BF16, (3, 4))],
                    [tensor(F64, (2, 3, 2, 3)), tensor(F64, (3, 2, 3, 4))],
                    [tensor(U32, (2, 0)), tensor(U32, (0, 4))], [tensor(U32, (2, 3)), tensor(U32, (3, 4))],
                    [tensor(F32, (2, 3)), tensor(F32, (4, 3))], [tensor(F32, (5, 2, 3)), tensor(F32, (3, 4))],
                    [tensor(F32, 3), tensor(F32, 3)], [tensor(F32, (2, 3)), tensor(F16, (3, 4))],
                ],
            }
            /// The products of batches of matrices whose batches broadcast.
            /// `(…, m, k)` by `(…, k, n)` gives `(…, m, n)`.
            method broadcast_matmul(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.broadcast_matmul(rhs)?,
                infer: broadcast_product(x, rhs),
                macs: |out| of_each(out, x.dims()[x.rank() - 1]),
                effect: Pure,
                samples: [
                    [tensor(F32, (5, 2, 3)), tensor(F32, (3, 4))], [tensor(F32, (2, 3)), tensor(F32, (5, 3, 4))],
                    [tensor(F16, (5, 1, 2, 3)), tensor(F16, (6, 3, 4))], [tensor(F64, (2, 3)), tensor(F64, (3, 4))],
                    [tensor(F32, (5, 2, 3)), tensor(F32, (6, 3, 4))], [tensor(F32, (2, 3)), tensor(F32, 3)],
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(I64, (2, 3)), tensor(I64, (3, 2))],
                ],
            }
            /// The product of a matrix and a vector.
            /// `(m, k)` by `(k,)` gives `(m,)`.
            method mv(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.mv(rhs)?,
                infer: matrix_vector(x, rhs),
                macs: |out| of_each(out, rhs.shape.elem_count()),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(BF16, (2, 3)), tensor(BF16, 3)],
                    [tensor(F32, (2, 3)), tensor(F32, 2)], [tensor(F32, (2, 3)), tensor(F32, (3, 1))],
                    [tensor(U8, (2, 3)), tensor(U8, 3)],
                ],
            }
            /// The sum of the products of two vectors.
            /// `(k,)` by `(k,)` gives a scalar.
            method dot(x: Tensor, rhs: Tensor) -> Tensor {
                candle: x.dot(rhs)?,
                infer: dot(x, rhs),
                macs: |out| of_each(out, x.shape.elem_count()),
                effect: Pure,
                samples: [
                    [tensor(F32, 3), tensor(F32, 3)], [tensor(U32, 3), tensor(U32, 3)],
                    [tensor(F32, 3), tensor(F32, 2)], [tensor(F32, (1, 3)), tensor(F32, 3)],
                    [tensor(F32, 3), tensor(F64, 3)],
                ],
            }
        }
    };
}
linalg!(define);
pub(crate) use linalg;
