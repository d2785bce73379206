//! Layers that move elements: [`Flatten`], [`Unflatten`], [`PixelShuffle`], [`PixelUnshuffle`], [`ChannelShuffle`].
//!
//! Invariant: nothing is computed; every element of the input is in the result once.

use std::fmt;

use candle_core::{Module, Result, Tensor, bail};

use crate::dims::{index, rank};
use crate::leaf::leaf;
use crate::options::tuple;
use crate::twice::twice;

/// Several dimensions as one.
///
/// [torch.nn.Flatten](https://docs.pytorch.org/docs/stable/generated/torch.nn.Flatten.html)
///
/// ```
/// use candle_core::{DType, Device, Module, Tensor};
/// let x = Tensor::zeros((2, 3, 4), DType::F32, &Device::Cpu)?;
/// assert_eq!(fx_nn::Flatten::default().forward(&x)?.dims(), [2, 12]);
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flatten {
    start_dim: i64,
    end_dim: i64,
}

impl Default for Flatten {
    /// All dimensions after the first.
    fn default() -> Self {
        Self::new(1, -1)
    }
}

impl Flatten {
    /// Dimensions `start_dim` to `end_dim`, both included, as one; negative ones count from the end.
    #[must_use]
    pub const fn new(start_dim: i64, end_dim: i64) -> Self {
        Self { start_dim, end_dim }
    }

    fn shape(self, dims: &[usize]) -> Result<Vec<usize>> {
        // torch takes a number as a tensor of one element.
        let dims = if dims.is_empty() { &[1] } else { dims };
        let start = index("Flatten", self.start_dim, dims.len())?;
        let end = index("Flatten", self.end_dim, dims.len())?;
        if start > end {
            bail!(
                "Flatten({}, {}) of a tensor of shape {dims:?}: the end is before the start",
                self.start_dim,
                self.end_dim
            );
        }
        let middle = dims[start..=end].iter().product();
        Ok(dims[..start].iter().copied().chain([middle]).chain(dims[end + 1..].iter().copied()).collect())
    }
}

impl Module for Flatten {
    /// # Errors
    /// When the tensor has not these dimensions.
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        xs.reshape(self.shape(xs.dims())?)
    }
}

impl fmt::Display for Flatten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Flatten(start_dim={}, end_dim={})", self.start_dim, self.end_dim)
    }
}

leaf! {
    Flatten as "nn.Flatten", forward;
    arguments { start_dim: i64, end_dim: i64 }
    tensors {}
    make |_vb| Ok(Self { start_dim, end_dim });
    shape |layer, x| layer.shape(x.dims());
    through |layer, _scope, x| x.reshape(layer.shape(x.dims())?);
}

/// One dimension as several; one of them may be -1, which is what is left.
///
/// [torch.nn.Unflatten](https://docs.pytorch.org/docs/stable/generated/torch.nn.Unflatten.html)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unflatten {
    dim: i64,
    unflattened_size: Vec<i64>,
}

impl Unflatten {
    /// Dimension `dim` as dimensions of these extents.
    #[must_use]
    pub fn new(dim: i64, unflattened_size: impl Into<Vec<i64>>) -> Self {
        Self { dim, unflattened_size: unflattened_size.into() }
    }

    fn shape(&self, dims: &[usize]) -> Result<Vec<usize>> {
        let at = index("Unflatten", self.dim, dims.len())?;
        let sizes = &self.unflattened_size;
        let known: Option<usize> = sizes
            .iter()
            .filter(|&&size| size != -1)
            .try_fold(1usize, |product, &size| product.checked_mul(usize::try_from(size).ok()?));
        let holes = sizes.iter().filter(|&&size| size == -1).count();
        let Some(known) = known.filter(|_| holes <= 1 && !sizes.is_empty()) else {
            bail!("Unflatten: sizes {sizes:?} should be positive, but for one -1");
        };
        let fits = if holes == 1 { known != 0 && dims[at].is_multiple_of(known) } else { known == dims[at] };
        if !fits {
            bail!("Unflatten: sizes {sizes:?} do not make dimension {} of {dims:?}", self.dim);
        }
        let sizes = sizes.iter().map(|&size| usize::try_from(size).unwrap_or_else(|_| dims[at] / known));
        Ok(dims[..at].iter().copied().chain(sizes).chain(dims[at + 1..].iter().copied()).collect())
    }
}

impl Module for Unflatten {
    /// # Errors
    /// When the sizes do not make the dimension.
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        xs.reshape(self.shape(xs.dims())?)
    }
}

impl fmt::Display for Unflatten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unflatten(dim={}, unflattened_size={})", self.dim, tuple(&self.unflattened_size))
    }
}

leaf! {
    Unflatten as "nn.Unflatten", forward;
    arguments { dim: i64, unflattened_size: Vec<i64> }
    tensors {}
    make |_vb| Ok(Self { dim, unflattened_size });
    shape |layer, x| layer.shape(x.dims());
    through |layer, _scope, x| x.reshape(layer.shape(x.dims())?);
}

/// The last three dimensions; any number stand before them.
fn image(layer: &str, dims: &[usize]) -> Result<[usize; 3]> {
    match dims {
        [.., channels, height, width] => Ok([*channels, *height, *width]),
        _ => rank(layer, dims, &[3], "(…, C, H, W)").map(|()| [0; 3]),
    }
}

/// Other last three dimensions.
fn with_image(dims: &[usize], image: [usize; 3]) -> Vec<usize> {
    dims[..dims.len() - 3].iter().copied().chain(image).collect()
}

twice! {
    {}

    /// The elements of images that are split into six dimensions, in another order.
    pub(crate) fn moved(x: &Tensor, split: [usize; 5], order: [usize; 5], result: Vec<usize>) -> Result<Tensor> {
        let images = x.dims()[..x.rank() - 3].iter().product::<usize>();
        let dims: Vec<usize> = [images].into_iter().chain(split).collect();
        let order: Vec<usize> = [0].into_iter().chain(order).collect();
        x.reshape(dims)?.permute(order)?.reshape(result)
    }
}

macro_rules! factor {
    ($($(#[$doc:meta])* $layer:ident { $field:ident }, |$this:ident, $dims:ident| $shape:expr, |$x:ident, $image:ident| $moved:expr;)*) => {$(
        $(#[$doc])*
        #[doc = concat!("\n\n[torch.nn.", stringify!($layer), "](https://docs.pytorch.org/docs/stable/generated/torch.nn.", stringify!($layer), ".html)")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $layer {
            $field: usize,
        }

        impl $layer {
            /// A layer of this factor.
            ///
            /// # Errors
            /// When it is zero.
            pub fn new($field: usize) -> Result<Self> {
                if $field == 0 {
                    bail!("{}: {} should be at least 1", stringify!($layer), stringify!($field));
                }
                Ok(Self { $field })
            }

            fn shape(self, $dims: &[usize]) -> Result<Vec<usize>> {
                let $this = self.$field;
                $shape
            }
        }

        impl Module for $layer {
            /// # Errors
            /// When the tensor has too few dimensions or the factor does not divide them.
            fn forward(&self, $x: &Tensor) -> Result<Tensor> {
                let result = self.shape($x.dims())?;
                let ($this, $image) = (self.$field, $x.dims());
                $moved(result)
            }
        }

        impl fmt::Display for $layer {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({}={})", stringify!($layer), stringify!($field), self.$field)
            }
        }

        leaf! {
            $layer as concat!("nn.", stringify!($layer)), forward;
            arguments { $field: usize }
            tensors {}
            make |_vb| Self::new($field);
            shape |layer, x| layer.shape(x.dims());
            through |layer, _scope, $x| {
                #[allow(unused_imports, reason = "not every layer needs it")]
                use entered::moved;
                let result = layer.shape($x.dims())?;
                let ($this, $image) = (layer.$field, $x.dims());
                $moved(result)
            };
        }
    )*};
}
factor! {
    /// `(…, C·r², H, W)` becomes `(…, C, H·r, W·r)`.
    PixelShuffle { upscale_factor }, |r, dims| {
        let [channels, height, width] = image("PixelShuffle", dims)?;
        if channels % (r * r) != 0 {
            bail!("PixelShuffle: {channels} channels of {dims:?} should be divisible by {}", r * r);
        }
        Ok(with_image(dims, [channels / (r * r), height * r, width * r]))
    }, |x, dims| |result: Vec<usize>| {
        let [channels, height, width] = image("PixelShuffle", dims)?;
        moved(x, [channels / (r * r), r, r, height, width], [1, 4, 2, 5, 3], result)
    };
    /// `(…, C, H·r, W·r)` becomes `(…, C·r², H, W)`.
    PixelUnshuffle { downscale_factor }, |r, dims| {
        let [channels, height, width] = image("PixelUnshuffle", dims)?;
        if height % r != 0 || width % r != 0 {
            bail!("PixelUnshuffle: height and width of {dims:?} should be divisible by {r}");
        }
        Ok(with_image(dims, [channels * r * r, height / r, width / r]))
    }, |x, dims| |result: Vec<usize>| {
        let [channels, height, width] = image("PixelUnshuffle", dims)?;
        moved(x, [channels, height / r, r, width / r, r], [1, 3, 5, 2, 4], result)
    };
    /// The channels of `(N, C, …)` in `groups` groups, taken in turn from each.
    ChannelShuffle { groups }, |groups, dims| {
        match dims {
            [_, channels, _, ..] if channels % groups == 0 => Ok(dims.to_vec()),
            _ => bail!("ChannelShuffle: expects (N, C, …) with C divisible by {groups}, but is given {dims:?}"),
        }
    }, |x, dims| |result: Vec<usize>| {
        let rest: usize = dims[2..].iter().product();
        x.reshape((dims[0], groups, dims[1] / groups, rest))?.transpose(1, 2)?.reshape(result)
    };
}
