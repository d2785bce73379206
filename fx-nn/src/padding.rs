//! Padding: [`ZeroPad1d`], [`ConstantPad1d`], [`ReflectionPad1d`], [`ReplicationPad1d`], [`CircularPad1d`], and the same
//! in two and three dimensions.
//!
//! Invariant: paddings are in torch's order, the last dimension first: left, right, top, bottom, front, back.

use std::fmt;

use candle_core::{Module, Result, Tensor};
use fx_core::ops::IntoValue;

use crate::axis::{self as edges, Fill};
use crate::dims::{channels, rank};
use crate::leaf::leaf;
use crate::options::{float, tuple};
use crate::twice::twice;

/// What is added on both sides of `N` dimensions, the last one first; a single number stands for all sides.
///
/// Negative numbers take away, where torch allows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sides<const N: usize>(pub [(i64, i64); N]);

impl<const N: usize> From<i64> for Sides<N> {
    fn from(side: i64) -> Self {
        Self([(side, side); N])
    }
}

impl<const N: usize> From<[(i64, i64); N]> for Sides<N> {
    fn from(sides: [(i64, i64); N]) -> Self {
        Self(sides)
    }
}

impl<const N: usize> IntoValue for Sides<N> {
    fn into_value(self) -> Result<fx_core::value::Value> {
        self.0.into_value()
    }
}

impl<'v, const N: usize> fx_core::ops::FromValue<'v> for Sides<N> {
    const EXPECTED: &'static str = "a pair of paddings for each dimension";

    fn from_value(value: &'v fx_core::value::Value) -> Option<Self> {
        <[(i64, i64); N]>::from_value(value).map(Self)
    }
}

impl<const N: usize> fmt::Display for Sides<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<i64> = self.0.iter().flat_map(|&(left, right)| [left, right]).collect();
        f.write_str(&tuple(&all))
    }
}

impl<const N: usize> Sides<N> {
    /// Axis, left and right, for a tensor of this rank.
    fn axes(self, rank: usize) -> impl Iterator<Item = (usize, i64, i64)> {
        self.0.into_iter().enumerate().map(move |(i, (left, right))| (rank - 1 - i, left, right))
    }

    fn shape(self, layer: &str, dims: &[usize], fill: Fill) -> Result<Vec<usize>> {
        if matches!(fill, Fill::Constant(_)) {
            // torch's constant padding takes any rank from N on.
            if dims.len() < N {
                rank(layer, dims, &[N], &format!("at least {N} dimensions"))?;
            }
        } else {
            channels(layer, dims, N)?;
        }
        let mut result = dims.to_vec();
        for (axis, left, right) in self.axes(dims.len()) {
            result[axis] = edges::padded(layer, dims[axis], left, right, fill)?;
        }
        Ok(result)
    }
}

twice! {
    {
        use crate::axis::entered as edges;
    }

    pub(crate) fn pad<const N: usize>(sides: Sides<N>, layer: &str, x: &Tensor, fill: Fill) -> Result<Tensor> {
        sides.shape(layer, x.dims(), fill)?;
        let mut result = x.clone();
        for (axis, left, right) in sides.axes(x.rank()) {
            result = edges::pad(layer, &result, axis, left, right, fill)?;
        }
        Ok(result)
    }
}

macro_rules! padding {
    ($(
        $(#[$doc:meta])*
        $layer:ident [$one:ident $two:ident $three:ident] = $words:literal, $page:literal, $fill:expr;
    )*) => {$(
        $(#[$doc])*
        #[doc = concat!("\n\n[torch.nn.", $page, "2d](https://docs.pytorch.org/docs/stable/generated/torch.nn.", $page, "2d.html)")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $layer<const N: usize> {
            padding: Sides<N>,
        }

        #[doc = concat!("Pads the last dimension ", $words, ".")]
        pub type $one = $layer<1>;
        #[doc = concat!("Pads the last two dimensions ", $words, ".")]
        pub type $two = $layer<2>;
        #[doc = concat!("Pads the last three dimensions ", $words, ".")]
        pub type $three = $layer<3>;

        impl<const N: usize> $layer<N> {
            const NAME: &'static str = match N {
                1 => concat!("nn.", stringify!($one)),
                2 => concat!("nn.", stringify!($two)),
                _ => concat!("nn.", stringify!($three)),
            };

            /// A layer that adds so much: the same on all sides, or left and right of each dimension, the last one first.
            pub fn new(padding: impl Into<Sides<N>>) -> Self {
                Self { padding: padding.into() }
            }
        }

        impl<const N: usize> Module for $layer<N> {
            /// # Errors
            /// When the tensor has too few dimensions, or is too small for the padding.
            fn forward(&self, xs: &Tensor) -> Result<Tensor> {
                pad(self.padding, &Self::NAME[3..], xs, $fill)
            }
        }

        impl<const N: usize> fmt::Display for $layer<N> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", &Self::NAME[3..], self.padding)
            }
        }

        leaf! {
            const N => $layer<N> as Self::NAME, forward;
            arguments { padding: Sides<N> }
            tensors {}
            make |_vb| Ok(Self { padding });
            shape |layer, x| layer.padding.shape(&<$layer<N>>::NAME[3..], x.dims(), $fill);
            through |layer, _scope, x| entered::pad(layer.padding, &Self::NAME[3..], x, $fill);
        }
    )*};
}
padding! {
    /// Pads with zeros; negative paddings take away.
    ZeroPad [ZeroPad1d ZeroPad2d ZeroPad3d] = "with zeros", "ZeroPad", Fill::Constant(0.0);
    /// Pads with what mirrors the edge, without the edge itself; `(N, C, …)` or `(C, …)`.
    ReflectionPad [ReflectionPad1d ReflectionPad2d ReflectionPad3d] = "with what mirrors the edge", "ReflectionPad", Fill::Reflect;
    /// Pads with the edge; `(N, C, …)` or `(C, …)`.
    ReplicationPad [ReplicationPad1d ReplicationPad2d ReplicationPad3d] = "with the edge", "ReplicationPad", Fill::Replicate;
    /// Pads from the other side; `(N, C, …)` or `(C, …)`.
    CircularPad [CircularPad1d CircularPad2d CircularPad3d] = "from the other side", "CircularPad", Fill::Circular;
}

/// Pads with a number; negative paddings take away.
///
/// [torch.nn.ConstantPad2d](https://docs.pytorch.org/docs/stable/generated/torch.nn.ConstantPad2d.html)
///
/// ```
/// use candle_core::{Device, Module, Tensor};
/// let x = Tensor::new(&[[1f32, 2.0]], &Device::Cpu)?;
/// let padded = fx_nn::ConstantPad1d::new([(2, -1)], 9.0).forward(&x)?;
/// assert_eq!(padded.to_vec2::<f32>()?, [[9.0, 9.0, 1.0]]);
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstantPad<const N: usize> {
    padding: Sides<N>,
    value: f64,
}

/// Pads the last dimension with a number.
pub type ConstantPad1d = ConstantPad<1>;
/// Pads the last two dimensions with a number.
pub type ConstantPad2d = ConstantPad<2>;
/// Pads the last three dimensions with a number.
pub type ConstantPad3d = ConstantPad<3>;

impl<const N: usize> ConstantPad<N> {
    const NAME: &'static str = match N {
        1 => "nn.ConstantPad1d",
        2 => "nn.ConstantPad2d",
        _ => "nn.ConstantPad3d",
    };

    /// A layer that adds so much of `value`.
    pub fn new(padding: impl Into<Sides<N>>, value: f64) -> Self {
        Self { padding: padding.into(), value }
    }
}

impl<const N: usize> Module for ConstantPad<N> {
    /// # Errors
    /// When the tensor has too few dimensions, or nothing is left of one.
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        pad(self.padding, &Self::NAME[3..], xs, Fill::Constant(self.value))
    }
}

impl<const N: usize> fmt::Display for ConstantPad<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(padding={}, value={})", &Self::NAME[3..], self.padding, float(self.value))
    }
}

leaf! {
    const N => ConstantPad<N> as Self::NAME, forward;
    arguments { padding: Sides<N>, value: f64 }
    tensors {}
    make |_vb| Ok(Self { padding, value });
    shape |layer, x| layer.padding.shape(&Self::NAME[3..], x.dims(), Fill::Constant(layer.value));
    through |layer, _scope, x| entered::pad(layer.padding, &Self::NAME[3..], x, Fill::Constant(layer.value));
}
