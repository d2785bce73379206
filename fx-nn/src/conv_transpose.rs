//! Transposed convolutions: [`ConvTranspose1d`] and [`ConvTranspose2d`].
//!
//! Invariant: candle convolves each group with one stride and one dilation, without padding; what is to be taken away or
//! added at the edges is done after, along one axis at a time.

use std::fmt;

use candle_core::{Module, Result, Tensor, bail};
use candle_nn::VarBuilder;
use fx_core::ops::macs::{of_each, of_window};
use fx_core::trace::Proxy;

use crate::axis::{self as edges, Fill};
use crate::conv::{add_bias, batched, check};
use crate::dims::{channels, extent};
use crate::leaf::{Several, leaf};
use crate::linear::uniform;
use crate::options::{Size, options};
use crate::twice::{inside, maybe, twice};

options! {
    /// Options of [`ConvTranspose1d`] and [`ConvTranspose2d`].
    ConvTransposeConfig[const N] {
        /// By how much the window moves in the result; 1 by default.
        stride: Size<N> = Size([1; N]),
        /// How much is taken away on both sides of the result; nothing by default.
        padding: Size<N> = Size([0; N]),
        /// How much is added after the result; nothing by default.
        output_padding: Size<N> = Size([0; N]),
        /// Into how many groups the channels are divided; 1 by default.
        groups: usize = 1,
        /// Whether something is added to each channel; true by default.
        bias: bool = true,
        /// From one element of the window to the next; 1 by default.
        dilation: Size<N> = Size([1; N]),
        /// The extents of the result, instead of the output padding; none by default. torch takes them in each call.
        output_size: Option<Size<N>> = None,
    }
}

impl<const N: usize> ConvTransposeConfig<N> {
    /// Refuses output padding that torch refuses.
    fn check_output_padding(&self, layer: &str) -> Result<()> {
        let Self { stride, output_padding, dilation, .. } = self;
        if (0..N).any(|i| output_padding.0[i] >= stride.0[i].max(dilation.0[i])) {
            bail!(
                "{layer}: output padding {output_padding} should be smaller than stride {stride} or dilation {dilation}"
            );
        }
        Ok(())
    }
}

/// Options of [`ConvTranspose1d`].
pub type ConvTranspose1dConfig = ConvTransposeConfig<1>;
/// Options of [`ConvTranspose2d`].
pub type ConvTranspose2dConfig = ConvTransposeConfig<2>;

/// Transposed convolution over `N` dimensions, one or two: the gradient of [`Conv`](crate::Conv) by its input.
///
/// `(batch, in_channels, …)` becomes `(batch, out_channels, …)`, the batch may be missing; an extent `L` becomes
/// `(L − 1)·stride − 2·padding + dilation·(kernel_size − 1) + output_padding + 1`.
///
/// State: `weight` of `(in_channels, out_channels / groups, kernel…)` and `bias` of `(out_channels)`, both from
/// `U(-√k, √k)` with `k = groups / (out_channels · ∏ kernel_size)`.
///
/// [torch.nn.ConvTranspose2d](https://docs.pytorch.org/docs/stable/generated/torch.nn.ConvTranspose2d.html)
#[derive(Debug, Clone)]
pub struct ConvTranspose<const N: usize> {
    in_channels: usize,
    out_channels: usize,
    kernel_size: Size<N>,
    weight: Tensor,
    bias: Option<Tensor>,
    config: ConvTransposeConfig<N>,
}

/// Transposed convolution over `(batch, channels, length)`.
///
/// [torch.nn.ConvTranspose1d](https://docs.pytorch.org/docs/stable/generated/torch.nn.ConvTranspose1d.html)
pub type ConvTranspose1d = ConvTranspose<1>;
/// Transposed convolution over `(batch, channels, height, width)`.
///
/// [torch.nn.ConvTranspose2d](https://docs.pytorch.org/docs/stable/generated/torch.nn.ConvTranspose2d.html)
pub type ConvTranspose2d = ConvTranspose<2>;

impl<const N: usize> ConvTranspose<N> {
    const NAME: &'static str = if N == 1 { "nn.ConvTranspose1d" } else { "nn.ConvTranspose2d" };
    const SHORT: &'static str = if N == 1 { "ConvTranspose1d" } else { "ConvTranspose2d" };

    /// A layer of these channels and this window.
    ///
    /// # Errors
    /// When groups do not divide the channels, the output padding is not smaller than stride or dilation, a size is
    /// zero, or the builder has a tensor of another shape or none.
    pub fn new(
        in_channels: usize,
        out_channels: usize,
        kernel_size: impl Into<Size<N>>,
        config: ConvTransposeConfig<N>,
        vb: VarBuilder<'_>,
    ) -> Result<Self> {
        let kernel_size = kernel_size.into();
        let ConvTransposeConfig { stride, groups, dilation, .. } = config;
        check::<N>(Self::SHORT, in_channels, out_channels, groups, &[kernel_size, stride, dilation])?;
        config.check_output_padding(Self::SHORT)?;
        let inside = out_channels / groups;
        let init = uniform(kernel_size.0.iter().product::<usize>() * inside);
        let shape: Vec<usize> = [in_channels, inside].into_iter().chain(kernel_size.0).collect();
        let weight = vb.get_with_hints(shape, "weight", init)?;
        let bias = config.bias.then(|| vb.get_with_hints(out_channels, "bias", init)).transpose()?;
        Ok(Self { in_channels, out_channels, kernel_size, weight, bias, config })
    }

    /// Its windows, `(in_channels, out_channels / groups, kernel…)`.
    #[must_use]
    pub fn weight(&self) -> &Tensor {
        &self.weight
    }

    /// What it adds, `(out_channels)`.
    #[must_use]
    pub fn bias(&self) -> Option<&Tensor> {
        self.bias.as_ref()
    }

    /// The layer with a result of these extents, those of the spatial dimensions or of all.
    fn sized(&self, output_size: &[usize]) -> Result<Self> {
        let spatial = output_size.len().checked_sub(N).map(|start| &output_size[start..]);
        let Some(Ok(sizes)) = spatial.map(<[usize; N]>::try_from) else {
            bail!("{}: expects an output size of {N} extents, but is given {}", Self::SHORT, output_size.len());
        };
        let config = ConvTransposeConfig { output_size: Some(Size(sizes)), ..self.config.clone() };
        Ok(Self { config, ..self.clone() })
    }

    /// The layer with a result of these extents, those of the spatial dimensions or of all: where the stride is more than
    /// one, several can be. Called so in a graph, it is a layer of its own.
    ///
    /// # Errors
    /// When the result cannot be of these extents, and those of `forward`.
    pub fn forward_with_output_size(&self, xs: &Tensor, output_size: &[usize]) -> Result<Tensor> {
        self.sized(output_size)?.forward(xs)
    }

    /// How much is added before and after dimension `i` of the result, for an extent of the input; what padding takes away
    /// is negative.
    fn sides(&self, i: usize, extent: usize) -> Result<(i64, i64)> {
        let ConvTransposeConfig { stride, padding, output_padding, output_size, .. } = &self.config;
        let signed = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
        let padding = signed(padding.0[i]);
        let Some(wanted) = output_size else { return Ok((-padding, signed(output_padding.0[i]) - padding)) };
        let least = signed(self.spread(i, extent)?) - 2 * padding;
        let (wanted, most) = (signed(wanted.0[i]), least + signed(stride.0[i]) - 1);
        if !(least..=most).contains(&wanted) {
            bail!(
                "{}: an output size of {wanted} should be in {least}..={most} for an extent of {extent}",
                Self::SHORT
            );
        }
        Ok((-padding, wanted - least - padding))
    }

    /// The extent that one of the input has before its sides.
    fn spread(&self, i: usize, extent: usize) -> Result<usize> {
        let Some(last) = extent.checked_sub(1) else {
            bail!("{}: a tensor has an empty axis", Self::SHORT);
        };
        Ok(last * self.config.stride.0[i] + self.config.dilation.0[i] * (self.kernel_size.0[i] - 1) + 1)
    }

    fn shape(&self, dims: &[usize]) -> Result<Vec<usize>> {
        let at = channels(Self::SHORT, dims, N)?;
        extent(Self::SHORT, dims, at, self.in_channels, "channels")?;
        let mut result = dims.to_vec();
        result[at] = self.out_channels;
        for i in 0..N {
            let (left, right) = self.sides(i, dims[at + 1 + i])?;
            let full = self.spread(i, dims[at + 1 + i])?;
            result[at + 1 + i] = edges::padded(Self::SHORT, full, left, right, Fill::Constant(0.0))?;
        }
        Ok(result)
    }

    fn tensor(&self, name: &str) -> Option<Tensor> {
        match name {
            "weight" => Some(self.weight.clone()),
            _ => self.bias.clone(),
        }
    }
}

twice! {
    {
        use crate::axis::entered as edges;
        use crate::conv::entered::{add_bias, batched};
    }

    pub(crate) fn spread_out<const N: usize>(
        layer: &ConvTranspose<N>,
        weight: &Tensor,
        bias: Option<&Tensor>,
        xs: &Tensor,
    ) -> Result<Tensor> {
        layer.shape(xs.dims())?;
        let (mut x, missing) = batched(xs, N)?;
        let mut weight = weight.clone();
        let alike = |sizes: [usize; N]| sizes.iter().all(|&size| size == sizes[0]).then_some(sizes[0]);
        let stride = alike(layer.config.stride.0);
        for i in 0..N {
            if stride.is_none() {
                x = edges::spread(&x, 2 + i, layer.config.stride.0[i])?;
            }
            weight = edges::spread(&weight, 2 + i, layer.config.dilation.0[i])?;
        }
        let stride = stride.unwrap_or(1);
        let parts = (0..layer.config.groups).map(|group| {
            let size = layer.in_channels / layer.config.groups;
            let x = x.narrow(1, group * size, size)?.contiguous()?;
            let weight = weight.narrow(0, group * size, size)?.contiguous()?;
            match N {
                // candle's own for one dimension is wrong for all samples of a batch but the first.
                1 => x.unsqueeze(2)?.conv_transpose2d(&weight.unsqueeze(2)?, 0, 0, stride, 1)?.squeeze(2),
                _ => x.conv_transpose2d(&weight, 0, 0, stride, 1),
            }
        });
        let mut result = Tensor::cat(&parts.collect::<Result<Vec<_>>>()?, 1)?;
        for i in 0..N {
            let (left, right) = layer.sides(i, xs.dim(xs.rank() - N + i)?)?;
            result = edges::pad(<ConvTranspose<N>>::SHORT, &result, 2 + i, left, right, Fill::Constant(0.0))?;
        }
        let result = add_bias(result, bias, N)?;
        if missing { result.squeeze(0) } else { Ok(result) }
    }
}

impl<const N: usize> Module for ConvTranspose<N> {
    /// # Errors
    /// When the tensor has another number of dimensions or of channels, or nothing is left of an axis.
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        spread_out(self, &self.weight, self.bias.as_ref(), xs)
    }
}

impl<const N: usize> fmt::Display for ConvTranspose<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ConvTransposeConfig { stride, padding, output_padding, groups, bias, dilation, .. } = &self.config;
        let (from, to) = (self.in_channels, self.out_channels);
        write!(f, "{}({from}, {to}, kernel_size={}, stride={stride}", Self::SHORT, self.kernel_size)?;
        if padding.0 != [0; N] {
            write!(f, ", padding={padding}")?;
        }
        if dilation.0 != [1; N] {
            write!(f, ", dilation={dilation}")?;
        }
        if output_padding.0 != [0; N] {
            write!(f, ", output_padding={output_padding}")?;
        }
        if *groups != 1 {
            write!(f, ", groups={groups}")?;
        }
        f.write_str(if *bias { ")" } else { ", bias=False)" })
    }
}

leaf! {
    const N => ConvTranspose<N> as Self::NAME, forward_or_more;
    arguments { in_channels: usize, out_channels: usize, kernel_size: Size<N> }
    config config: ConvTransposeConfig<N>;
    tensors { "weight", "bias" }
    make |vb| Self::new(in_channels, out_channels, kernel_size, config, vb);
    shape |layer, x| layer.shape(x.dims());
    macs |layer, x, _out| of_each(x, of_window(layer.weight.dims()));
    through |layer, scope, x| {
        let bias = maybe(layer.bias(), scope, "bias");
        entered::spread_out(layer, &inside(&layer.weight, scope, "weight"), bias.as_ref(), x)
    };
}

impl<const N: usize> Several<ConvTranspose<N>> {
    /// Records a call of the layer with a result of these extents.
    ///
    /// # Errors
    /// When the result cannot be of these extents, and what candle refuses.
    #[track_caller]
    pub fn forward_with_output_size(&self, xs: &Proxy, output_size: &[usize]) -> Result<Proxy> {
        self.like(|layer| layer.sized(output_size))?.forward(xs)
    }
}
