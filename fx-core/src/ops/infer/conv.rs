//! Rules of convolutions, pooling and interpolation.
//!
//! Invariant: extents are computed as candle does, and refused where candle's own arithmetic would fall below zero,
//! overflow or divide by zero, which is a panic there.

use crate::ops::kind::Pair;
use crate::value::TensorFact;

use super::linalg::multipliable;
use super::{InferError, Inferred, computed, dims, is_empty, one_dtype, refuse, same, shaped};

/// How a kernel moves over a dimension.
///
/// All in elements.
#[derive(Debug, Clone, Copy)]
pub struct Sliding {
    /// Elements added on each side.
    pub padding: usize,
    /// Elements from one place to the next.
    pub stride: usize,
    /// Elements from one element of the kernel to the next.
    pub dilation: usize,
}

impl Sliding {
    /// The number of places in `extent` elements for a kernel of `size`.
    fn places(self, extent: usize, size: usize) -> Result<usize, InferError> {
        let places = || {
            let padded = extent.checked_add(self.padding.checked_mul(2)?)?;
            let kernel = self.dilation.checked_mul(size.checked_sub(1)?)?;
            padded.checked_sub(kernel)?.checked_sub(1)?.checked_div(self.stride)?.checked_add(1)
        };
        places().ok_or_else(|| self.error(extent, size))
    }

    /// The number of elements that a transposed kernel of `size` makes of `extent`. candle takes the padding off
    /// before it adds the kernel in one dimension, and after in two.
    fn spread(self, extent: usize, size: usize, output_padding: usize, early: bool) -> Result<usize, InferError> {
        let spread = || {
            let (before, after) = if early { (self.padding, 0) } else { (0, self.padding) };
            let strides = extent.checked_sub(1)?.checked_mul(self.stride)?.checked_sub(before.checked_mul(2)?)?;
            let kernel = self.dilation.checked_mul(size.checked_sub(1)?)?;
            let sum = strides.checked_add(kernel)?.checked_add(output_padding)?.checked_add(1)?;
            sum.checked_sub(after.checked_mul(2)?)
        };
        spread().ok_or_else(|| self.error(extent, size))
    }

    fn error(self, extent: usize, size: usize) -> InferError {
        InferError(format!("a kernel of {size} does not fit {extent} elements with {self:?}"))
    }
}

/// Refuses groups of channels of an empty batch, on which candle panics.
fn groupable(x: &TensorFact, groups: usize) -> Result<(), InferError> {
    if groups == 0 || (groups > 1 && is_empty(x)) {
        refuse!("cannot take the channels of {x} in {groups} groups");
    }
    Ok(())
}

/// The channels that come out of `groups` of them: what is left over is dropped, as in candle.
fn grouped(x: &TensorFact, kernel: &TensorFact, groups: usize) -> Result<usize, InferError> {
    one_dtype(x, kernel)?;
    multipliable(x)?;
    let (channels, expected, out) = (x.dims()[1], kernel.dims()[1].checked_mul(groups), kernel.dims()[0]);
    groupable(x, groups)?;
    if out == 0 || Some(channels) != expected {
        refuse!("channels of {x} do not suit the kernel {kernel} in {groups} groups");
    }
    Ok(out / groups * groups)
}

/// A convolution over one dimension.
pub fn convolved1d(x: &TensorFact, kernel: &TensorFact, sliding: Sliding, groups: usize) -> Inferred {
    let ([batch, _, extent], [_, _, size]) = (dims(x)?, dims(kernel)?);
    shaped(x, (batch, grouped(x, kernel, groups)?, sliding.places(extent, size)?))
}

/// A convolution over two dimensions. `bf16` is accepted, although candle has no kernel for it on the CPU.
pub fn convolved2d(x: &TensorFact, kernel: &TensorFact, sliding: Sliding, groups: usize) -> Inferred {
    let ([batch, _, h, w], [_, _, kernel_h, kernel_w]) = (dims(x)?, dims(kernel)?);
    let channels = grouped(x, kernel, groups)?;
    shaped(x, (batch, channels, sliding.places(h, kernel_h)?, sliding.places(w, kernel_w)?))
}

/// A transposed convolution over one dimension. candle has a kernel for integers, but not where nothing is padded or
/// dilated, so they are refused there.
pub fn transposed1d(
    x: &TensorFact,
    kernel: &TensorFact,
    output_padding: usize,
    sliding: Sliding,
    groups: usize,
) -> Inferred {
    let ([batch, channels, extent], [kernel_channels, out, size]) = (dims(x)?, dims(kernel)?);
    one_dtype(x, kernel)?;
    computed(x.dtype)?;
    if (sliding.padding, sliding.dilation, output_padding) == (0, 1, 0) {
        multipliable(x)?;
    }
    groupable(x, groups)?;
    if channels != kernel_channels || channels == 0 || channels % groups != 0 {
        refuse!("channels of {x} do not suit the kernel {kernel} in {groups} groups");
    }
    let channels = super::elements(&[out, groups])?;
    shaped(x, (batch, channels, sliding.spread(extent, size, output_padding, true)?))
}

/// A transposed convolution over two dimensions.
pub fn transposed2d(x: &TensorFact, kernel: &TensorFact, output_padding: usize, sliding: Sliding) -> Inferred {
    let ([batch, channels, h, w], [kernel_channels, out, kernel_h, kernel_w]) = (dims(x)?, dims(kernel)?);
    one_dtype(x, kernel)?;
    computed(x.dtype)?;
    if channels != kernel_channels {
        refuse!("channels of {x} do not suit the kernel {kernel}");
    }
    let h = sliding.spread(h, kernel_h, output_padding, false)?;
    let w = sliding.spread(w, kernel_w, output_padding, false)?;
    shaped(x, (batch, out, h, w))
}

/// One element for each place of a window. A window without elements is refused: candle's mean is not a number, and
/// its greatest element is from beyond the row.
pub fn pooled(x: &TensorFact, window: Pair, stride: Pair) -> Inferred {
    let [batch, channels, h, w] = dims(x)?;
    computed(x.dtype)?;
    let places = |extent: usize, window: usize, stride: usize| {
        if window == 0 || window > extent || stride == 0 {
            refuse!("a window of {window} with stride {stride} does not fit {extent} elements of {x}");
        }
        Ok((extent - window) / stride + 1)
    };
    shaped(x, (batch, channels, places(h, window.0, stride.0)?, places(w, window.1, stride.1)?))
}

/// The longest list of positions and weights that fits in memory, which candle makes for each extent.
const LONGEST: usize = isize::MAX as usize / 24;

/// The last dimension, of three, brought to another extent.
pub fn interpolated1d(x: &TensorFact, extent: usize) -> Inferred {
    let [batch, channels, from] = dims(x)?;
    computed(x.dtype)?;
    if (from == 0 && extent > 0) || extent > LONGEST {
        refuse!("cannot interpolate {x} to {extent}");
    }
    shaped(x, (batch, channels, extent))
}

/// The last two dimensions, of four, brought to other extents.
pub fn interpolated2d(x: &TensorFact, h: usize, w: usize) -> Inferred {
    let [batch, channels, from_h, from_w] = dims(x)?;
    computed(x.dtype)?;
    if (from_h == 0 && h > 0) || (from_w == 0 && w > 0) || h.max(w) > LONGEST {
        refuse!("cannot interpolate {x} to {h} and {w}");
    }
    shaped(x, (batch, channels, h, w))
}

/// The last two dimensions, of four, multiplied and rounded down.
pub fn scaled2d(x: &TensorFact, scale_h: f64, scale_w: f64) -> Inferred {
    let [_, _, h, w] = dims(x)?;
    let scaled = |extent: usize, scale: f64| (extent as f64 * scale).floor() as usize;
    let (new_h, new_w) = (scaled(h, scale_h), scaled(w, scale_w));
    if (h, w) == (new_h, new_w) { same(x) } else { interpolated2d(x, new_h, new_w) }
}
