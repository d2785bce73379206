//! [`Upsample`]: images of another size.
//!
//! candle resizes in one or two modes and without gradients for some, so each axis is resized by selecting and weighing
//! its positions.
//!
//! Invariant: positions are computed in the precision of the data, as torch does, so that they round alike.

use std::fmt;

use candle_core::{DType, Module, Result, Tensor, bail};

use crate::adaptive::{OutputSize, pool};
use crate::axis::select;
use crate::leaf::leaf;
use crate::options::{float, options, words};
use crate::twice::twice;

words! {
    /// How [`Upsample`] finds values between elements.
    UpsampleMode {
        /// The nearest element before.
        Nearest = "nearest",
        /// The nearest element.
        NearestExact = "nearest-exact",
        /// Between two elements of `(N, C, L)`.
        Linear = "linear",
        /// Between four elements of `(N, C, H, W)`.
        Bilinear = "bilinear",
        /// Cubic, between sixteen elements of `(N, C, H, W)`.
        Bicubic = "bicubic",
        /// Between eight elements of `(N, C, D, H, W)`.
        Trilinear = "trilinear",
        /// The average of all elements that come to stand there.
        Area = "area",
    }
}

options! {
    /// Options of [`Upsample`]: either `size` or `scale_factor`, one number for all spatial dimensions or one for each.
    UpsampleConfig {
        /// The extents of the result.
        size: Option<Vec<usize>> = None,
        /// What extents are multiplied by, rounded down.
        scale_factor: Option<Vec<f64>> = None,
        /// How values between elements are found; nearest by default.
        mode: UpsampleMode = UpsampleMode::Nearest,
        /// Whether the outermost elements stay where they are; false by default. For the linear and cubic modes.
        align_corners: Option<bool> = None,
        /// Whether the scale is that of the rounded extents; false by default.
        recompute_scale_factor: Option<bool> = None,
    }
}

/// `(N, C, L)`, `(N, C, H, W)` or `(N, C, D, H, W)` of another size.
///
/// [torch.nn.Upsample](https://docs.pytorch.org/docs/stable/generated/torch.nn.Upsample.html)
///
/// ```
/// use candle_core::{Device, Module, Tensor};
/// let x = Tensor::new(&[[[1f32, 2.0]]], &Device::Cpu)?;
/// let twice = fx_nn::Upsample::new(fx_nn::UpsampleConfig::default().scale_factor(vec![2.0]))?;
/// assert_eq!(twice.forward(&x)?.to_vec3::<f32>()?, [[[1.0, 1.0, 2.0, 2.0]]]);
/// # Ok::<(), candle_core::Error>(())
/// ```
/// torch's `UpsamplingNearest2d` is this with its defaults, `UpsamplingBilinear2d` with `bilinear` and aligned corners.
#[doc(alias = "UpsamplingNearest2d")]
#[doc(alias = "UpsamplingBilinear2d")]
#[derive(Debug, Clone, PartialEq)]
pub struct Upsample {
    config: UpsampleConfig,
}

/// The positions that make one of the result, with their weights.
type Taps = Vec<(Vec<u32>, Vec<f64>)>;

impl Upsample {
    /// A layer with these options.
    ///
    /// # Errors
    /// When both or neither of size and scale are given, or corners are to be aligned in a mode that has none.
    pub fn new(config: UpsampleConfig) -> Result<Self> {
        if config.size.is_some() == config.scale_factor.is_some() {
            bail!("Upsample: expects either a size or a scale factor");
        }
        if config.scale_factor.iter().flatten().any(|scale| !scale.is_finite() || *scale <= 0.0) {
            bail!("Upsample: scale factors {:?} should be positive", config.scale_factor);
        }
        let unaligned = matches!(config.mode, UpsampleMode::Nearest | UpsampleMode::NearestExact | UpsampleMode::Area);
        if unaligned && config.align_corners.is_some() {
            bail!("Upsample: align_corners is for the linear and cubic modes, not for `{}`", config.mode);
        }
        if config.size.is_some() && config.recompute_scale_factor == Some(true) {
            bail!("Upsample: recompute_scale_factor is for scale factors, not for sizes");
        }
        Ok(Self { config })
    }

    fn shape(&self, dims: &[usize]) -> Result<Vec<usize>> {
        let UpsampleConfig { size, scale_factor, mode, .. } = &self.config;
        let ranks: &[usize] = match mode {
            UpsampleMode::Nearest | UpsampleMode::NearestExact | UpsampleMode::Area => &[3, 4, 5],
            UpsampleMode::Linear => &[3],
            UpsampleMode::Bilinear | UpsampleMode::Bicubic => &[4],
            UpsampleMode::Trilinear => &[5],
        };
        crate::dims::rank("Upsample", dims, ranks, &format!("(N, C, …) of {ranks:?} dimensions in mode `{mode}`"))?;
        let spatial = dims.len() - 2;
        let given = size.as_ref().map(Vec::len).or(scale_factor.as_ref().map(Vec::len)).unwrap_or(0);
        if given != 1 && given != spatial {
            bail!("Upsample: expects one size or scale, or one for each of {spatial} dimensions, but has {given}");
        }
        let mut result = dims.to_vec();
        for (i, extent) in result[2..].iter_mut().enumerate() {
            let found = match (size, scale_factor) {
                (Some(size), _) => size[i.min(given - 1)],
                (None, Some(scale)) => (*extent as f64 * scale[i.min(given - 1)]).floor() as usize,
                (None, None) => *extent,
            };
            if found == 0 || *extent == 0 {
                bail!("Upsample: extents should be at least 1, but {dims:?} becomes {found} in dimension {}", i + 2);
            }
            *extent = found;
        }
        Ok(result)
    }

    /// From a position of the result to one of the input.
    fn scale(&self, i: usize, from: usize, to: usize) -> f64 {
        if self.config.align_corners == Some(true) {
            return if to > 1 { (from - 1) as f64 / (to - 1) as f64 } else { 0.0 };
        }
        match &self.config.scale_factor {
            Some(scale) if self.config.recompute_scale_factor != Some(true) => 1.0 / scale[i.min(scale.len() - 1)],
            _ => from as f64 / to as f64,
        }
    }

    /// Which positions of the input make those of the result.
    fn taps(&self, i: usize, from: usize, to: usize, dtype: DType) -> Taps {
        let round = |value: f64| if dtype == DType::F64 { value } else { f64::from(value as f32) };
        let scale = round(self.scale(i, from, to));
        let aligned = self.config.align_corners == Some(true);
        let half = |at: f64| if aligned { round(scale * at) } else { round(round(scale * (at + 0.5)) - 0.5) };
        let position = |at: i64| u32::try_from(at.clamp(0, from as i64 - 1)).unwrap_or(u32::MAX);
        let count = match self.config.mode {
            UpsampleMode::Nearest | UpsampleMode::NearestExact => 1,
            UpsampleMode::Bicubic => 4,
            _ => 2,
        };
        let mut taps: Taps = vec![(Vec::with_capacity(to), Vec::with_capacity(to)); count];
        for at in 0..to {
            let at = at as f64;
            let found: Vec<(u32, f64)> = match self.config.mode {
                UpsampleMode::Nearest => vec![(position(round(at * scale).floor() as i64), 1.0)],
                UpsampleMode::NearestExact => vec![(position(round((at + 0.5) * scale).floor() as i64), 1.0)],
                UpsampleMode::Bicubic => {
                    let source = half(at);
                    let before = source.floor();
                    let weights = cubic(round(source - before));
                    (0..4).map(|k| (position(before as i64 - 1 + k), weights[k as usize])).collect()
                }
                _ => {
                    // torch copies an axis that keeps its extent, whatever the scale.
                    let source = if from == to { at } else { half(at).max(0.0) };
                    let before = source.floor().min(from as f64 - 1.0);
                    let share = round(source - before).clamp(0.0, 1.0);
                    vec![(position(before as i64), 1.0 - share), (position(before as i64 + 1), share)]
                }
            };
            for (tap, (position, weight)) in taps.iter_mut().zip(found) {
                tap.0.push(position);
                tap.1.push(weight);
            }
        }
        taps
    }
}

/// The weights of four neighbours, at this distance from the second: torch's cubic with `A = -0.75`.
fn cubic(t: f64) -> [f64; 4] {
    const A: f64 = -0.75;
    let near = |x: f64| ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0;
    let far = |x: f64| ((A * x - 5.0 * A) * x + 8.0 * A) * x - 4.0 * A;
    [far(t + 1.0), near(t), near(1.0 - t), far(2.0 - t)]
}

twice! {
    {
        use crate::adaptive::entered::pool;
        use crate::axis::entered::select;
    }

    pub(crate) fn resize(layer: &Upsample, xs: &Tensor) -> Result<Tensor> {
        let dims = layer.shape(xs.dims())?;
        if layer.config.mode == UpsampleMode::Area {
            return match dims[2..] {
                [length] => pool(OutputSize::<1>::from(length), "Upsample", xs, |x, axis| x.mean(axis)),
                [height, width] => pool(OutputSize::from((height, width)), "Upsample", xs, |x, axis| x.mean(axis)),
                [..] => {
                    let sizes = std::array::from_fn(|i| dims.get(2 + i).copied());
                    pool(OutputSize::<3>(sizes), "Upsample", xs, |x, axis| x.mean(axis))
                }
            };
        }
        let mut result = xs.clone();
        for axis in (2..xs.rank()).rev() {
            let (from, to) = (xs.dim(axis)?, dims[axis]);
            let mut sum: Option<Tensor> = None;
            let taps = layer.taps(axis - 2, from, to, xs.dtype());
            let weighed = taps.len() > 1;
            for (positions, weights) in taps {
                let mut part = select(&result, axis, positions)?;
                if weighed {
                    let beside: Vec<usize> = (0..xs.rank()).map(|i| if i == axis { to } else { 1 }).collect();
                    let weights = Tensor::new(weights, xs.device())?.to_dtype(xs.dtype())?.reshape(beside)?;
                    part = part.broadcast_mul(&weights)?;
                }
                sum = Some(match sum {
                    Some(sum) => (sum + part)?,
                    None => part,
                });
            }
            result = sum.unwrap_or(result);
        }
        Ok(result)
    }
}

impl Module for Upsample {
    /// # Errors
    /// When the tensor has another number of dimensions than the mode takes, or nothing would be left of one.
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        resize(self, xs)
    }
}

impl fmt::Display for Upsample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn several<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
            match items {
                [one] => text(one),
                items => crate::options::tuple(&items.iter().map(text).collect::<Vec<_>>()),
            }
        }
        let UpsampleConfig { size, scale_factor, mode, .. } = &self.config;
        f.write_str("Upsample(")?;
        match (size, scale_factor) {
            (Some(size), _) => write!(f, "size={}", several(size, usize::to_string))?,
            (None, scale) => {
                write!(f, "scale_factor={}", several(scale.as_deref().unwrap_or(&[]), |&scale| float(scale)))?
            }
        }
        write!(f, ", mode='{mode}')")
    }
}

leaf! {
    Upsample as "nn.Upsample", forward;
    arguments {}
    config config: UpsampleConfig;
    tensors {}
    make |_vb| Self::new(config);
    shape |layer, x| layer.shape(x.dims());
    through |layer, _scope, x| entered::resize(layer, x);
}
