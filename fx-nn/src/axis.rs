//! Windows and padding along one axis, which pooling, padding and convolutions are made of.
//!
//! Invariant: the other axes are untouched; an extent that would not be positive is refused.

use candle_core::{DType, Device, Result, Tensor, bail};

use crate::twice::twice;

/// How what is beyond an edge is filled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fill {
    /// With a number.
    Constant(f64),
    /// Mirrored at the edge, without the edge itself.
    Reflect,
    /// With the edge.
    Replicate,
    /// From the other side.
    Circular,
}

/// The extent of an axis of `size` with `left` and `right` added; negative ones take away.
pub(crate) fn padded(layer: &str, size: usize, left: i64, right: i64, fill: Fill) -> Result<usize> {
    let signed = i64::try_from(size).unwrap_or(i64::MAX);
    let most = match fill {
        Fill::Reflect => signed - 1,
        Fill::Circular => signed,
        Fill::Replicate if size == 0 => 0,
        Fill::Replicate | Fill::Constant(_) => i64::MAX,
    };
    if left > most || right > most {
        bail!("{layer}: padding ({left}, {right}) should be at most {most} for an axis of {size}");
    }
    // Less than nothing is taken away before anything is added.
    if left.min(0).saturating_add(right.min(0)).saturating_add(signed) < 0 {
        bail!("{layer}: padding ({left}, {right}) takes away more than there is of an axis of {size}");
    }
    match signed.checked_add(left).and_then(|sum| sum.checked_add(right)).map(usize::try_from) {
        Some(Ok(result)) if result > 0 || size == 0 || matches!(fill, Fill::Constant(_)) => Ok(result),
        _ => bail!("{layer}: padding ({left}, {right}) leaves nothing of an axis of {size}"),
    }
}

twice! {
    {}

    /// `x` with `left` and `right` elements added along `axis`; negative numbers take away.
    pub(crate) fn pad(layer: &str, x: &Tensor, axis: usize, left: i64, right: i64, fill: Fill) -> Result<Tensor> {
        if left == 0 && right == 0 {
            return Ok(x.clone());
        }
        let size = x.dim(axis)?;
        let result = padded(layer, size, left, right, fill)?;
        if let Fill::Constant(value) = fill {
            return constant(x, axis, left, right, value);
        }
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        let source = (0..i64::try_from(result).unwrap_or(i64::MAX)).map(|i| {
            let at = i - left;
            let found = match fill {
                Fill::Reflect if at < 0 => -at,
                Fill::Reflect if at >= size => 2 * (size - 1) - at,
                Fill::Circular => at.rem_euclid(size),
                _ => at.clamp(0, size - 1),
            };
            u32::try_from(found).unwrap_or(u32::MAX)
        });
        select(x, axis, source.collect())
    }

    /// `constant` on both sides, or less of the axis.
    pub(crate) fn constant(x: &Tensor, axis: usize, left: i64, right: i64, value: f64) -> Result<Tensor> {
        let size = i64::try_from(x.dim(axis)?).unwrap_or(i64::MAX);
        let start = (-left).clamp(0, size);
        let stop = (size + right.min(0)).clamp(start, size);
        let kept = if stop - start == size { x.clone() } else { x.narrow(axis, to_size(start), to_size(stop - start))? };
        let block = |extent: i64| -> Result<Option<Tensor>> {
            if extent <= 0 {
                return Ok(None);
            }
            let mut dims = x.dims().to_vec();
            dims[axis] = to_size(extent);
            full(&dims, value, x.dtype(), x.device()).map(Some)
        };
        let before = block(left)?;
        let after = if left == right { before.clone() } else { block(right)? };
        let parts: Vec<Tensor> = [before, Some(kept), after].into_iter().flatten().collect();
        match parts.as_slice() {
            [only] => Ok(only.clone()),
            parts => Tensor::cat(parts, axis),
        }
    }

    pub(crate) fn to_size(extent: i64) -> usize {
        usize::try_from(extent).unwrap_or(0)
    }

    /// A tensor of one number.
    pub(crate) fn full(dims: &[usize], value: f64, dtype: DType, device: &Device) -> Result<Tensor> {
        Tensor::full(value, dims, device)?.to_dtype(dtype)
    }

    /// These positions of an axis, in this order.
    pub(crate) fn select(x: &Tensor, axis: usize, positions: Vec<u32>) -> Result<Tensor> {
        let len = positions.len();
        if x.elem_count() == 0 {
            // candle panics.
            let mut dims = x.dims().to_vec();
            dims[axis] = len;
            return Tensor::zeros(dims, x.dtype(), x.device());
        }
        x.contiguous()?.index_select(&Tensor::from_vec(positions, len, x.device())?, axis)
    }

    /// Every `step`-th position of an axis, the first included.
    pub(crate) fn every(x: &Tensor, axis: usize, step: usize) -> Result<Tensor> {
        if step == 1 {
            return Ok(x.clone());
        }
        let size = x.dim(axis)?;
        select(x, axis, (0..size).step_by(step).map(|at| u32::try_from(at).unwrap_or(u32::MAX)).collect())
    }

    /// `step - 1` zeros between the elements of an axis.
    pub(crate) fn spread(x: &Tensor, axis: usize, step: usize) -> Result<Tensor> {
        if step == 1 {
            return Ok(x.clone());
        }
        let size = x.dim(axis)?;
        let wide = x.unsqueeze(axis + 1)?.pad_with_zeros(axis + 1, 0, step - 1)?;
        let mut dims = x.dims().to_vec();
        dims[axis] = size * step;
        wide.reshape(dims)?.narrow(axis, 0, (size * step).saturating_sub(step - 1))
    }

    /// The windows of `axis` in a new axis after it; beyond the ends is `value`.
    pub(crate) fn windows(window: Window, layer: &str, x: &Tensor, axis: usize, value: f64) -> Result<Tensor> {
        let size = x.dim(axis)?;
        let count = window.count(layer, size)?;
        let x = pad(layer, x, axis, window.left(), window.right(count, size), Fill::Constant(value))?;
        let position = |number: usize, element: usize| number * window.stride + element * window.dilation;
        let positions = (0..count).flat_map(|number| (0..window.kernel).map(move |element| (number, element)));
        let positions = positions.map(|(number, element)| u32::try_from(position(number, element)).unwrap_or(u32::MAX));
        let mut dims = x.dims().to_vec();
        dims[axis] = count;
        dims.insert(axis + 1, window.kernel);
        select(&x, axis, positions.collect())?.reshape(dims)
    }
}

/// A window that slides along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    /// How many elements it sees.
    pub(crate) kernel: usize,
    /// By how much it moves.
    pub(crate) stride: usize,
    /// How much is added on both sides.
    pub(crate) padding: usize,
    /// From one element that it sees to the next.
    pub(crate) dilation: usize,
    /// Whether a last window may reach beyond the padding.
    pub(crate) ceil: bool,
}

impl Window {
    /// How many positions of an axis it covers.
    pub(crate) fn span(self) -> usize {
        self.dilation.saturating_mul(self.kernel.saturating_sub(1)).saturating_add(1)
    }

    /// How many windows there are on an axis.
    pub(crate) fn count(self, layer: &str, size: usize) -> Result<usize> {
        let Self { kernel, stride, padding, dilation, ceil } = self;
        if kernel == 0 || stride == 0 || dilation == 0 {
            bail!("{layer}: kernel size {kernel}, stride {stride} and dilation {dilation} should be at least 1");
        }
        let whole = padding.checked_mul(2).and_then(|both| both.checked_add(size));
        // Rounded up, a first window may be larger than the axis by less than a stride.
        let beyond = if ceil { stride - 1 } else { 0 };
        let free = whole.and_then(|whole| whole.checked_add(beyond)?.checked_sub(self.span()));
        let Some(free) = free else {
            bail!("{layer}: a window of {} is larger than an axis of {size} with padding {padding}", self.span());
        };
        let count = free / stride;
        // A window that would start in the padding after the end is left out.
        let last = !ceil || count * stride < size + padding;
        Ok(count + usize::from(last))
    }

    /// The positions of an axis that each of so many windows sees.
    pub(crate) fn positions(self, size: usize, count: usize) -> Vec<Vec<u32>> {
        let at = |window: usize, element: usize| {
            let at = (window * self.stride + element * self.dilation).checked_sub(self.padding)?;
            u32::try_from(at).ok().filter(|_| at < size)
        };
        (0..count).map(|window| (0..self.kernel).filter_map(|element| at(window, element)).collect()).collect()
    }

    /// What is to be added before the axis.
    pub(crate) fn left(self) -> i64 {
        i64::try_from(self.padding).unwrap_or(i64::MAX)
    }

    /// What is to be added after the axis, so that the last window ends there; negative if the axis is longer.
    pub(crate) fn right(self, count: usize, size: usize) -> i64 {
        let end = count.saturating_sub(1).saturating_mul(self.stride).saturating_add(self.span());
        let signed = |extent: usize| i64::try_from(extent).unwrap_or(i64::MAX);
        signed(end) - signed(self.padding) - signed(size)
    }

    /// The bounds of a window on the axis without padding, and its extent with padding.
    pub(crate) fn bounds(self, window: usize, size: usize) -> (std::ops::Range<usize>, usize) {
        let start = window * self.stride;
        let end = (start + self.kernel).min(size + 2 * self.padding);
        let inside = start.saturating_sub(self.padding)..end.saturating_sub(self.padding).min(size);
        (inside, end - start)
    }
}
