//! Power averages of windows: [`LPPool1d`], and the same in two and three dimensions.
//!
//! Invariant: windows are those of [`AvgPool`], which sums them up.

use std::fmt;

use candle_core::{Module, Result, Tensor, bail};

use crate::leaf::leaf;
use crate::options::{Size, flag, float, options};
use crate::pool::{AvgPool, AvgPoolConfig, Sizes, average, numbered};
use crate::twice::twice;

options! {
    /// Options of [`LPPool1d`] and its kind.
    LPPoolConfig[const N] {
        /// By how much the window moves; its size by default.
        stride: Option<Size<N>> = None,
        /// Whether a last window may reach beyond the end; false by default.
        ceil_mode: bool = false,
    }
}

/// `(∑ x^p)^(1/p)` of each window over `N` dimensions; see [`LPPool2d`].
///
/// `(N, C, …)` or `(C, …)`; an extent `L` becomes `⌊(L − kernel_size) / stride⌋ + 1`, with `ceil_mode` rounded up. A last
/// window that reaches beyond the end counts as a whole one of the same average.
///
/// [torch.nn.LPPool2d](https://docs.pytorch.org/docs/stable/generated/torch.nn.LPPool2d.html)
///
/// ```
/// use candle_core::{Device, Module, Tensor};
/// let x = Tensor::new(&[[[3f32, 4.0, 6.0, 8.0]]], &Device::Cpu)?;
/// let pool = fx_nn::LPPool1d::new(2.0, 2, Default::default())?;
/// assert_eq!(pool.forward(&x)?.to_vec3::<f32>()?, [[[5.0, 10.0]]]);
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LPPool<const N: usize> {
    norm_type: f64,
    kernel_size: Size<N>,
    config: LPPoolConfig<N>,
    sums: AvgPool<N>,
}

/// Power averages of windows over the last dimension.
pub type LPPool1d = LPPool<1>;
/// Power averages of windows over the last two dimensions.
pub type LPPool2d = LPPool<2>;
/// Power averages of windows over the last three dimensions.
pub type LPPool3d = LPPool<3>;

impl<const N: usize> LPPool<N> {
    const NAME: &'static str = numbered!("LPPool", N);

    /// A layer of this power and this window.
    ///
    /// # Errors
    /// When a size or the power is zero.
    pub fn new(norm_type: f64, kernel_size: impl Into<Size<N>>, config: LPPoolConfig<N>) -> Result<Self> {
        let kernel_size = kernel_size.into();
        if norm_type == 0.0 || !norm_type.is_finite() {
            bail!("{}: the power {norm_type} should be a number other than zero", &Self::NAME[3..]);
        }
        let averages = AvgPoolConfig { stride: config.stride, ceil_mode: config.ceil_mode, ..AvgPoolConfig::default() };
        Ok(Self { norm_type, kernel_size, sums: AvgPool::new(kernel_size, averages)?, config })
    }
}

twice! {
    {
        use crate::pool::entered::average;
    }

    /// What [`LPPool`] computes.
    pub(crate) fn powers<const N: usize>(layer: &LPPool<N>, xs: &Tensor) -> Result<Tensor> {
        let averages = average(&layer.sums, &xs.powf(layer.norm_type)?)?;
        let count = layer.kernel_size.0.iter().product::<usize>() as f64;
        averages.affine(count, 0.0)?.powf(1.0 / layer.norm_type)
    }
}

impl<const N: usize> Module for LPPool<N> {
    /// # Errors
    /// When the tensor has another number of dimensions or is smaller than the window.
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        powers(self, xs)
    }
}

impl<const N: usize> fmt::Display for LPPool<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stride = self.config.stride.map_or_else(|| "None".to_owned(), |stride| Sizes(stride).to_string());
        let (norm, kernel, ceil) = (float(self.norm_type), Sizes(self.kernel_size), flag(self.config.ceil_mode));
        let name = &Self::NAME[3..];
        write!(f, "{name}(norm_type={norm}, kernel_size={kernel}, stride={stride}, ceil_mode={ceil})")
    }
}

leaf! {
    const N => LPPool<N> as Self::NAME, forward;
    arguments { norm_type: f64, kernel_size: Size<N> }
    config config: LPPoolConfig<N>;
    tensors {}
    make |_vb| Self::new(norm_type, kernel_size, config);
    shape |layer, x| layer.sums.shape(x.dims());
    through |layer, _scope, x| entered::powers(layer, x);
}
