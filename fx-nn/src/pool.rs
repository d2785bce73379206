//! Pooling with a sliding window: [`MaxPool1d`], [`AvgPool1d`], and the same in two and three dimensions.
//!
//! Invariant: greatest values and sums over a box are taken along one axis after the other.

use std::fmt;

use candle_core::{Module, Result, Tensor, bail};

use crate::axis::{Fill, Window, pad, windows};
use crate::dims::channels;
use crate::leaf::leaf;
use crate::options::{Size, flag, options};
use crate::pool_indices::indices;
use crate::twice::twice;

options! {
    /// Options of [`MaxPool1d`] and its kind.
    MaxPoolConfig[const N] {
        /// By how much the window moves; its size by default.
        stride: Option<Size<N>> = None,
        /// How much is added on both sides, of what is never the greatest; nothing by default.
        padding: Size<N> = Size([0; N]),
        /// From one element that the window sees to the next; 1 by default.
        dilation: Size<N> = Size([1; N]),
        /// Whether a last window may reach beyond the padding; false by default.
        ceil_mode: bool = false,
    }
}

options! {
    /// Options of [`AvgPool1d`] and its kind.
    AvgPoolConfig[const N] {
        /// By how much the window moves; its size by default.
        stride: Option<Size<N>> = None,
        /// How many zeros are added on both sides; none by default.
        padding: Size<N> = Size([0; N]),
        /// Whether a last window may reach beyond the padding; false by default.
        ceil_mode: bool = false,
        /// Whether the zeros of the padding count; true by default.
        count_include_pad: bool = true,
        /// What sums are divided by, instead of the number of elements. torch has it in two and three dimensions.
        divisor_override: Option<usize> = None,
    }
}

/// The greatest value in each window over `N` dimensions; see [`MaxPool2d`].
///
/// `(N, C, …)` or `(C, …)`; an extent `L` becomes
/// `⌊(L + 2·padding − dilation·(kernel_size − 1) − 1) / stride⌋ + 1`, with `ceil_mode` rounded up.
///
/// [torch.nn.MaxPool2d](https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxPool2d.html)
///
/// ```
/// use candle_core::{Device, Module, Tensor};
/// use fx_nn::{MaxPool2d, MaxPoolConfig};
///
/// let x = Tensor::arange(0f32, 49f32, &Device::Cpu)?.reshape((1, 1, 7, 7))?;
/// let pool = MaxPool2d::new(3, MaxPoolConfig::default().stride(fx_nn::Size([2, 2])).padding(1))?;
/// assert_eq!(pool.forward(&x)?.dims(), [1, 1, 4, 4]);
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MaxPool<const N: usize> {
    kernel_size: Size<N>,
    config: MaxPoolConfig<N>,
}

/// The greatest value in each window over the last dimension.
pub type MaxPool1d = MaxPool<1>;
/// The greatest value in each window over the last two dimensions.
pub type MaxPool2d = MaxPool<2>;
/// The greatest value in each window over the last three dimensions.
pub type MaxPool3d = MaxPool<3>;

/// The average in each window over `N` dimensions; see [`AvgPool2d`].
///
/// `(N, C, …)` or `(C, …)`; an extent `L` becomes `⌊(L + 2·padding − kernel_size) / stride⌋ + 1`, with `ceil_mode`
/// rounded up.
///
/// [torch.nn.AvgPool2d](https://docs.pytorch.org/docs/stable/generated/torch.nn.AvgPool2d.html)
#[derive(Debug, Clone, PartialEq)]
pub struct AvgPool<const N: usize> {
    kernel_size: Size<N>,
    config: AvgPoolConfig<N>,
}

/// The average in each window over the last dimension.
pub type AvgPool1d = AvgPool<1>;
/// The average in each window over the last two dimensions.
pub type AvgPool2d = AvgPool<2>;
/// The average in each window over the last three dimensions.
pub type AvgPool3d = AvgPool<3>;

/// A name with its number of dimensions.
macro_rules! numbered {
    ($name:literal, $n:expr) => {
        match $n {
            1 => concat!("nn.", $name, "1d"),
            2 => concat!("nn.", $name, "2d"),
            _ => concat!("nn.", $name, "3d"),
        }
    };
}
pub(crate) use numbered;

/// The shape after windows of each spatial dimension.
fn shape<const N: usize>(layer: &str, dims: &[usize], window: impl Fn(usize) -> Window) -> Result<Vec<usize>> {
    let at = channels(layer, dims, N)?;
    let mut result = dims.to_vec();
    for i in 0..N {
        let size = &mut result[at + 1 + i];
        if *size == 0 {
            bail!("{layer}: a tensor of shape {dims:?} has an empty axis");
        }
        *size = window(i).count(layer, *size)?;
    }
    Ok(result)
}

/// Refuses windows that torch refuses.
fn check<const N: usize>(layer: &str, kernel: Size<N>, stride: Size<N>, padding: Size<N>) -> Result<()> {
    if kernel.0.contains(&0) || stride.0.contains(&0) {
        bail!("{layer}: kernel size {kernel} and stride {stride} should be at least 1");
    }
    if (0..N).any(|i| padding.0[i] > kernel.0[i] / 2) {
        bail!("{layer}: padding {padding} should be at most half of the kernel size {kernel}");
    }
    Ok(())
}

impl<const N: usize> MaxPool<N> {
    const NAME: &'static str = numbered!("MaxPool", N);

    /// A layer with this window.
    ///
    /// # Errors
    /// When a size is zero or the padding is more than half of the window.
    pub fn new(kernel_size: impl Into<Size<N>>, config: MaxPoolConfig<N>) -> Result<Self> {
        let kernel_size = kernel_size.into();
        check(&Self::NAME[3..], kernel_size, config.stride.unwrap_or(kernel_size), config.padding)?;
        if config.dilation.0.contains(&0) {
            bail!("{}: dilation {} should be at least 1", &Self::NAME[3..], config.dilation);
        }
        Ok(Self { kernel_size, config })
    }

    fn window(&self, i: usize) -> Window {
        let MaxPoolConfig { stride, padding, dilation, ceil_mode } = &self.config;
        let stride = stride.unwrap_or(self.kernel_size).0[i];
        let (padding, dilation) = (padding.0[i], dilation.0[i]);
        Window { kernel: self.kernel_size.0[i], stride, padding, dilation, ceil: *ceil_mode }
    }

    fn shape(&self, dims: &[usize]) -> Result<Vec<usize>> {
        shape::<N>(&Self::NAME[3..], dims, |i| self.window(i))
    }
}

twice! {
    {
        use crate::axis::entered::{pad, windows};
    }

    pub(crate) fn greatest<const N: usize>(layer: &MaxPool<N>, xs: &Tensor) -> Result<Tensor> {
        let name = &<MaxPool<N>>::NAME[3..];
        let dims = layer.shape(xs.dims())?;
        let plain = layer.config.padding.0 == [0; N] && layer.config.dilation.0 == [1; N] && !layer.config.ceil_mode;
        if N == 2 && plain {
            return of_planes(layer, xs)?.reshape(dims);
        }
        let mut result = xs.clone();
        for i in (0..N).rev() {
            let axis = xs.rank() - N + i;
            result = windows(layer.window(i), name, &result, axis, f64::NEG_INFINITY)?.max(axis + 1)?;
        }
        Ok(result)
    }

    /// The same in the fewest steps, by which programs are written: candle's window, over what is never the greatest beyond
    /// the ends. It has no gradient where windows overlap.
    #[allow(dead_code, reason = "a layer that runs has a gradient")]
    pub(crate) fn greatest_at_once<const N: usize>(layer: &MaxPool<N>, xs: &Tensor) -> Result<Tensor> {
        if N != 2 || layer.config.dilation.0 != [1; N] {
            return greatest(layer, xs);
        }
        let dims = layer.shape(xs.dims())?;
        let mut padded = xs.clone();
        for i in (0..N).rev() {
            let (axis, window) = (xs.rank() - N + i, layer.window(i));
            let right = window.right(dims[axis], xs.dim(axis)?).max(0);
            let beyond = Fill::Constant(f64::NEG_INFINITY);
            padded = pad(&<MaxPool<N>>::NAME[3..], &padded, axis, window.left(), right, beyond)?;
        }
        let pooled = of_planes(layer, &padded)?;
        if xs.rank() == 4 { Ok(pooled) } else { pooled.reshape(dims) }
    }

    /// candle's window over each plane of the last two axes.
    fn of_planes<const N: usize>(layer: &MaxPool<N>, xs: &Tensor) -> Result<Tensor> {
        let [kernel, stride] = [layer.kernel_size, layer.config.stride.unwrap_or(layer.kernel_size)];
        let pair = |size: Size<N>| (size.0[0], size.0[N - 1]);
        if xs.rank() == 4 {
            return xs.max_pool2d_with_stride(pair(kernel), pair(stride));
        }
        let (height, width) = (xs.dim(xs.rank() - 2)?, xs.dim(xs.rank() - 1)?);
        xs.contiguous()?.reshape(((), 1, height, width))?.max_pool2d_with_stride(pair(kernel), pair(stride))
    }

    pub(crate) fn average<const N: usize>(layer: &AvgPool<N>, xs: &Tensor) -> Result<Tensor> {
        let name = &<AvgPool<N>>::NAME[3..];
        let dims = layer.shape(xs.dims())?;
        let mut result = xs.clone();
        for i in (0..N).rev() {
            let axis = xs.rank() - N + i;
            result = windows(layer.window(i), name, &result, axis, 0.0)?.sum(axis + 1)?;
            if layer.config.divisor_override.is_none() {
                let counts = layer.counts(i, xs.dim(axis)?, dims[axis]);
                let mut beside = vec![1; xs.rank()];
                beside[axis] = counts.len();
                let counts = Tensor::new(counts, xs.device())?.to_dtype(xs.dtype())?.reshape(beside)?;
                result = result.broadcast_div(&counts)?;
            }
        }
        match layer.config.divisor_override {
            Some(divisor) => result / divisor as f64,
            None => Ok(result),
        }
    }
}

impl<const N: usize> Module for MaxPool<N> {
    /// # Errors
    /// When the tensor has another number of dimensions or is smaller than the window.
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        greatest(self, xs)
    }
}

impl<const N: usize> fmt::Display for MaxPool<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MaxPoolConfig { stride, padding, dilation, ceil_mode } = &self.config;
        let stride = stride.unwrap_or(self.kernel_size);
        let (name, kernel) = (&Self::NAME[3..], Sizes(self.kernel_size));
        let (stride, padding, dilation, ceil) = (Sizes(stride), Sizes(*padding), Sizes(*dilation), flag(*ceil_mode));
        write!(
            f,
            "{name}(kernel_size={kernel}, stride={stride}, padding={padding}, dilation={dilation}, ceil_mode={ceil})"
        )
    }
}

leaf! {
    const N => MaxPool<N> as Self::NAME, indexed;
    arguments { kernel_size: Size<N> }
    config config: MaxPoolConfig<N>;
    tensors {}
    make |_vb| Self::new(kernel_size, config);
    shape |layer, x| layer.shape(x.dims());
    through |layer, _scope, x| entered::greatest(layer, x);
    through_all |layer, _scope, all| match all {
        [x] => entered::greatest_at_once(layer, x),
        several => bail!("{} is called on one tensor, not on {}", Self::NAME, several.len()),
    };
}

indices! {
    MaxPool, "MaxPool", |state| Self::new(state.option::<Size<N>>("kernel_size")?, MaxPoolConfig::restored(state)?);
    |layer, x| {
        let dims = layer.shape(x)?;
        (0..N).map(|i| layer.window(i).positions(x[x.len() - N + i], dims[x.len() - N + i])).collect()
    };
}

impl<const N: usize> AvgPool<N> {
    const NAME: &'static str = numbered!("AvgPool", N);

    /// A layer with this window.
    ///
    /// # Errors
    /// When a size or the divisor is zero or the padding is more than half of the window.
    pub fn new(kernel_size: impl Into<Size<N>>, config: AvgPoolConfig<N>) -> Result<Self> {
        let kernel_size = kernel_size.into();
        check(&Self::NAME[3..], kernel_size, config.stride.unwrap_or(kernel_size), config.padding)?;
        if config.divisor_override == Some(0) {
            bail!("{}: the divisor should not be zero", &Self::NAME[3..]);
        }
        Ok(Self { kernel_size, config })
    }

    fn window(&self, i: usize) -> Window {
        let AvgPoolConfig { stride, padding, ceil_mode, .. } = &self.config;
        let stride = stride.unwrap_or(self.kernel_size).0[i];
        Window { kernel: self.kernel_size.0[i], stride, padding: padding.0[i], dilation: 1, ceil: *ceil_mode }
    }

    pub(crate) fn shape(&self, dims: &[usize]) -> Result<Vec<usize>> {
        shape::<N>(&Self::NAME[3..], dims, |i| self.window(i))
    }

    /// How many elements of an axis count in each window.
    fn counts(&self, i: usize, size: usize, windows: usize) -> Vec<f64> {
        let count = |at| {
            let (inside, whole) = self.window(i).bounds(at, size);
            if self.config.count_include_pad { whole } else { inside.len() }
        };
        (0..windows).map(|at| count(at) as f64).collect()
    }
}

impl<const N: usize> Module for AvgPool<N> {
    /// # Errors
    /// When the tensor has another number of dimensions or is smaller than the window.
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        average(self, xs)
    }
}

impl<const N: usize> fmt::Display for AvgPool<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AvgPoolConfig { stride, padding, .. } = &self.config;
        let (name, stride) = (&Self::NAME[3..], stride.unwrap_or(self.kernel_size));
        if N == 1 {
            return write!(f, "{name}(kernel_size={}, stride={stride}, padding={padding})", self.kernel_size);
        }
        let (kernel, stride, padding) = (Sizes(self.kernel_size), Sizes(stride), Sizes(*padding));
        write!(f, "{name}(kernel_size={kernel}, stride={stride}, padding={padding})")
    }
}

leaf! {
    const N => AvgPool<N> as Self::NAME, forward;
    arguments { kernel_size: Size<N> }
    config config: AvgPoolConfig<N>;
    tensors {}
    make |_vb| Self::new(kernel_size, config);
    shape |layer, x| layer.shape(x.dims());
    through |layer, _scope, x| entered::average(layer, x);
}

/// Sizes as somebody would write them: one number if all are alike.
pub(crate) struct Sizes<const N: usize>(pub(crate) Size<N>);

impl<const N: usize> fmt::Display for Sizes<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.0.as_slice() {
            [first, others @ ..] if others.iter().all(|other| other == first) => first.fmt(f),
            _ => self.0.fmt(f),
        }
    }
}
