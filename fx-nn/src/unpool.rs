//! What undoes a max pool in part: [`MaxUnpool1d`], and the same in two and three dimensions.
//!
//! Invariant: every value stands where its index says, among those of its plane, row by row; all others are zero.

use std::fmt;

use candle_core::{Result, Tensor, bail};
use fx_core::trace::Proxy;

use crate::dims::channels;
use crate::leaf::{Several, several};
use crate::options::{Size, options};
use crate::pool::numbered;
use crate::twice::twice;

options! {
    /// Options of [`MaxUnpool1d`] and its kind.
    MaxUnpoolConfig[const N] {
        /// By how much the window has moved; its size by default.
        stride: Option<Size<N>> = None,
        /// How much was added on both sides; nothing by default.
        padding: Size<N> = Size([0; N]),
        /// The extents of the result, where pooling of several would give the input; the least that they can be by
        /// default. torch takes them in each call.
        output_size: Option<Size<N>> = None,
    }
}

/// The greatest values of windows, back where they were found; see [`MaxUnpool2d`].
///
/// Values and indices, as [`MaxPool2d`](crate::MaxPool2d) gives them by `forward_with_indices`, are `(N, C, …)` or
/// `(C, …)`; an extent `L` becomes `(L − 1)·stride − 2·padding + kernel_size`.
///
/// [torch.nn.MaxUnpool2d](https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxUnpool2d.html)
///
/// ```
/// use candle_core::{Device, Tensor};
/// let x = Tensor::new(&[[[1f32, 3.0, 4.0, 2.0]]], &Device::Cpu)?;
/// let (values, indices) = fx_nn::MaxPool1d::new(2, Default::default())?.forward_with_indices(&x)?;
/// let back = fx_nn::MaxUnpool1d::new(2, Default::default())?.forward(&values, &indices)?;
/// assert_eq!(back.to_vec3::<f32>()?, [[[0.0, 3.0, 4.0, 0.0]]]);
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MaxUnpool<const N: usize> {
    kernel_size: Size<N>,
    config: MaxUnpoolConfig<N>,
}

/// The greatest values of windows over the last dimension, back where they were found.
pub type MaxUnpool1d = MaxUnpool<1>;
/// The greatest values of windows over the last two dimensions, back where they were found.
pub type MaxUnpool2d = MaxUnpool<2>;
/// The greatest values of windows over the last three dimensions, back where they were found.
pub type MaxUnpool3d = MaxUnpool<3>;

impl<const N: usize> MaxUnpool<N> {
    const NAME: &'static str = numbered!("MaxUnpool", N);

    /// A layer for what was pooled with this window.
    ///
    /// # Errors
    /// When a size is zero.
    pub fn new(kernel_size: impl Into<Size<N>>, config: MaxUnpoolConfig<N>) -> Result<Self> {
        let kernel_size = kernel_size.into();
        let stride = config.stride.unwrap_or(kernel_size);
        if kernel_size.0.contains(&0) || stride.0.contains(&0) {
            let name = &Self::NAME[3..];
            bail!("{name}: kernel size {kernel_size} and stride {stride} should be at least 1");
        }
        Ok(Self { kernel_size, config })
    }

    fn shape(&self, input: &[usize], indices: &[usize]) -> Result<Vec<usize>> {
        let name = &Self::NAME[3..];
        let at = channels(name, input, N)?;
        if input != indices {
            bail!("{name}: expects as many indices as values, {input:?}, but is given {indices:?}");
        }
        let MaxUnpoolConfig { stride, padding, output_size } = self.config;
        let (stride, mut dims) = (stride.unwrap_or(self.kernel_size), input.to_vec());
        for i in 0..N {
            let extent = dims[at + 1 + i];
            let reach = extent.checked_sub(1).map(|steps| steps * stride.0[i] + self.kernel_size.0[i]);
            let Some(usual) = reach.and_then(|reach| reach.checked_sub(2 * padding.0[i])).filter(|&usual| usual > 0)
            else {
                bail!("{name}: nothing is left of {input:?} with padding {padding}");
            };
            let wanted = output_size.map_or(usual, |size| size.0[i]);
            if wanted + stride.0[i] <= usual || wanted >= usual + stride.0[i] {
                bail!("{name}: an extent of {wanted} should be less than {} away from {usual}", stride.0[i]);
            }
            dims[at + 1 + i] = wanted;
        }
        Ok(dims)
    }

    /// The layer with a result of these extents, those of the spatial dimensions or of all.
    fn sized(&self, output_size: &[usize]) -> Result<Self> {
        let spatial = output_size.len().checked_sub(N).map(|start| &output_size[start..]);
        let Some(Ok(sizes)) = spatial.map(<[usize; N]>::try_from) else {
            bail!("{}: expects an output size of {N} extents, but is given {}", &Self::NAME[3..], output_size.len());
        };
        let config = MaxUnpoolConfig { output_size: Some(Size(sizes)), ..self.config.clone() };
        Ok(Self { kernel_size: self.kernel_size, config })
    }

    /// The values back where they were.
    ///
    /// # Errors
    /// When the shapes do not fit, or an index is beyond its plane.
    pub fn forward(&self, input: &Tensor, indices: &Tensor) -> Result<Tensor> {
        put_back(self, input, indices)
    }

    /// The values back where they were, in a result of these extents, those of the spatial dimensions or of all. Called so
    /// in a graph, it is a layer of its own.
    ///
    /// # Errors
    /// When pooling of these extents would not give the input, and those of `forward`.
    pub fn forward_with_output_size(&self, input: &Tensor, indices: &Tensor, output_size: &[usize]) -> Result<Tensor> {
        self.sized(output_size)?.forward(input, indices)
    }
}

twice! {
    {}

    /// What [`MaxUnpool`] computes.
    pub(crate) fn put_back<const N: usize>(layer: &MaxUnpool<N>, input: &Tensor, indices: &Tensor) -> Result<Tensor> {
        let dims = layer.shape(input.dims(), indices.dims())?;
        let (planes, spatial) = dims.split_at(dims.len() - N);
        let (planes, plane) = (planes.iter().product::<usize>(), spatial.iter().product::<usize>());
        let rows = |x: &Tensor| x.contiguous()?.reshape((planes, input.elem_count() / planes.max(1)));
        let empty = Tensor::zeros((planes, plane), input.dtype(), input.device())?;
        empty.scatter(&rows(indices)?, &rows(input)?, 1)?.reshape(dims)
    }
}

impl<const N: usize> fmt::Display for MaxUnpool<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MaxUnpoolConfig { stride, padding, .. } = self.config;
        let (name, stride) = (&Self::NAME[3..], stride.unwrap_or(self.kernel_size));
        write!(f, "{name}(kernel_size={}, stride={stride}, padding={padding})", self.kernel_size)
    }
}

several! {
    const N => MaxUnpool<N> as Self::NAME, (indices);
    arguments { kernel_size: Size<N> }
    config config: MaxUnpoolConfig<N>;
    tensors {}
    make |_vb| Self::new(kernel_size, config);
    call |layer, input, indices| layer.forward(input, indices);
    shape |layer, input, indices| layer.shape(input.dims(), indices.dims());
    through |layer, _scope, input, indices| entered::put_back(layer, input, indices);
}

impl<const N: usize> Several<MaxUnpool<N>> {
    /// Records a call of the layer with a result of these extents.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward_with_output_size(&self, input: &Proxy, indices: &Proxy, output_size: &[usize]) -> Result<Proxy> {
        self.like(|layer| layer.sized(output_size))?.forward(input, indices)
    }
}
