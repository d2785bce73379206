//! Activations: functions of single elements, and of elements along a dimension.
//!
//! Invariant: what torch calls `inplace` does not exist here: results are new tensors.

#![allow(clippy::redundant_closure, reason = "a formula is compiled twice, and the function is another one each time")]

use std::fmt;

use candle_core::{DType, Module, ModuleT, Result, Tensor, bail};
use candle_nn::{Init, VarBuilder};

use crate::dims::{extent, floats, index, rank};
use crate::formula::{along, along_of, or_number};
use crate::leaf::leaf;
use crate::options::{float, options, words};
use crate::stable;
use crate::twice::{inside, twice};

/// A setting as torch prints it.
trait Setting {
    fn text(&self) -> String;
}

impl Setting for f64 {
    fn text(&self) -> String {
        float(*self)
    }
}

impl Setting for i64 {
    fn text(&self) -> String {
        self.to_string()
    }
}

impl Setting for Option<i64> {
    fn text(&self) -> String {
        self.map_or_else(|| "None".to_owned(), |dim| dim.to_string())
    }
}

impl Setting for Approximate {
    fn text(&self) -> String {
        format!("'{self}'")
    }
}

macro_rules! activations {
    ($(
        $(#[$doc:meta])*
        $layer:ident($($field:ident: $type:ty = $default:expr),*) $(of $numbers:ident)? { |$this:pat_param, $x:ident| $forward:expr; $dims:ident $shape:expr }
    )*) => {$(
        $(#[$doc])*
        #[doc = concat!("\n\n[torch.nn.", stringify!($layer), "](https://docs.pytorch.org/docs/stable/generated/torch.nn.", stringify!($layer), ".html)")]
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $layer {
            $($field: $type),*
        }

        impl Default for $layer {
            fn default() -> Self {
                Self { $($field: $default),* }
            }
        }

        impl $layer {
            /// The layer with these settings.
            #[must_use]
            #[allow(clippy::new_without_default, reason = "there is one")]
            pub const fn new($($field: $type),*) -> Self {
                Self { $($field),* }
            }
        }

        impl Module for $layer {
            fn forward(&self, $x: &Tensor) -> Result<Tensor> {
                Self::takes($x.dtype())?;
                let $this = self;
                $forward
            }
        }

        impl $layer {
            /// Refuses whole numbers, unless it is `of` them as well.
            fn takes(dtype: DType) -> Result<()> {
                let more: &[&str] = &[$(stringify!($numbers))?];
                if more.is_empty() { floats(stringify!($layer), dtype) } else { Ok(()) }
            }
        }

        impl fmt::Display for $layer {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let settings: &[String] = &[$(named(stringify!($field), &Setting::text(&self.$field))),*];
                write!(f, "{}({})", stringify!($layer), settings.join(", "))
            }
        }

        leaf! {
            $layer as concat!("nn.", stringify!($layer)), forward;
            arguments { $($field: $type),* }
            tensors {}
            make |_vb| Ok(Self { $($field),* });
            shape |layer, x| {
                #[allow(unused_variables, reason = "few shapes depend on the settings")]
                let ($this, $dims) = (layer, x.dims());
                Self::takes(x.dtype).and_then(|()| $shape)
            };
            through |layer, _scope, $x| {
                #[allow(unused_imports, reason = "each needs some of them")]
                use crate::proxied::{candle_nn, formula::{along_of, or_number}, stable};
                let $this = layer;
                $forward
            };
        }
    )*};
}

/// A setting with its name, which torch leaves out where it is `lambd`.
fn named(name: &str, setting: &str) -> String {
    if name == "lambd" { setting.to_owned() } else { format!("{name}={setting}") }
}

words! {
    /// The form of [`GELU`].
    Approximate {
        /// With the error function.
        None = "none",
        /// With the hyperbolic tangent.
        Tanh = "tanh",
    }
}

activations! {
    /// `max(0, x)`.
    ReLU() of integers { |_, x| x.relu(); _dims Ok(()) }
    /// `min(max(0, x), 6)`.
    ReLU6() of integers { |_, x| x.clamp(0.0, 6.0); _dims Ok(()) }
    /// `x` where it is positive, else `alpha · (exp(x) − 1)`.
    ELU(alpha: f64 = 1.0) { |Self { alpha }, x| x.relu()? + (stable::exp_m1(&x.minimum(0.0)?)? * *alpha)?; _dims Ok(()) }
    /// `scale · (max(0, x) + min(0, alpha · (exp(x) − 1)))`, with the scale and alpha of self-normalising networks.
    SELU() { |_, x| {
        let (alpha, scale) = (1.673_263_242_354_377_2, 1.050_700_987_355_480_5);
        (x.relu()? + (stable::exp_m1(&x.minimum(0.0)?)? * alpha)?)? * scale
    }; _dims Ok(()) }
    /// `max(0, x) + min(0, alpha · (exp(x / alpha) − 1))`.
    CELU(alpha: f64 = 1.0) { |Self { alpha }, x| {
        if *alpha == 0.0 {
            bail!("CELU: alpha should not be zero");
        }
        let scaled = (x / *alpha)?;
        x.maximum(0.0)? + (stable::exp_m1(&scaled)? * *alpha)?.minimum(0.0)?
    }; _dims Ok(()) }
    /// `x · Φ(x)`, Φ of the normal distribution; or with `approximate = "tanh"`,
    /// `x / 2 · (1 + tanh(√(2/π) · (x + 0.044715 · x³)))`.
    GELU(approximate: Approximate = Approximate::None) { |Self { approximate }, x| match approximate {
        Approximate::None => x.gelu_erf(),
        Approximate::Tanh => x.gelu(),
    }; _dims Ok(()) }
    /// `x · σ(x)`.
    SiLU() { |_, x| candle_nn::ops::silu(x); _dims Ok(()) }
    /// `x · tanh(log(1 + exp(x)))`.
    Mish() { |_, x| x * stable::softplus(x)?.tanh()?; _dims Ok(()) }
    /// `1 / (1 + exp(−x))`.
    Sigmoid() { |_, x| candle_nn::ops::sigmoid(x); _dims Ok(()) }
    /// `log(1 / (1 + exp(−x)))`.
    LogSigmoid() { |_, x| stable::softplus(&x.neg()?)?.neg(); _dims Ok(()) }
    /// `min(max(x + 3, 0), 6) / 6`.
    Hardsigmoid() { |_, x| (x + 3.0)?.clamp(0.0, 6.0)? / 6.0; _dims Ok(()) }
    /// `x · min(max(x + 3, 0), 6) / 6`.
    Hardswish() { |_, x| (x * (x + 3.0)?.clamp(0.0, 6.0)?)? / 6.0; _dims Ok(()) }
    /// The hyperbolic tangent.
    Tanh() { |_, x| x.tanh(); _dims Ok(()) }
    /// `x − tanh(x)`.
    Tanhshrink() { |_, x| x - x.tanh()?; _dims Ok(()) }
    /// `x` limited to `min_val..=max_val`.
    Hardtanh(min_val: f64 = -1.0, max_val: f64 = 1.0) of integers { |Self { min_val, max_val }, x| {
        if min_val >= max_val {
            bail!("Hardtanh: min_val {min_val} should be less than max_val {max_val}");
        }
        x.clamp(*min_val, *max_val)
    }; _dims Ok(()) }
    /// `x` where it is beyond `±lambd`, else zero.
    Hardshrink(lambd: f64 = 0.5) { |Self { lambd }, x| or_number(&x.abs()?.gt(*lambd)?, x, 0.0); _dims Ok(()) }
    /// `x − lambd` above `lambd`, `x + lambd` below `−lambd`, else zero.
    Softshrink(lambd: f64 = 0.5) { |Self { lambd }, x| (x - *lambd)?.relu()? - (x.neg()? - *lambd)?.relu()?; _dims Ok(()) }
    /// `x / (1 + |x|)`.
    Softsign() { |_, x| x / (x.abs()? + 1.0)?; _dims Ok(()) }
    /// `log(1 + exp(beta · x)) / beta`; `x` where `beta · x` is above `threshold`.
    Softplus(beta: f64 = 1.0, threshold: f64 = 20.0) { |Self { beta, threshold }, x| {
        let scaled = (x * *beta)?;
        scaled.gt(*threshold)?.where_cond(x, &(stable::softplus(&scaled)? / *beta)?)
    }; _dims Ok(()) }
    /// `x` where it is positive, else `negative_slope · x`.
    LeakyReLU(negative_slope: f64 = 0.01) { |Self { negative_slope: slope }, x| candle_nn::ops::leaky_relu(x, *slope); _dims Ok(()) }
    /// `x` where it is above `threshold`, else `value`.
    Threshold(threshold: f64 = 0.0, value: f64 = 0.0) of integers { |Self { threshold, value }, x| or_number(&x.gt(*threshold)?, x, *value); _dims Ok(()) }
    /// The first half along `dim` times the sigmoid of the second; the extent of `dim` is halved.
    GLU(dim: i64 = -1) { |Self { dim }, x| {
        let axis = halved(x.dims(), *dim)?;
        let half = x.dim(axis)? / 2;
        x.narrow(axis, 0, half)? * candle_nn::ops::sigmoid(&x.narrow(axis, half, half)?)?
    }; dims {
        let mut result = dims.to_vec();
        result[halved(dims, *dim)?] /= 2;
        Ok(result)
    } }
    /// `exp(x) / ∑ exp(x)` along `dim`; without one, along the first of 0, 1 or 3 dimensions and else the second.
    Softmax(dim: Option<i64> = None) { |Self { dim }, x| {
        along_of("Softmax", *dim, x, |x, axis| candle_nn::ops::softmax(x, axis))
    }; dims along("Softmax", *dim, dims.len()).map(|_| ()) }
    /// `log(exp(x) / ∑ exp(x))` along `dim`, as [`Softmax`].
    LogSoftmax(dim: Option<i64> = None) { |Self { dim }, x| {
        along_of("LogSoftmax", *dim, x, |x, axis| candle_nn::ops::log_softmax(x, axis))
    }; dims along("LogSoftmax", *dim, dims.len()).map(|_| ()) }
    /// `exp(−x) / ∑ exp(−x)` along `dim`, as [`Softmax`].
    Softmin(dim: Option<i64> = None) { |Self { dim }, x| {
        along_of("Softmin", *dim, &x.neg()?, |x, axis| candle_nn::ops::softmax(x, axis))
    }; dims along("Softmin", *dim, dims.len()).map(|_| ()) }
    /// Softmax over the channels of `(N, C, H, W)` or `(C, H, W)`.
    Softmax2d() { |_, x| {
        planes(x.dims())?;
        candle_nn::ops::softmax(x, x.rank() - 3)
    }; dims planes(dims) }
}

/// The dimension that [`GLU`] halves.
fn halved(dims: &[usize], dim: i64) -> Result<usize> {
    let axis = index("GLU", dim, dims.len())?;
    if !dims[axis].is_multiple_of(2) {
        bail!("GLU: dimension {dim} of {dims:?} should be even");
    }
    Ok(axis)
}

fn planes(dims: &[usize]) -> Result<()> {
    rank("Softmax2d", dims, &[3, 4], "(N, C, H, W) or (C, H, W)")
}

options! {
    /// Options of [`PReLU`].
    PReLUConfig {
        /// How many slopes there are: one, or one for each channel; 1 by default.
        num_parameters: usize = 1,
        /// The slopes at first; 0.25 by default.
        init: f64 = 0.25,
    }
}

/// `max(0, x) + weight · min(0, x)`, with a slope for all or one for each channel, in the second dimension.
///
/// State: `weight` of `(num_parameters)`, all `init`.
///
/// [torch.nn.PReLU](https://docs.pytorch.org/docs/stable/generated/torch.nn.PReLU.html)
#[derive(Debug, Clone)]
pub struct PReLU {
    weight: Tensor,
    config: PReLUConfig,
}

impl PReLU {
    /// A layer with these slopes.
    ///
    /// # Errors
    /// When the builder has a tensor of another shape, or none.
    pub fn new(config: PReLUConfig, vb: VarBuilder<'_>) -> Result<Self> {
        let weight = vb.get_with_hints(config.num_parameters, "weight", Init::Const(config.init))?;
        Ok(Self { weight, config })
    }

    fn shape(&self, dims: &[usize]) -> Result<()> {
        let slopes = self.config.num_parameters;
        // torch counts a tensor of fewer than two dimensions as one channel.
        match dims.len() {
            _ if slopes == 1 => Ok(()),
            0 | 1 => bail!("PReLU: {slopes} slopes need channels in the second dimension, but it is given {dims:?}"),
            _ => extent("PReLU", dims, 1, slopes, "channels"),
        }
    }

    fn tensor(&self, _: &str) -> Option<Tensor> {
        Some(self.weight.clone())
    }
}

twice! {
    {}

    /// [`RReLU`]: in training of random slopes, else of the middle one.
    pub(crate) fn between(layer: RReLU, xs: &Tensor, train: bool) -> Result<Tensor> {
        let negative = xs.minimum(0.0)?;
        if !train || layer.lower >= layer.upper {
            return xs.relu()? + (negative * ((layer.lower + layer.upper) / 2.0))?;
        }
        let slopes = Tensor::rand(layer.lower, layer.upper, xs.shape(), xs.device())?.to_dtype(xs.dtype())?;
        xs.relu()? + (negative * slopes)?
    }

    pub(crate) fn sloped(layer: &PReLU, weight: &Tensor, xs: &Tensor) -> Result<Tensor> {
        layer.shape(xs.dims())?;
        let dims: Vec<usize> = (0..xs.rank()).map(|i| if i == 1 { layer.config.num_parameters } else { 1 }).collect();
        xs.relu()? + xs.minimum(0.0)?.broadcast_mul(&weight.reshape(dims)?)?
    }
}

impl Module for PReLU {
    /// # Errors
    /// When the second dimension has not as many channels as there are slopes.
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        sloped(self, &self.weight, xs)
    }
}

impl fmt::Display for PReLU {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PReLU(num_parameters={})", self.config.num_parameters)
    }
}

leaf! {
    PReLU as "nn.PReLU", forward;
    arguments {}
    config config: PReLUConfig;
    tensors { "weight" }
    make |vb| Self::new(config, vb);
    shape |layer, x| layer.shape(x.dims());
    through |layer, scope, x| entered::sloped(layer, &inside(&layer.weight, scope, "weight"), x);
}

/// `x` where it is positive, else a slope times `x`: in training drawn for each element from `U(lower, upper)`, else the
/// middle.
///
/// [torch.nn.RReLU](https://docs.pytorch.org/docs/stable/generated/torch.nn.RReLU.html)
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RReLU {
    lower: f64,
    upper: f64,
}

impl Default for RReLU {
    /// Slopes from 1/8 to 1/3.
    fn default() -> Self {
        Self { lower: 1.0 / 8.0, upper: 1.0 / 3.0 }
    }
}

impl RReLU {
    /// Slopes from `lower` to `upper`.
    #[must_use]
    pub const fn new(lower: f64, upper: f64) -> Self {
        Self { lower, upper }
    }
}

impl ModuleT for RReLU {
    fn forward_t(&self, xs: &Tensor, train: bool) -> Result<Tensor> {
        between(*self, xs, train)
    }
}

impl fmt::Display for RReLU {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RReLU(lower={}, upper={})", float(self.lower), float(self.upper))
    }
}

leaf! {
    RReLU as "nn.RReLU", forward_t;
    arguments { lower: f64, upper: f64 }
    tensors {}
    make |_vb| Ok(Self { lower, upper });
    shape |_layer, _x| Ok(());
    in_training Random;
    through |layer, _scope, x, train| entered::between(*layer, x, train);
}
