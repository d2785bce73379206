//! Layers that a function makes of tensors while it builds a model: `Conv2d::new(weight, Some(bias), config)`.
//!
//! Invariant: the layer is candle's own, made of the tensors that the original would make it of, so they are weights or
//! computed of weights alone.

use std::panic::Location;

use candle_core::{Result, Tensor};
use candle_nn::{
    BatchNorm, Conv1d, Conv1dConfig, Conv2d, Conv2dConfig, ConvTranspose1d, ConvTranspose1dConfig, ConvTranspose2d,
    ConvTranspose2dConfig, Dropout, Embedding, GroupNorm, LayerNorm, Linear, PReLU, RmsNorm,
};

use crate::trace::{At, Proxy, Scope, Session, TraceError};

use super::layer::{Layer, Leaf};

/// The tensor of a weight; one that is computed of inputs ends the capture.
#[track_caller]
fn weight(proxy: &Proxy, layer: &'static str) -> Tensor {
    match (proxy.held_at(), proxy.tensor()) {
        (Some(_), Some(tensor)) => tensor.clone(),
        _ => proxy.session().abort(TraceError::MadeOfInputs { layer, at: At(Location::caller()) }),
    }
}

impl<L: Layer> Leaf<L> {
    /// The mirror of a layer that a twin has made, in what it is building.
    #[track_caller]
    fn made(layer: &L) -> Self {
        match Session::current(L::NAME) {
            Ok(session) => Self::of(layer, &Scope::at_path(&session, session.made_path(L::NAME))),
            Err(error) => Session::abort_current(&error),
        }
    }
}

/// candle's constructors on proxies, with candle's parameters.
macro_rules! made {
    ($($layer:ident::$name:ident($($param:ident: $kind:ident),*) $($fallible:ident)?;)*) => {$(
        impl Leaf<$layer> {
            /// The layer of these tensors and settings.
            ///
            /// Its tensors have to be weights, which are concrete while a model is built
            /// ([`Tracer::trace_built`](crate::trace::Tracer::trace_built)); others end the capture.
            ///
            /// # Errors
            /// Those of candle's constructor of this name, where that gives a `Result`.
            #[track_caller]
            #[allow(clippy::too_many_arguments, missing_docs, clippy::missing_errors_doc, reason = "candle's")]
            pub fn $name($($param: made!(@type $kind)),*) -> made!(@result $($fallible)?) {
                let layer = <$layer>::$name($(made!(@real $layer $kind $param)),*);
                made!(@mirror layer $($fallible)?)
            }
        }
    )*};
    (@type Tensor) => { Proxy };
    (@type Optional) => { Option<Proxy> };
    (@type $plain:ident) => { $plain };
    (@real $layer:ident Tensor $param:ident) => { weight(&$param, <$layer as Layer>::NAME) };
    (@real $layer:ident Optional $param:ident) => { $param.map(|given| weight(&given, <$layer as Layer>::NAME)) };
    (@real $layer:ident $plain:ident $param:ident) => { $param };
    (@result) => { Self };
    (@result fallible) => { Result<Self> };
    (@mirror $made:ident) => { Self::made(&$made) };
    (@mirror $made:ident fallible) => { Ok(Self::made(&$made?)) };
}
made! {
    Linear::new(weight: Tensor, bias: Optional);
    Conv1d::new(weight: Tensor, bias: Optional, config: Conv1dConfig);
    Conv2d::new(weight: Tensor, bias: Optional, config: Conv2dConfig);
    ConvTranspose1d::new(weight: Tensor, bias: Optional, config: ConvTranspose1dConfig);
    ConvTranspose2d::new(weight: Tensor, bias: Optional, config: ConvTranspose2dConfig);
    Embedding::new(embeddings: Tensor, hidden_size: usize);
    LayerNorm::new(weight: Tensor, bias: Tensor, eps: f64);
    LayerNorm::new_no_bias(weight: Tensor, eps: f64);
    LayerNorm::rms_norm(weight: Tensor, eps: f64);
    RmsNorm::new(weight: Tensor, eps: f64);
    GroupNorm::new(weight: Tensor, bias: Tensor, num_channels: usize, num_groups: usize, eps: f64) fallible;
    BatchNorm::new(num_features: usize, running_mean: Tensor, running_var: Tensor, weight: Tensor, bias: Tensor, eps: f64) fallible;
    BatchNorm::new_no_bias(num_features: usize, running_mean: Tensor, running_var: Tensor, eps: f64) fallible;
    BatchNorm::new_with_momentum(num_features: usize, running_mean: Tensor, running_var: Tensor, weight: Tensor, bias: Tensor, eps: f64, momentum: f64) fallible;
    BatchNorm::new_no_bias_with_momentum(num_features: usize, running_mean: Tensor, running_var: Tensor, eps: f64, momentum: f64) fallible;
    PReLU::new(weight: Tensor, is_scalar: bool);
    Dropout::new(drop_p: f32);
}

impl Leaf<Conv2d> {
    /// The convolution with this normalisation in its kernel.
    ///
    /// # Errors
    /// What candle refuses.
    pub fn absorb_bn(&self, bn: &Leaf<BatchNorm>) -> Result<Self> {
        Ok(Self::of(&self.original().absorb_bn(bn.original())?, self.scope()))
    }
}
