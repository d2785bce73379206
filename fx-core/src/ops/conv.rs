//! Convolutions.
//!
//! In `conv1d` and `conv2d`, with `padding` on both sides, an extent `n` under a kernel of `k` becomes
//! `(n + 2 padding - dilation (k - 1) - 1) / stride + 1`.
//!
//! Invariant: as of all operations, in [`super::infer`].

use candle_core::DType::{BF16, F16, F32, F64, U8};

use crate::value::Value::Int;

use super::infer::conv::{Sliding, convolved1d, convolved2d, transposed1d, transposed2d};
use super::macs::{of_each, of_window};
use super::sample::tensor;

macro_rules! conv {
    ($with:ident) => {
        $with! { conv:
            /// A convolution over one dimension.
            /// `(batch, channels, length)` by a kernel of `(out, channels / groups, size)` gives `(batch, out,
            /// length')`.
            method conv1d(x: Tensor, kernel: Tensor, padding: Size, stride: Size, dilation: Size, groups: Size) -> Tensor {
                candle: x.conv1d(kernel, padding, stride, dilation, groups)?,
                infer: convolved1d(x, kernel, Sliding { padding, stride, dilation }, groups),
                macs: |out| of_each(out, of_window(kernel.dims())),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 4, 9)), tensor(F32, (6, 4, 3)), Int(1), Int(2), Int(1), Int(1)],
                    [tensor(F64, (1, 4, 9)), tensor(F64, (6, 2, 3)), Int(0), Int(1), Int(2), Int(2)],
                    [tensor(BF16, (1, 2, 5)), tensor(BF16, (3, 2, 1)), Int(0), Int(1), Int(1), Int(1)],
                    [tensor(F16, (1, 2, 5)), tensor(F16, (3, 2, 2)), Int(0), Int(1), Int(0), Int(1)],
                    [tensor(F32, (1, 4, 5)), tensor(F32, (5, 2, 1)), Int(0), Int(1), Int(1), Int(2)],
                    [tensor(F32, (1, 4, 5)), tensor(F32, (6, 3, 3)), Int(0), Int(1), Int(1), Int(1)],
                    [tensor(F32, (1, 4, 5)), tensor(F32, (6, 4, 6)), Int(0), Int(1), Int(1), Int(1)],
                    [tensor(F32, (1, 4, 5)), tensor(F32, (6, 4, 3)), Int(0), Int(0), Int(1), Int(1)],
                    [tensor(F32, (1, 0, 5)), tensor(F32, (6, 0, 3)), Int(0), Int(1), Int(1), Int(0)],
                    [tensor(F32, (4, 5)), tensor(F32, (6, 4, 3)), Int(0), Int(1), Int(1), Int(1)],
                    [tensor(F32, (1, 4, 5)), tensor(F64, (6, 4, 3)), Int(0), Int(1), Int(1), Int(1)],
                    [tensor(U8, (1, 4, 5)), tensor(U8, (6, 4, 3)), Int(0), Int(1), Int(1), Int(1)],
                    [tensor(F32, (1, 4, 5)), tensor(F32, (6, 4, 0)), Int(0), Int(1), Int(1), Int(1)],
                    [tensor(F32, (1, 4, 5)), tensor(F32, (6, 4, 3)), Int(i64::MAX), Int(1), Int(1), Int(1)],
                ],
            }
            /// A convolution over two dimensions.
            /// `(batch, channels, h, w)` by a kernel of `(out, channels / groups, h, w)` gives `(batch, out, h', w')`.
            method conv2d(x: Tensor, kernel: Tensor, padding: Size, stride: Size, dilation: Size, groups: Size) -> Tensor {
                candle: x.conv2d(kernel, padding, stride, dilation, groups)?,
                infer: convolved2d(x, kernel, Sliding { padding, stride, dilation }, groups),
                macs: |out| of_each(out, of_window(kernel.dims())),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 4, 7, 8)), tensor(F32, (6, 4, 3, 2)), Int(1), Int(2), Int(1), Int(1)],
                    [tensor(F64, (1, 4, 5, 5)), tensor(F64, (6, 2, 3, 3)), Int(0), Int(1), Int(2), Int(2)],
                    [tensor(F16, (1, 2, 5, 4)), tensor(F16, (3, 2, 1, 1)), Int(0), Int(1), Int(1), Int(1)],
                    [tensor(F32, (1, 4, 5, 5)), tensor(F32, (6, 3, 3, 3)), Int(0), Int(1), Int(1), Int(1)],
                    [tensor(F32, (1, 4, 5, 5)), tensor(F32, (6, 4, 6, 3)), Int(0), Int(1), Int(1), Int(1)],
                    [tensor(F32, (1, 4, 5, 5)), tensor(F32, (6, 4, 3, 3)), Int(0), Int(0), Int(1), Int(1)],
                    [tensor(F32, (4, 5, 5)), tensor(F32, (6, 4, 3, 3)), Int(0), Int(1), Int(1), Int(1)],
                    [tensor(F32, (1, 4, 5, 5)), tensor(F64, (6, 4, 3, 3)), Int(0), Int(1), Int(1), Int(1)],
                    [tensor(U8, (1, 4, 5, 5)), tensor(U8, (6, 4, 3, 3)), Int(0), Int(1), Int(1), Int(1)],
                ],
            }
            /// A transposed convolution over one dimension.
            /// `(batch, channels, length)` by a kernel of `(channels, out / groups, size)` gives `(batch, out,
            /// length')`.
            method conv_transpose1d(x: Tensor, kernel: Tensor, padding: Size, output_padding: Size, stride: Size, dilation: Size, groups: Size) -> Tensor {
                candle: x.conv_transpose1d(kernel, padding, output_padding, stride, dilation, groups)?,
                infer: transposed1d(x, kernel, output_padding, Sliding { padding, stride, dilation }, groups),
                macs: |_out| of_each(x, of_window(kernel.dims())),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 4, 5)), tensor(F32, (4, 6, 3)), Int(0), Int(0), Int(2), Int(1), Int(1)],
                    [tensor(F32, (2, 4, 5)), tensor(F32, (4, 6, 3)), Int(1), Int(1), Int(2), Int(2), Int(1)],
                    [tensor(F64, (1, 4, 5)), tensor(F64, (4, 3, 2)), Int(0), Int(0), Int(1), Int(1), Int(2)],
                    [tensor(U8, (1, 1, 2)), tensor(U8, (1, 1, 2)), Int(0), Int(1), Int(2), Int(1), Int(1)],
                    [tensor(U8, (1, 1, 2)), tensor(U8, (1, 1, 2)), Int(0), Int(0), Int(2), Int(1), Int(1)],
                    [tensor(F32, (1, 4, 5)), tensor(F32, (3, 6, 3)), Int(0), Int(0), Int(2), Int(1), Int(1)],
                    [tensor(F32, (1, 4, 5)), tensor(F32, (4, 6, 3)), Int(0), Int(0), Int(1), Int(1), Int(3)],
                    [tensor(F32, (1, 4, 2)), tensor(F32, (4, 6, 9)), Int(2), Int(0), Int(1), Int(1), Int(1)],
                    [tensor(F32, (1, 4, 0)), tensor(F32, (4, 6, 3)), Int(0), Int(0), Int(1), Int(1), Int(1)],
                    [tensor(F32, (1, 4, 5)), tensor(F64, (4, 6, 3)), Int(0), Int(0), Int(1), Int(1), Int(1)],
                    [tensor(F32, (4, 5)), tensor(F32, (4, 6, 3)), Int(0), Int(0), Int(1), Int(1), Int(1)],
                ],
            }
            /// A transposed convolution over two dimensions.
            /// `(batch, channels, h, w)` by a kernel of `(channels, out, h, w)` gives `(batch, out, h', w')`.
            method conv_transpose2d(x: Tensor, kernel: Tensor, padding: Size, output_padding: Size, stride: Size, dilation: Size) -> Tensor {
                candle: x.conv_transpose2d(kernel, padding, output_padding, stride, dilation)?,
                infer: transposed2d(x, kernel, output_padding, Sliding { padding, stride, dilation }),
                macs: |_out| of_each(x, of_window(kernel.dims())),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 4, 3, 2)), tensor(F32, (4, 6, 3, 2)), Int(1), Int(1), Int(2), Int(1)],
                    [tensor(F16, (1, 2, 3, 2)), tensor(F16, (2, 3, 2, 2)), Int(0), Int(0), Int(1), Int(2)],
                    [tensor(F32, (1, 2, 2, 2)), tensor(F32, (2, 3, 5, 5)), Int(2), Int(0), Int(1), Int(1)],
                    [tensor(F32, (1, 4, 3, 2)), tensor(F32, (3, 6, 3, 2)), Int(0), Int(0), Int(2), Int(1)],
                    [tensor(F32, (1, 4, 3, 2)), tensor(F32, (4, 6, 1, 1)), Int(2), Int(0), Int(1), Int(1)],
                    [tensor(F32, (1, 4, 3, 0)), tensor(F32, (4, 6, 1, 1)), Int(0), Int(0), Int(1), Int(1)],
                    [tensor(F32, (1, 4, 3, 2)), tensor(F64, (4, 6, 1, 1)), Int(0), Int(0), Int(1), Int(1)],
                    [tensor(F32, (4, 3, 2)), tensor(F32, (4, 6, 1, 1)), Int(0), Int(0), Int(1), Int(1)],
                ],
            }
        }
    };
}
conv!(define);
pub(crate) use conv;
