//! Pooling and interpolation.
//!
//! An extent `n` under a window of `k` becomes `(n - k) / stride + 1`; what does not fill a window is left out.
//!
//! Invariant: as of all operations, in [`super::infer`].

use candle_core::DType::{BF16, F16, F32, F64, U8};

use crate::value::Value::{Bool, Float, Int};

use super::infer::conv::{interpolated1d, interpolated2d, pooled, scaled2d};
use super::sample::{ints, tensor};

macro_rules! pool {
    ($with:ident) => {
        $with! { pool:
            /// The mean of each window; the windows do not overlap.
            /// Of `(batch, channels, h, w)`.
            method avg_pool2d(x: Tensor, sz: Pair) -> Tensor {
                candle: x.avg_pool2d(sz)?,
                infer: pooled(x, sz, sz),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 6, 7)), Int(2)], [tensor(F16, (1, 3, 6, 7)), ints(&[3, 2])],
                    [tensor(U8, (1, 1, 2, 2)), Int(1)], [tensor(F32, (2, 6, 7)), Int(2)],
                    [tensor(F32, (1, 3, 4, 4)), Int(5)], [tensor(F32, (1, 3, 4, 4)), ints(&[0, 1])],
                ],
            }
            /// The mean of each window.
            /// Of `(batch, channels, h, w)`; windows begin `stride` after each other.
            method avg_pool2d_with_stride(x: Tensor, kernel_size: Pair, stride: Pair) -> Tensor {
                candle: x.avg_pool2d_with_stride(kernel_size, stride)?,
                infer: pooled(x, kernel_size, stride),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 6, 7)), Int(3), Int(2)],
                    [tensor(F64, (1, 3, 6, 7)), ints(&[3, 2]), ints(&[1, 2])],
                    [tensor(F32, (1, 3, 4, 4)), Int(2), Int(0)], [tensor(F32, (1, 3, 4, 4)), Int(5), Int(1)],
                    [tensor(F32, (3, 4, 4)), Int(2), Int(1)],
                ],
            }
            /// The greatest element of each window; the windows do not overlap.
            /// Of `(batch, channels, h, w)`.
            method max_pool2d(x: Tensor, sz: Pair) -> Tensor {
                candle: x.max_pool2d(sz)?,
                infer: pooled(x, sz, sz),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 6, 7)), Int(2)], [tensor(F16, (1, 3, 6, 7)), ints(&[3, 2])],
                    [tensor(U8, (1, 1, 2, 2)), Int(1)], [tensor(F32, (2, 6, 7)), Int(2)],
                    [tensor(F32, (1, 3, 4, 4)), Int(5)], [tensor(F32, (1, 3, 4, 4)), ints(&[0, 1])],
                ],
            }
            /// The greatest element of each window.
            /// Of `(batch, channels, h, w)`; windows begin `stride` after each other.
            method max_pool2d_with_stride(x: Tensor, kernel_size: Pair, stride: Pair) -> Tensor {
                candle: x.max_pool2d_with_stride(kernel_size, stride)?,
                infer: pooled(x, kernel_size, stride),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 6, 7)), Int(3), Int(2)],
                    [tensor(F64, (1, 3, 6, 7)), ints(&[3, 2]), ints(&[1, 2])],
                    [tensor(F32, (1, 3, 4, 4)), Int(2), Int(0)], [tensor(F32, (1, 3, 4, 4)), Int(5), Int(1)],
                    [tensor(F32, (3, 4, 4)), Int(2), Int(1)],
                ],
            }
            /// The last dimension brought to another extent by taking the nearest elements.
            /// Of `(batch, channels, length)`.
            method interpolate1d(x: Tensor, target_size: Size) -> Tensor {
                candle: x.interpolate1d(target_size)?,
                infer: interpolated1d(x, target_size),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(7)], [tensor(U8, (2, 3, 4)), Int(2)],
                    [tensor(F32, (2, 3, 4)), Int(0)], [tensor(F32, (3, 4)), Int(2)], [tensor(F32, (2, 3, 0)), Int(2)],
                ],
            }
            /// The last dimension brought to another extent by taking the nearest elements.
            /// Of `(batch, channels, length)`.
            method upsample_nearest1d(x: Tensor, target_size: Size) -> Tensor {
                candle: x.upsample_nearest1d(target_size)?,
                infer: interpolated1d(x, target_size),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4)), Int(7)], [tensor(U8, (2, 3, 4)), Int(2)],
                    [tensor(F32, (2, 3, 4)), Int(0)], [tensor(F32, (3, 4)), Int(2)], [tensor(F32, (2, 3, 0)), Int(2)],
                ],
            }
            /// The last two dimensions brought to other extents by taking the nearest elements.
            /// Of `(batch, channels, h, w)`.
            method interpolate2d(x: Tensor, target_h: Size, target_w: Size) -> Tensor {
                candle: x.interpolate2d(target_h, target_w)?,
                infer: interpolated2d(x, target_h, target_w),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4, 5)), Int(7), Int(8)], [tensor(BF16, (1, 1, 4, 5)), Int(2), Int(2)],
                    [tensor(F32, (3, 4, 5)), Int(2), Int(2)], [tensor(F32, (1, 1, 0, 5)), Int(2), Int(2)],
                ],
            }
            /// The last two dimensions brought to other extents by taking the nearest elements.
            /// Of `(batch, channels, h, w)`.
            method upsample_nearest2d(x: Tensor, target_h: Size, target_w: Size) -> Tensor {
                candle: x.upsample_nearest2d(target_h, target_w)?,
                infer: interpolated2d(x, target_h, target_w),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4, 5)), Int(7), Int(8)], [tensor(BF16, (1, 1, 4, 5)), Int(2), Int(2)],
                    [tensor(F32, (3, 4, 5)), Int(2), Int(2)], [tensor(F32, (1, 1, 0, 5)), Int(2), Int(2)],
                ],
            }
            /// The last two dimensions brought to other extents by weighing four elements each.
            /// Of `(batch, channels, h, w)`.
            method upsample_bilinear2d(x: Tensor, target_h: Size, target_w: Size, align_corners: Flag) -> Tensor {
                candle: x.upsample_bilinear2d(target_h, target_w, align_corners)?,
                infer: interpolated2d(x, target_h, target_w),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4, 5)), Int(7), Int(8), Bool(true)],
                    [tensor(F16, (1, 1, 4, 5)), Int(4), Int(5), Bool(false)],
                    [tensor(F32, (1, 1, 4, 5)), Int(1), Int(0), Bool(true)],
                    [tensor(F32, (3, 4, 5)), Int(2), Int(2), Bool(false)],
                    [tensor(F32, (1, 1, 4, 0)), Int(2), Int(2), Bool(false)],
                ],
            }
            /// The last two dimensions scaled by weighing four elements each.
            /// Of `(batch, channels, h, w)`; extents are rounded down.
            method upsample_bilinear2d_with_scale(x: Tensor, scale_h: Float, scale_w: Float, align_corners: Flag) -> Tensor {
                candle: x.upsample_bilinear2d_with_scale(scale_h, scale_w, align_corners)?,
                infer: scaled2d(x, scale_h, scale_w),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3, 4, 5)), Float(1.5), Float(2.0), Bool(true)],
                    [tensor(F64, (1, 1, 4, 5)), Float(0.5), Int(1), Bool(false)],
                    [tensor(F32, (1, 1, 4, 5)), Int(1), Int(1), Bool(false)],
                    [tensor(F32, (3, 4, 5)), Int(2), Int(2), Bool(false)],
                    [tensor(F32, (1, 1, 4, 5)), Float(1e30), Float(1e30), Bool(false)],
                ],
            }
        }
    };
}
pool!(define);
pub(crate) use pool;
