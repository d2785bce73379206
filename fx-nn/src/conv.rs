//! Convolutions: [`Conv1d`] and [`Conv2d`].
//!
//! Invariant: candle convolves with one stride and one dilation and pads with zeros on both sides alike; what goes beyond
//! that is done before and after, along one axis at a time.

use std::fmt;
use std::sync::Arc;

use candle_core::{Module, Result, Tensor, bail};
use candle_nn::VarBuilder;
use fx_core::module::LayerModule;
use fx_core::ops::macs::{of_each, of_window};
use fx_core::ops::{FromValue, IntoValue};
use fx_core::value::{TensorFact, Value};

use crate::axis::{self as edges, Fill, Window};
use crate::dims::{channels, extent};
use crate::leaf::leaf;
use crate::linear::uniform;
use crate::options::{Size, options, words};
use crate::twice::{inside, maybe, twice};

words! {
    /// How a convolution fills what is beyond an edge.
    PaddingMode {
        /// With zeros.
        Zeros = "zeros",
        /// Mirrored at the edge, without the edge itself.
        Reflect = "reflect",
        /// With the edge.
        Replicate = "replicate",
        /// From the other side.
        Circular = "circular",
    }
}

/// How much a convolution adds to its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Padding<const N: usize> {
    /// So much on both sides of each dimension.
    Explicit(Size<N>),
    /// As much as keeps the extents, the odd one after the end; for strides of one.
    Same,
    /// Nothing.
    Valid,
}

impl<const N: usize, T: Into<Size<N>>> From<T> for Padding<N> {
    fn from(size: T) -> Self {
        Self::Explicit(size.into())
    }
}

impl<const N: usize> IntoValue for Padding<N> {
    fn into_value(self) -> Result<Value> {
        match self {
            Self::Explicit(size) => size.into_value(),
            Self::Same => "same".to_owned().into_value(),
            Self::Valid => "valid".to_owned().into_value(),
        }
    }
}

impl<'v, const N: usize> FromValue<'v> for Padding<N> {
    const EXPECTED: &'static str = "a padding for each dimension, `same` or `valid`";

    fn from_value(value: &'v Value) -> Option<Self> {
        match value {
            Value::Str(word) if &**word == "same" => Some(Self::Same),
            Value::Str(word) if &**word == "valid" => Some(Self::Valid),
            value => Size::from_value(value).map(Self::Explicit),
        }
    }
}

impl<const N: usize> fmt::Display for Padding<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Explicit(size) => size.fmt(f),
            Self::Same => f.write_str("same"),
            Self::Valid => f.write_str("valid"),
        }
    }
}

options! {
    /// Options of [`Conv1d`] and [`Conv2d`].
    ConvConfig[const N] {
        /// By how much the window moves; 1 by default.
        stride: Size<N> = Size([1; N]),
        /// How much is added on both sides; nothing by default.
        padding: Padding<N> = Padding::Explicit(Size([0; N])),
        /// From one element that the window sees to the next; 1 by default.
        dilation: Size<N> = Size([1; N]),
        /// Into how many groups the channels are divided; 1 by default.
        groups: usize = 1,
        /// Whether something is added to each channel; true by default.
        bias: bool = true,
        /// How what is beyond an edge is filled; with zeros by default.
        padding_mode: PaddingMode = PaddingMode::Zeros,
    }
}

/// Options of [`Conv1d`].
pub type Conv1dConfig = ConvConfig<1>;
/// Options of [`Conv2d`].
pub type Conv2dConfig = ConvConfig<2>;

/// Convolution over `N` dimensions, one or two; see [`Conv1d`] and [`Conv2d`].
///
/// `(batch, in_channels, …)` becomes `(batch, out_channels, …)`, the batch may be missing; an extent `L` becomes
/// `⌊(L + 2·padding − dilation·(kernel_size − 1) − 1) / stride⌋ + 1`.
///
/// State: `weight` of `(out_channels, in_channels / groups, kernel…)` and `bias` of `(out_channels)`, both from
/// `U(-√k, √k)` with `k = groups / (in_channels · ∏ kernel_size)`.
///
/// [torch.nn.Conv2d](https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv2d.html)
///
/// ```
/// use candle_core::{DType, Device, Module, Tensor};
/// use candle_nn::{VarBuilder, VarMap};
/// use fx_nn::{Conv2d, Conv2dConfig};
///
/// let vars = VarMap::new();
/// let vb = VarBuilder::from_varmap(&vars, DType::F32, &Device::Cpu);
/// let conv = Conv2d::new(3, 8, (3, 5), Conv2dConfig::default().stride((2, 1)).padding((1, 2)), vb)?;
/// assert_eq!(conv.forward(&Tensor::zeros((1, 3, 9, 7), DType::F32, &Device::Cpu)?)?.dims(), [1, 8, 5, 7]);
/// assert_eq!(conv.to_string(), "Conv2d(3, 8, kernel_size=(3, 5), stride=(2, 1), padding=(1, 2))");
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Conv<const N: usize> {
    in_channels: usize,
    out_channels: usize,
    kernel_size: Size<N>,
    weight: Tensor,
    bias: Option<Tensor>,
    config: ConvConfig<N>,
}

/// Convolution over `(batch, channels, length)`.
///
/// [torch.nn.Conv1d](https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv1d.html)
pub type Conv1d = Conv<1>;
/// Convolution over `(batch, channels, height, width)`.
///
/// [torch.nn.Conv2d](https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv2d.html)
pub type Conv2d = Conv<2>;

impl<const N: usize> Conv<N> {
    const NAME: &'static str = if N == 1 { "nn.Conv1d" } else { "nn.Conv2d" };
    const SHORT: &'static str = if N == 1 { "Conv1d" } else { "Conv2d" };

    /// A layer of these channels and this window.
    ///
    /// # Errors
    /// When groups do not divide the channels, `same` comes with a stride, a size is zero, or the builder has a tensor
    /// of another shape or none.
    pub fn new(
        in_channels: usize,
        out_channels: usize,
        kernel_size: impl Into<Size<N>>,
        config: ConvConfig<N>,
        vb: VarBuilder<'_>,
    ) -> Result<Self> {
        let kernel_size = kernel_size.into();
        check::<N>(
            Self::SHORT,
            in_channels,
            out_channels,
            config.groups,
            &[kernel_size, config.stride, config.dilation],
        )?;
        if config.padding == Padding::Same && config.stride.0.iter().any(|&stride| stride != 1) {
            bail!("{}: padding `same` needs strides of 1, but they are {}", Self::SHORT, config.stride);
        }
        let inside = in_channels / config.groups;
        let init = uniform(kernel_size.0.iter().product::<usize>() * inside);
        let shape: Vec<usize> = [out_channels, inside].into_iter().chain(kernel_size.0).collect();
        let weight = vb.get_with_hints(shape, "weight", init)?;
        let bias = config.bias.then(|| vb.get_with_hints(out_channels, "bias", init)).transpose()?;
        Ok(Self { in_channels, out_channels, kernel_size, weight, bias, config })
    }

    /// Its windows, `(out_channels, in_channels / groups, kernel…)`.
    #[must_use]
    pub fn weight(&self) -> &Tensor {
        &self.weight
    }

    /// What it adds, `(out_channels)`.
    #[must_use]
    pub fn bias(&self) -> Option<&Tensor> {
        self.bias.as_ref()
    }

    /// Its options.
    #[must_use]
    pub fn config(&self) -> &ConvConfig<N> {
        &self.config
    }

    /// What is added before and after dimension `i` of the spatial ones.
    fn sides(&self, i: usize) -> (usize, usize) {
        match self.config.padding {
            Padding::Explicit(Size(padding)) => (padding[i], padding[i]),
            Padding::Valid => (0, 0),
            Padding::Same => {
                let total = self.config.dilation.0[i] * (self.kernel_size.0[i] - 1);
                (total / 2, total - total / 2)
            }
        }
    }

    fn fill(&self) -> Fill {
        match self.config.padding_mode {
            PaddingMode::Zeros => Fill::Constant(0.0),
            PaddingMode::Reflect => Fill::Reflect,
            PaddingMode::Replicate => Fill::Replicate,
            PaddingMode::Circular => Fill::Circular,
        }
    }

    fn shape(&self, dims: &[usize]) -> Result<Vec<usize>> {
        let at = channels(Self::SHORT, dims, N)?;
        extent(Self::SHORT, dims, at, self.in_channels, "channels")?;
        let mut result = dims.to_vec();
        result[at] = self.out_channels;
        for i in 0..N {
            let (left, right) = self.sides(i);
            let signed = |side: usize| i64::try_from(side).unwrap_or(i64::MAX);
            let size = edges::padded(Self::SHORT, dims[at + 1 + i], signed(left), signed(right), self.fill())?;
            let (kernel, stride) = (self.kernel_size.0[i], self.config.stride.0[i]);
            let window = Window { kernel, stride, padding: 0, dilation: self.config.dilation.0[i], ceil: false };
            result[at + 1 + i] = window.count(Self::SHORT, size)?;
        }
        Ok(result)
    }

    fn tensor(&self, name: &str) -> Option<Tensor> {
        match name {
            "weight" => Some(self.weight.clone()),
            _ => self.bias.clone(),
        }
    }

    /// What candle pads with zeros on all sides, if that is all there is to pad.
    fn zeros(&self) -> Option<usize> {
        let sides: Vec<(usize, usize)> = (0..N).map(|i| self.sides(i)).collect();
        let all = sides[0].0;
        (self.fill() == Fill::Constant(0.0) && sides.iter().all(|&side| side == (all, all))).then_some(all)
    }

    /// The same as a layer of candle's, for an input with a batch.
    fn in_candle(&self, x: &TensorFact) -> Option<Arc<dyn LayerModule>> {
        let ConvConfig { stride: Size(stride), dilation: Size(dilation), groups, .. } = self.config;
        let padding = self.zeros()?;
        let is_one = |sizes: &[usize; N]| sizes.iter().all(|size| *size == sizes[0]);
        if x.dims().len() != N + 2 || !is_one(&stride) || !is_one(&dilation) {
            return None;
        }
        let (weight, bias, stride, dilation) = (self.weight.clone(), self.bias.clone(), stride[0], dilation[0]);
        let cudnn_fwd_algo = None;
        Some(match N {
            1 => {
                let config = candle_nn::Conv1dConfig { padding, stride, dilation, groups, cudnn_fwd_algo };
                Arc::new(candle_nn::Conv1d::new(weight, bias, config))
            }
            _ => {
                let config = candle_nn::Conv2dConfig { padding, stride, dilation, groups, cudnn_fwd_algo };
                Arc::new(candle_nn::Conv2d::new(weight, bias, config))
            }
        })
    }
}

/// Refuses what no convolution can have.
pub(crate) fn check<const N: usize>(
    layer: &str,
    in_channels: usize,
    out_channels: usize,
    groups: usize,
    sizes: &[Size<N>],
) -> Result<()> {
    if groups == 0 || !in_channels.is_multiple_of(groups) || !out_channels.is_multiple_of(groups) {
        bail!("{layer}: {groups} groups should divide {in_channels} input and {out_channels} output channels");
    }
    if sizes.iter().any(|size| size.0.contains(&0)) {
        bail!("{layer}: kernel size, stride and dilation should be at least 1");
    }
    Ok(())
}

/// What all of them are multiples of.
pub(crate) fn common(sizes: &[usize]) -> usize {
    fn gcd(a: usize, b: usize) -> usize {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    sizes.iter().copied().fold(0, gcd).max(1)
}

twice! {
    {
        use crate::axis::entered as edges;
    }

    /// The batch that a tensor of no batch stands for, and whether it was missing.
    pub(crate) fn batched(x: &Tensor, spatial: usize) -> Result<(Tensor, bool)> {
        let missing = x.rank() == spatial + 1;
        Ok((if missing { x.unsqueeze(0)? } else { x.clone() }, missing))
    }

    /// Adds something to each channel.
    pub(crate) fn add_bias(x: Tensor, bias: Option<&Tensor>, spatial: usize) -> Result<Tensor> {
        match bias {
            Some(bias) => {
                let dims: Vec<usize> = [1, bias.elem_count()].into_iter().chain(vec![1; spatial]).collect();
                x.broadcast_add(&bias.reshape(dims)?)
            }
            None => Ok(x),
        }
    }

    pub(crate) fn convolve<const N: usize>(
        layer: &Conv<N>,
        weight: &Tensor,
        bias: Option<&Tensor>,
        xs: &Tensor,
    ) -> Result<Tensor> {
        layer.shape(xs.dims())?;
        let (mut x, missing) = batched(xs, N)?;
        // candle pads itself where all sides are alike.
        let zeros = layer.zeros();
        let padding = zeros.unwrap_or(0);
        if zeros.is_none() {
            for i in 0..N {
                let (left, right) = layer.sides(i);
                let signed = |side: usize| i64::try_from(side).unwrap_or(i64::MAX);
                x = edges::pad(<Conv<N>>::SHORT, &x, 2 + i, signed(left), signed(right), layer.fill())?;
            }
        }
        // candle has one stride and one dilation: the windows get holes, and positions are left out of the result.
        let (stride, dilation) = (common(&layer.config.stride.0), common(&layer.config.dilation.0));
        let mut weight = weight.clone();
        for i in 0..N {
            weight = edges::spread(&weight, 2 + i, layer.config.dilation.0[i] / dilation)?;
        }
        let (x, weight, groups) = (x.contiguous()?, weight.contiguous()?, layer.config.groups);
        let mut result = match N {
            1 => x.conv1d(&weight, padding, stride, dilation, groups)?,
            _ => x.conv2d(&weight, padding, stride, dilation, groups)?,
        };
        for i in 0..N {
            result = edges::every(&result, 2 + i, layer.config.stride.0[i] / stride)?;
        }
        let result = add_bias(result, bias, N)?;
        if missing { result.squeeze(0) } else { Ok(result) }
    }
}

impl<const N: usize> Module for Conv<N> {
    /// # Errors
    /// When the tensor has another number of dimensions or of channels, or is smaller than the window.
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        let dims = self.shape(xs.dims())?;
        if dims.contains(&0) {
            // candle panics at a batch of none.
            return Tensor::zeros(dims, xs.dtype(), xs.device());
        }
        convolve(self, &self.weight, self.bias.as_ref(), xs)
    }
}

impl<const N: usize> fmt::Display for Conv<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ConvConfig { stride, padding, dilation, groups, bias, padding_mode } = &self.config;
        let (from, to) = (self.in_channels, self.out_channels);
        write!(f, "{}({from}, {to}, kernel_size={}, stride={stride}", Self::SHORT, self.kernel_size)?;
        if *padding != Padding::Explicit(Size([0; N])) {
            write!(f, ", padding={padding}")?;
        }
        if dilation.0 != [1; N] {
            write!(f, ", dilation={dilation}")?;
        }
        if *groups != 1 {
            write!(f, ", groups={groups}")?;
        }
        if !bias {
            f.write_str(", bias=False")?;
        }
        if *padding_mode != PaddingMode::Zeros {
            write!(f, ", padding_mode={padding_mode}")?;
        }
        f.write_str(")")
    }
}

leaf! {
    const N => Conv<N> as Self::NAME, forward;
    arguments { in_channels: usize, out_channels: usize, kernel_size: Size<N> }
    config config: ConvConfig<N>;
    tensors { "weight", "bias" }
    make |vb| Self::new(in_channels, out_channels, kernel_size, config, vb);
    shape |layer, x| layer.shape(x.dims());
    macs |layer, _x, out| of_each(out, of_window(layer.weight.dims()));
    through |layer, scope, x| {
        let bias = maybe(layer.bias(), scope, "bias");
        entered::convolve(layer, &inside(&layer.weight, scope, "weight"), bias.as_ref(), x)
    };
    candle |layer, x| layer.in_candle(x);
}
