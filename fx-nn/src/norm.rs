//! Normalisation by the sample's own statistics: [`LayerNorm`], [`RMSNorm`], [`GroupNorm`], [`LocalResponseNorm`].
//!
//! Invariant: variances are those of the whole (divided by the number of elements), as in torch.

use std::fmt;

use candle_core::{DType, Module, Result, Tensor, bail};
use candle_nn::{Init, VarBuilder};

use crate::dims::{extent, floats, rank};
use crate::leaf::leaf;
use crate::options::{flag, float, options, tuple};
use crate::twice::{maybe, twice};

twice! {
    {}

    /// `x` less its mean, divided by `√(variance + eps)`, along the last dimension.
    pub(crate) fn standardize(x: &Tensor, eps: f64) -> Result<Tensor> {
        let centred = x.broadcast_sub(&x.mean_keepdim(candle_core::D::Minus1)?)?;
        let variance = centred.sqr()?.mean_keepdim(candle_core::D::Minus1)?;
        centred.broadcast_div(&(variance + eps)?.sqrt()?)
    }

    /// Scaled and shifted by tensors that broadcast.
    pub(crate) fn affine(x: Tensor, weight: Option<&Tensor>, bias: Option<&Tensor>, dims: &[usize]) -> Result<Tensor> {
        let x = match weight {
            Some(weight) => x.broadcast_mul(&weight.reshape(dims)?)?,
            None => x,
        };
        match bias {
            Some(bias) => x.broadcast_add(&bias.reshape(dims)?),
            None => Ok(x),
        }
    }

    /// Computes in f32 where a dtype is shorter.
    pub(crate) fn widely(x: &Tensor, compute: impl Fn(&Tensor) -> Result<Tensor>) -> Result<Tensor> {
        match x.dtype() {
            DType::F16 | DType::BF16 => compute(&x.to_dtype(DType::F32)?)?.to_dtype(x.dtype()),
            _ => compute(x),
        }
    }

    /// A [`LayerNorm`] of these tensors.
    pub(crate) fn layer_norm(
        layer: &LayerNorm,
        weight: Option<&Tensor>,
        bias: Option<&Tensor>,
        xs: &Tensor,
    ) -> Result<Tensor> {
        trailing("LayerNorm", xs.dims(), &layer.normalized_shape)?;
        let width: usize = layer.normalized_shape.iter().product();
        let rows = xs.contiguous()?.reshape(((), width))?;
        let flat = |tensor: &Tensor| tensor.reshape(width)?.contiguous();
        let result = match (weight, bias) {
            // candle's kernel takes the difference of two sums, which loses digits where the mean is far from zero.
            (Some(weight), Some(bias)) if rows.dtype() == DType::F32 => {
                let centred = rows.broadcast_sub(&rows.mean_keepdim(1)?)?;
                candle_nn::ops::layer_norm(&centred, &flat(weight)?, &flat(bias)?, layer.config.eps as f32)?
            }
            (weight, bias) => {
                let normalized = widely(&rows, |rows| standardize(rows, layer.config.eps))?;
                affine(normalized, weight, bias, &[1, width])?
            }
        };
        result.reshape(xs.shape())
    }

    pub(crate) fn rms_norm(layer: &RMSNorm, weight: Option<&Tensor>, xs: &Tensor) -> Result<Tensor> {
        trailing("RMSNorm", xs.dims(), &layer.normalized_shape)?;
        let width: usize = layer.normalized_shape.iter().product();
        let eps = layer.config.eps.unwrap_or_else(|| epsilon(xs.dtype()));
        let normalized = widely(&xs.reshape(((), width))?, |rows| {
            rows.broadcast_div(&(rows.sqr()?.mean_keepdim(1)? + eps)?.sqrt()?)
        })?;
        affine(normalized, weight, None, &[1, width])?.reshape(xs.shape())
    }

    pub(crate) fn group_norm(
        layer: &GroupNorm,
        weight: Option<&Tensor>,
        bias: Option<&Tensor>,
        xs: &Tensor,
    ) -> Result<Tensor> {
        layer.shape(xs.dims())?;
        let width: usize = xs.dims()[2..].iter().product::<usize>() * (layer.num_channels / layer.num_groups);
        let groups = xs.contiguous()?.reshape((xs.dim(0)? * layer.num_groups, width))?;
        let normalized = widely(&groups, |groups| standardize(groups, layer.config.eps))?.reshape(xs.shape())?;
        let dims: Vec<usize> = (0..xs.rank()).map(|i| if i == 1 { layer.num_channels } else { 1 }).collect();
        affine(normalized, weight, bias, &dims)
    }

    pub(crate) fn local_response_norm(layer: &LocalResponseNorm, xs: &Tensor) -> Result<Tensor> {
        LocalResponseNorm::shape(xs.dims())?;
        let LocalResponseNormConfig { alpha, beta, k } = layer.config;
        // Half of the neighbours stand before a channel, the greater half of an even size too.
        let padded = xs.sqr()?.pad_with_zeros(1, layer.size / 2, (layer.size - 1) / 2)?;
        let channels = xs.dim(1)?;
        let mut sum = padded.narrow(1, 0, channels)?;
        for offset in 1..layer.size {
            sum = (sum + padded.narrow(1, offset, channels)?)?;
        }
        xs / sum.affine(alpha / layer.size as f64, k)?.powf(beta)?
    }
}

/// The last dimensions, which are normalised together.
fn trailing(layer: &str, dims: &[usize], normalized: &[usize]) -> Result<()> {
    if normalized.is_empty() || !dims.ends_with(normalized) {
        bail!("{layer}: expects a tensor of (…, {normalized:?}), but is given one of shape {dims:?}");
    }
    Ok(())
}

options! {
    /// Options of [`LayerNorm`].
    LayerNormConfig {
        /// Added to the variance; 1e-5 by default.
        eps: f64 = 1e-5,
        /// Whether each element is scaled and shifted; true by default.
        elementwise_affine: bool = true,
        /// Whether each element is shifted, if it is scaled; true by default.
        bias: bool = true,
    }
}

/// `(x − mean) / √(variance + eps) · weight + bias` over the last dimensions.
///
/// State: `weight` of ones and `bias` of zeros, both of `normalized_shape`.
///
/// [torch.nn.LayerNorm](https://docs.pytorch.org/docs/stable/generated/torch.nn.LayerNorm.html)
///
/// ```
/// use candle_core::{DType, Device, Module, Tensor};
/// use candle_nn::{VarBuilder, VarMap};
///
/// let vb = VarBuilder::from_varmap(&VarMap::new(), DType::F32, &Device::Cpu);
/// let norm = fx_nn::LayerNorm::new([2], Default::default(), vb)?;
/// let y = norm.forward(&Tensor::new(&[[1f32, 3.0], [10.0, 30.0]], &Device::Cpu)?)?;
/// assert!(y.to_vec2::<f32>()?.iter().all(|row| (row[0] + 1.0).abs() < 1e-3 && (row[1] - 1.0).abs() < 1e-3));
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LayerNorm {
    normalized_shape: Vec<usize>,
    weight: Option<Tensor>,
    bias: Option<Tensor>,
    config: LayerNormConfig,
}

impl LayerNorm {
    /// A layer over last dimensions of these extents.
    ///
    /// # Errors
    /// When the builder has a tensor of another shape, or none.
    pub fn new(normalized_shape: impl Into<Vec<usize>>, config: LayerNormConfig, vb: VarBuilder<'_>) -> Result<Self> {
        let normalized_shape = normalized_shape.into();
        let get = |name, init| vb.get_with_hints(normalized_shape.as_slice(), name, Init::Const(init));
        let weight = config.elementwise_affine.then(|| get("weight", 1.0)).transpose()?;
        let bias = (config.elementwise_affine && config.bias).then(|| get("bias", 0.0)).transpose()?;
        Ok(Self { normalized_shape, weight, bias, config })
    }

    pub(crate) fn tensor(&self, name: &str) -> Option<Tensor> {
        if name == "weight" { self.weight.clone() } else { self.bias.clone() }
    }

    /// Its options.
    #[must_use]
    pub fn config(&self) -> &LayerNormConfig {
        &self.config
    }
}

impl Module for LayerNorm {
    /// # Errors
    /// When the last dimensions are not `normalized_shape`.
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        floats("LayerNorm", xs.dtype())?;
        layer_norm(self, self.weight.as_ref(), self.bias.as_ref(), xs)
    }
}

impl fmt::Display for LayerNorm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LayerNormConfig { eps, elementwise_affine, bias } = &self.config;
        let (shape, eps, scaled) = (tuple(&self.normalized_shape), float(*eps), flag(*elementwise_affine));
        write!(
            f,
            "LayerNorm({shape}, eps={eps}, elementwise_affine={scaled}, bias={})",
            flag(*elementwise_affine && *bias)
        )
    }
}

leaf! {
    LayerNorm as "nn.LayerNorm", forward;
    arguments { normalized_shape: Vec<usize> }
    config config: LayerNormConfig;
    tensors { "weight", "bias" }
    make |vb| Self::new(normalized_shape, config, vb);
    shape |layer, x| floats("LayerNorm", x.dtype).and_then(|()| trailing("LayerNorm", x.dims(), &layer.normalized_shape));
    through |layer, scope, x| {
        let (weight, bias) = (layer.weight.as_ref(), layer.bias.as_ref());
        entered::layer_norm(layer, maybe(weight, scope, "weight").as_ref(), maybe(bias, scope, "bias").as_ref(), x)
    };
}

options! {
    /// Options of [`RMSNorm`].
    RMSNormConfig {
        /// Added to the mean square; the dtype's own by default.
        eps: Option<f64> = None,
        /// Whether each element is scaled; true by default.
        elementwise_affine: bool = true,
    }
}

/// `x / √(mean(x²) + eps) · weight` over the last dimensions.
///
/// State: `weight` of ones, of `normalized_shape`.
///
/// [torch.nn.RMSNorm](https://docs.pytorch.org/docs/stable/generated/torch.nn.RMSNorm.html)
#[derive(Debug, Clone)]
pub struct RMSNorm {
    normalized_shape: Vec<usize>,
    weight: Option<Tensor>,
    config: RMSNormConfig,
}

impl RMSNorm {
    /// A layer over last dimensions of these extents.
    ///
    /// # Errors
    /// When the builder has a tensor of another shape, or none.
    pub fn new(normalized_shape: impl Into<Vec<usize>>, config: RMSNormConfig, vb: VarBuilder<'_>) -> Result<Self> {
        let normalized_shape = normalized_shape.into();
        let get = || vb.get_with_hints(normalized_shape.as_slice(), "weight", Init::Const(1.0));
        let weight = config.elementwise_affine.then(get).transpose()?;
        Ok(Self { normalized_shape, weight, config })
    }

    pub(crate) fn tensor(&self, _: &str) -> Option<Tensor> {
        self.weight.clone()
    }
}

/// The distance from one to the next number; torch takes that of f32 for the short dtypes.
fn epsilon(dtype: DType) -> f64 {
    if dtype == DType::F64 { f64::EPSILON } else { f32::EPSILON.into() }
}

impl Module for RMSNorm {
    /// # Errors
    /// When the last dimensions are not `normalized_shape`.
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        floats("RMSNorm", xs.dtype())?;
        rms_norm(self, self.weight.as_ref(), xs)
    }
}

impl fmt::Display for RMSNorm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let eps = self.config.eps.map_or_else(|| "None".to_owned(), float);
        let (shape, scaled) = (tuple(&self.normalized_shape), flag(self.config.elementwise_affine));
        write!(f, "RMSNorm({shape}, eps={eps}, elementwise_affine={scaled})")
    }
}

leaf! {
    RMSNorm as "nn.RMSNorm", forward;
    arguments { normalized_shape: Vec<usize> }
    config config: RMSNormConfig;
    tensors { "weight" }
    make |vb| Self::new(normalized_shape, config, vb);
    shape |layer, x| floats("RMSNorm", x.dtype).and_then(|()| trailing("RMSNorm", x.dims(), &layer.normalized_shape));
    through |layer, scope, x| entered::rms_norm(layer, maybe(layer.weight.as_ref(), scope, "weight").as_ref(), x);
}

options! {
    /// Options of [`GroupNorm`].
    GroupNormConfig {
        /// Added to the variance; 1e-5 by default.
        eps: f64 = 1e-5,
        /// Whether each channel is scaled and shifted; true by default.
        affine: bool = true,
        /// Whether channels that are scaled are shifted as well; true by default.
        bias: bool = true,
    }
}

/// `(x − mean) / √(variance + eps) · weight + bias` over groups of channels of `(N, C, …)`.
///
/// State: `weight` of ones and `bias` of zeros, both of `(num_channels)`.
///
/// [torch.nn.GroupNorm](https://docs.pytorch.org/docs/stable/generated/torch.nn.GroupNorm.html)
#[derive(Debug, Clone)]
pub struct GroupNorm {
    num_groups: usize,
    num_channels: usize,
    weight: Option<Tensor>,
    bias: Option<Tensor>,
    config: GroupNormConfig,
}

impl GroupNorm {
    /// A layer of these groups and channels.
    ///
    /// # Errors
    /// When the groups do not divide the channels, or the builder has a tensor of another shape or none.
    pub fn new(num_groups: usize, num_channels: usize, config: GroupNormConfig, vb: VarBuilder<'_>) -> Result<Self> {
        if num_groups == 0 || !num_channels.is_multiple_of(num_groups) {
            bail!("GroupNorm: {num_groups} groups should divide {num_channels} channels");
        }
        let get = |name, init| vb.get_with_hints(num_channels, name, Init::Const(init));
        let weight = config.affine.then(|| get("weight", 1.0)).transpose()?;
        let bias = (config.affine && config.bias).then(|| get("bias", 0.0)).transpose()?;
        Ok(Self { num_groups, num_channels, weight, bias, config })
    }

    fn shape(&self, dims: &[usize]) -> Result<()> {
        extent("GroupNorm", dims, 1, self.num_channels, "channels")
    }

    pub(crate) fn tensor(&self, name: &str) -> Option<Tensor> {
        if name == "weight" { self.weight.clone() } else { self.bias.clone() }
    }
}

impl Module for GroupNorm {
    /// # Errors
    /// When the second dimension has not as many channels.
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        floats("GroupNorm", xs.dtype())?;
        group_norm(self, self.weight.as_ref(), self.bias.as_ref(), xs)
    }
}

impl fmt::Display for GroupNorm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (groups, channels) = (self.num_groups, self.num_channels);
        write!(
            f,
            "GroupNorm({groups}, {channels}, eps={}, affine={}, bias={})",
            float(self.config.eps),
            flag(self.config.affine),
            flag(self.bias.is_some())
        )
    }
}

leaf! {
    GroupNorm as "nn.GroupNorm", forward;
    arguments { num_groups: usize, num_channels: usize }
    config config: GroupNormConfig;
    tensors { "weight", "bias" }
    make |vb| Self::new(num_groups, num_channels, config, vb);
    shape |layer, x| floats("GroupNorm", x.dtype).and_then(|()| layer.shape(x.dims()));
    through |layer, scope, x| {
        let (weight, bias) = (layer.weight.as_ref(), layer.bias.as_ref());
        entered::group_norm(layer, maybe(weight, scope, "weight").as_ref(), maybe(bias, scope, "bias").as_ref(), x)
    };
}

options! {
    /// Options of [`LocalResponseNorm`].
    LocalResponseNormConfig {
        /// What the sum is multiplied by; 1e-4 by default.
        alpha: f64 = 1e-4,
        /// The power; 0.75 by default.
        beta: f64 = 0.75,
        /// What is added; 1 by default.
        k: f64 = 1.0,
    }
}

/// `x / (k + alpha / size · ∑ x²)^beta`, the sum over `size` neighbouring channels of `(N, C, …)`.
///
/// [torch.nn.LocalResponseNorm](https://docs.pytorch.org/docs/stable/generated/torch.nn.LocalResponseNorm.html)
#[derive(Debug, Clone, PartialEq)]
pub struct LocalResponseNorm {
    size: usize,
    config: LocalResponseNormConfig,
}

impl LocalResponseNorm {
    /// A layer over so many neighbouring channels.
    ///
    /// # Errors
    /// When it is none.
    pub fn new(size: usize, config: LocalResponseNormConfig) -> Result<Self> {
        if size == 0 {
            bail!("LocalResponseNorm: size should be at least 1");
        }
        Ok(Self { size, config })
    }

    fn shape(dims: &[usize]) -> Result<()> {
        if dims.len() < 3 {
            rank("LocalResponseNorm", dims, &[3], "at least three dimensions, (N, C, …)")?;
        }
        Ok(())
    }
}

impl Module for LocalResponseNorm {
    /// # Errors
    /// When the tensor has fewer than three dimensions.
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        floats("LocalResponseNorm", xs.dtype())?;
        local_response_norm(self, xs)
    }
}

impl fmt::Display for LocalResponseNorm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LocalResponseNormConfig { alpha, beta, k } = self.config;
        write!(f, "LocalResponseNorm({}, alpha={}, beta={}, k={})", self.size, float(alpha), float(beta), float(k))
    }
}

leaf! {
    LocalResponseNorm as "nn.LocalResponseNorm", forward;
    arguments { size: usize }
    config config: LocalResponseNormConfig;
    tensors {}
    make |_vb| Self::new(size, config);
    shape |_layer, x| floats("LocalResponseNorm", x.dtype).and_then(|()| Self::shape(x.dims()));
    through |layer, _scope, x| entered::local_response_norm(layer, x);
}
