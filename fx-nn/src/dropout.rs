//! Dropout: [`Dropout`], by channels [`Dropout1d`] to [`Dropout3d`], and [`AlphaDropout`], [`FeatureAlphaDropout`].
//!
//! Invariant: outside of training they are the identity.

use std::fmt;

use candle_core::{ModuleT, Result, Tensor, bail};

use crate::leaf::leaf;
use crate::options::float;
use crate::twice::twice;

twice! {
    {}

    /// What is dropped together: an element, or a channel of `(N, C, …)`.
    pub(crate) fn mask(x: &Tensor, p: f64, whole_channels: usize) -> Result<Tensor> {
        let dims: Vec<usize> = match whole_channels {
            0 => x.dims().to_vec(),
            kept => (0..x.rank()).map(|i| if i < kept { x.dims()[i] } else { 1 }).collect(),
        };
        // 1 with probability 1 - p.
        Tensor::rand(0f32, 1f32, dims, x.device())?.ge(p as f32)?.to_dtype(x.dtype())
    }

    pub(crate) fn dropped(x: &Tensor, p: f64, whole_channels: usize) -> Result<Tensor> {
        if p >= 1.0 {
            return x.zeros_like();
        }
        (x.broadcast_mul(&mask(x, p, whole_channels)?)?) / (1.0 - p)
    }

    /// Dropping to the negative limit of SELU, then scaled and shifted so that mean and variance stay.
    pub(crate) fn alpha_dropped(x: &Tensor, p: f64, whole_channels: usize) -> Result<Tensor> {
        if p >= 1.0 {
            return x.zeros_like();
        }
        let limit = -1.758_099_340_847_376_6;
        let scale = 1.0 / ((limit * limit * p + 1.0) * (1.0 - p)).sqrt();
        let mask = mask(x, p, whole_channels)?;
        let held = mask.affine(-limit, limit)?;
        x.broadcast_mul(&mask)?.broadcast_add(&held)?.affine(scale, -scale * limit * p)
    }

    /// `x`, of which a [`Dropout`] with this probability drops elements in training.
    pub(crate) fn dropped_in(train: bool, p: f64, x: &Tensor) -> Result<Tensor> {
        if train && p > 0.0 { dropped(x, p, 0) } else { Ok(x.clone()) }
    }
}

macro_rules! dropouts {
    ($($(#[$doc:meta])* $layer:ident($ranks:expr) |$x:ident, $p:ident| $drop:expr;)*) => {$(
        $(#[$doc])*
        #[doc = concat!("\n\n[torch.nn.", stringify!($layer), "](https://docs.pytorch.org/docs/stable/generated/torch.nn.", stringify!($layer), ".html)")]
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $layer {
            p: f64,
        }

        impl $layer {
            /// A layer that drops with this probability.
            ///
            /// # Errors
            /// When it is not in `0..=1`.
            pub fn new(p: f64) -> Result<Self> {
                if !(0.0..=1.0).contains(&p) {
                    bail!("{}: the probability {p} should be in 0..=1", stringify!($layer));
                }
                Ok(Self { p })
            }

            fn shape(dims: &[usize]) -> Result<()> {
                let ranks: &[usize] = &$ranks;
                if ranks.is_empty() || ranks.contains(&dims.len()) {
                    return Ok(());
                }
                bail!("{}: expects a tensor of {ranks:?} dimensions, but is given {dims:?}", stringify!($layer))
            }
        }

        impl Default for $layer {
            /// Half of them.
            fn default() -> Self {
                Self { p: 0.5 }
            }
        }

        impl ModuleT for $layer {
            fn forward_t(&self, $x: &Tensor, train: bool) -> Result<Tensor> {
                Self::shape($x.dims())?;
                let $p = self.p;
                if train && $p > 0.0 { $drop } else { Ok($x.clone()) }
            }
        }

        impl fmt::Display for $layer {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}(p={}, inplace=False)", stringify!($layer), float(self.p))
            }
        }

        leaf! {
            $layer as concat!("nn.", stringify!($layer)), forward_t;
            arguments { p: f64 }
            tensors {}
            make |_vb| Self::new(p);
            shape |_layer, x| Self::shape(x.dims());
            in_training Random;
            through |layer, _scope, $x, train| {
                #[allow(unused_imports, reason = "each needs one of them")]
                use entered::{alpha_dropped, dropped};
                Self::shape($x.dims())?;
                let $p = layer.p;
                if train && $p > 0.0 { $drop } else { Ok($x.clone()) }
            };
        }
    )*};
}
dropouts! {
    /// Zeroes elements with probability `p` in training, and scales the others by `1 / (1 − p)`.
    Dropout([]) |x, p| dropped(x, p, 0);
    /// Zeroes channels of `(N, C, L)` or `(C, L)` with probability `p` in training, and scales the others by `1 / (1 − p)`.
    Dropout1d([2, 3]) |x, p| dropped(x, p, x.rank() - 1);
    /// Zeroes channels of `(N, C, H, W)` with probability `p` in training, and scales the others by `1 / (1 − p)`.
    ///
    /// As in torch, a tensor of three dimensions is `(N, C, L)`.
    Dropout2d([3, 4]) |x, p| dropped(x, p, 2);
    /// Zeroes channels of `(N, C, D, H, W)` or `(C, D, H, W)` with probability `p` in training, and scales the others
    /// by `1 / (1 − p)`.
    Dropout3d([4, 5]) |x, p| dropped(x, p, x.rank() - 3);
    /// Drops elements to the negative limit of SELU with probability `p` in training, keeping mean and variance.
    AlphaDropout([]) |x, p| alpha_dropped(x, p, 0);
    /// Drops channels of `(N, C, …)` to the negative limit of SELU with probability `p` in training, keeping mean and
    /// variance.
    FeatureAlphaDropout([]) |x, p| alpha_dropped(x, p, 2);
}

impl Dropout {
    /// A layer that drops nothing.
    pub(crate) const fn none() -> Self {
        Self { p: 0.0 }
    }

    /// The probability.
    #[must_use]
    pub const fn p(self) -> f64 {
        self.p
    }
}
