//! Pooling to a given size: [`AdaptiveAvgPool1d`], [`AdaptiveMaxPool1d`], and the same in two and three dimensions.
//!
//! Invariant: window `i` of `n` on an axis of `L` is `⌊i·L/n⌋ .. ⌈(i+1)·L/n⌉`, as in torch.

use std::fmt;

use candle_core::{Module, Result, Tensor, bail};

use crate::dims::channels;
use crate::leaf::leaf;
use crate::pool::numbered;
use crate::pool_indices::indices;
use crate::twice::twice;

/// The wanted extent of each of `N` dimensions; none keeps what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputSize<const N: usize>(pub [Option<usize>; N]);

impl<const N: usize> From<usize> for OutputSize<N> {
    fn from(size: usize) -> Self {
        Self([Some(size); N])
    }
}

impl<const N: usize> From<[Option<usize>; N]> for OutputSize<N> {
    fn from(sizes: [Option<usize>; N]) -> Self {
        Self(sizes)
    }
}

impl<const N: usize> From<[usize; N]> for OutputSize<N> {
    fn from(sizes: [usize; N]) -> Self {
        Self(sizes.map(Some))
    }
}

impl From<(usize, usize)> for OutputSize<2> {
    fn from((height, width): (usize, usize)) -> Self {
        Self([Some(height), Some(width)])
    }
}

impl<const N: usize> fx_core::ops::IntoValue for OutputSize<N> {
    fn into_value(self) -> Result<fx_core::value::Value> {
        self.0.into_value()
    }
}

impl<'v, const N: usize> fx_core::ops::FromValue<'v> for OutputSize<N> {
    const EXPECTED: &'static str = "a size, or none, for each dimension";

    fn from_value(value: &'v fx_core::value::Value) -> Option<Self> {
        <[Option<usize>; N]>::from_value(value).map(Self)
    }
}

impl<const N: usize> fmt::Display for OutputSize<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> =
            self.0.iter().map(|size| size.map_or_else(|| "None".to_owned(), |size| size.to_string())).collect();
        match all.as_slice() {
            [first, others @ ..] if others.iter().all(|other| other == first) => f.write_str(first),
            all => write!(f, "({})", all.join(", ")),
        }
    }
}

impl<const N: usize> OutputSize<N> {
    fn shape(self, layer: &str, dims: &[usize]) -> Result<Vec<usize>> {
        let at = channels(layer, dims, N)?;
        if dims[at + 1..].contains(&0) {
            bail!("{layer}: a tensor of shape {dims:?} has an empty axis");
        }
        let mut result = dims.to_vec();
        for (i, size) in self.0.into_iter().enumerate() {
            result[at + 1 + i] = size.unwrap_or(dims[at + 1 + i]);
        }
        Ok(result)
    }
}

twice! {
    {}

    /// Each axis after the other, by what makes one of a window.
    pub(crate) fn pool<const N: usize>(
        sizes: OutputSize<N>,
        layer: &str,
        x: &Tensor,
        reduce: impl Fn(&Tensor, usize) -> Result<Tensor>,
    ) -> Result<Tensor> {
        let dims = sizes.shape(layer, x.dims())?;
        if dims.contains(&0) {
            return Tensor::zeros(dims, x.dtype(), x.device());
        }
        let mut result = x.clone();
        for axis in (x.rank() - N..x.rank()).rev() {
            let (size, wanted) = (x.dim(axis)?, dims[axis]);
            if size == wanted {
                continue;
            }
            if wanted > 0 && size % wanted == 0 {
                let mut windows = result.dims().to_vec();
                windows[axis] = wanted;
                windows.insert(axis + 1, size / wanted);
                result = reduce(&result.reshape(windows)?, axis + 1)?;
                continue;
            }
            let parts = (0..wanted).map(|i| {
                let (start, end) = (i * size / wanted, ((i + 1) * size).div_ceil(wanted));
                reduce(&result.narrow(axis, start, end - start)?, axis)?.unsqueeze(axis)
            });
            let parts = parts.collect::<Result<Vec<_>>>()?;
            result = if parts.is_empty() { result.narrow(axis, 0, 0)? } else { Tensor::cat(&parts, axis)? };
        }
        Ok(result)
    }
}

macro_rules! adaptive {
    ($($(#[$doc:meta])* $layer:ident [$one:ident $two:ident $three:ident] = $name:literal, $what:literal, $how:ident, $reduce:expr;)*) => {$(
        $(#[$doc])*
        #[doc = concat!("\n\n[torch.nn.", $name, "2d](https://docs.pytorch.org/docs/stable/generated/torch.nn.", $name, "2d.html)")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $layer<const N: usize> {
            output_size: OutputSize<N>,
        }

        #[doc = concat!($what, " of as many windows as wanted over the last dimension.")]
        pub type $one = $layer<1>;
        #[doc = concat!($what, " of as many windows as wanted over the last two dimensions.")]
        pub type $two = $layer<2>;
        #[doc = concat!($what, " of as many windows as wanted over the last three dimensions.")]
        pub type $three = $layer<3>;

        impl<const N: usize> $layer<N> {
            const NAME: &'static str = numbered!($name, N);

            /// A layer that gives these extents.
            pub fn new(output_size: impl Into<OutputSize<N>>) -> Self {
                Self { output_size: output_size.into() }
            }
        }

        impl<const N: usize> Module for $layer<N> {
            /// # Errors
            /// When the tensor has another number of dimensions or an empty axis.
            fn forward(&self, xs: &Tensor) -> Result<Tensor> {
                pool(self.output_size, &Self::NAME[3..], xs, $reduce)
            }
        }

        impl<const N: usize> fmt::Display for $layer<N> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}(output_size={})", &Self::NAME[3..], self.output_size)
            }
        }

        leaf! {
            const N => $layer<N> as Self::NAME, $how;
            arguments { output_size: OutputSize<N> }
            tensors {}
            make |_vb| Ok(Self { output_size });
            shape |layer, x| layer.output_size.shape(&<$layer<N>>::NAME[3..], x.dims());
            through |layer, _scope, x| entered::pool(layer.output_size, &Self::NAME[3..], x, $reduce);
        }
    )*};
}
adaptive! {
    /// The average of as many windows as wanted; `(N, C, …)` or `(C, …)`.
    AdaptiveAvgPool [AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d] =
        "AdaptiveAvgPool", "The average", forward, |x, axis| x.mean(axis);
    /// The greatest value of as many windows as wanted; `(N, C, …)` or `(C, …)`.
    AdaptiveMaxPool [AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d] =
        "AdaptiveMaxPool", "The greatest value", indexed, |x, axis| x.max(axis);
}

indices! {
    AdaptiveMaxPool, "AdaptiveMaxPool", |state| Ok(Self { output_size: state.option("output_size")? });
    |layer, x| {
        let dims = layer.output_size.shape(&Self::NAME[3..], x)?;
        let windows = |axis: usize| {
            let (size, wanted) = (x[axis], dims[axis]);
            (0..wanted).map(|i| {
                let (start, end) = (i * size / wanted, ((i + 1) * size).div_ceil(wanted));
                (start..end).map(|at| u32::try_from(at).unwrap_or(u32::MAX)).collect()
            }).collect()
        };
        (x.len() - N..x.len()).map(windows).collect()
    };
}
