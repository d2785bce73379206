//! candle_nn's layers that a twin makes itself: `Conv1d::new(weight, None, config)` in a forward.
//!
//! Their tensors are values of the graph, so there is no layer that a graph could hold: a call records what candle's layer
//! computes. Invariant: the operations are those of candle's `forward`, in its order, for the result to be the same bits.

use std::any::TypeId;

use candle_core::{D, DType, Result};
use candle_nn::{Conv1dConfig, Conv2dConfig};

use crate::trace::functions::{ops, unannotated};
use crate::trace::{Module, Proxy, Session};

macro_rules! made {
    ($(
        $(#[$doc:meta])*
        $name:ident { $($field:ident: $type:ty),* } by {
            $($constructor:ident($($arg:ident: $arg_type:ty),*) => { $($value:ident $(: $given:expr)?),* };)+
        }
    )*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name {
            $($field: $type),*
        }

        impl $name {
            $(
                /// As candle's constructor of this name.
                #[must_use]
                pub fn $constructor($($arg: $arg_type),*) -> Self {
                    Self { $($value $(: $given)?),* }
                }
            )+
        }
    )*

        /// Ends the capture if a twin took a type of the user's for candle's of the same name; `Made` is what it makes.
        #[track_caller]
        pub fn check<Named: 'static, Made: 'static>() {
            $(
                let is_ours = TypeId::of::<Made>() == TypeId::of::<$name>();
                if is_ours && TypeId::of::<Named>() != TypeId::of::<candle_nn::$name>() {
                    Session::abort_current(&unannotated(stringify!($name)));
                }
            )*
        }
    };
}
made! {
    /// `x · weightᵀ + bias` along the last dimension.
    Linear { weight: Proxy, bias: Option<Proxy> } by {
        new(weight: Proxy, bias: Option<Proxy>) => { weight, bias };
    }
    /// Convolution over one dimension.
    Conv1d { weight: Proxy, bias: Option<Proxy>, config: Conv1dConfig } by {
        new(weight: Proxy, bias: Option<Proxy>, config: Conv1dConfig) => { weight, bias, config };
    }
    /// Convolution over two dimensions.
    Conv2d { weight: Proxy, bias: Option<Proxy>, config: Conv2dConfig } by {
        new(weight: Proxy, bias: Option<Proxy>, config: Conv2dConfig) => { weight, bias, config };
    }
    /// Rows of a table.
    Embedding { embeddings: Proxy, hidden_size: usize } by {
        new(embeddings: Proxy, hidden_size: usize) => { embeddings, hidden_size };
    }
    /// Normalisation over the last dimension.
    LayerNorm { weight: Proxy, bias: Option<Proxy>, eps: f64, remove_mean: bool } by {
        new(weight: Proxy, bias: Proxy, eps: f64) => { weight, bias: Some(bias), eps, remove_mean: true };
        new_no_bias(weight: Proxy, eps: f64) => { weight, bias: None, eps, remove_mean: true };
        rms_norm(weight: Proxy, eps: f64) => { weight, bias: None, eps, remove_mean: false };
    }
    /// Normalisation by the root mean square over the last dimension.
    RmsNorm { weight: Proxy, eps: f64 } by {
        new(weight: Proxy, eps: f64) => { weight, eps };
    }
}

impl Module for Linear {
    #[track_caller]
    fn forward(&self, x: &Proxy) -> Result<Proxy> {
        let rows = |rows: usize, width: usize| x.reshape((rows, width))?.matmul(&self.weight.t()?);
        let x = match *x.dims() {
            [first, second, third, width] if x.is_contiguous() => {
                rows(first * second * third, width)?.reshape((first, second, third, ()))?
            }
            [first, second, width] if x.is_contiguous() => rows(first * second, width)?.reshape((first, second, ()))?,
            [first, second, _, _] => x.matmul(&self.weight.broadcast_left((first, second))?.t()?)?,
            [first, _, _] => x.matmul(&self.weight.broadcast_left(first)?.t()?)?,
            _ => x.matmul(&self.weight.t()?)?,
        };
        with_bias(x, self.bias.as_ref())
    }
}

impl Module for Conv1d {
    #[track_caller]
    fn forward(&self, x: &Proxy) -> Result<Proxy> {
        let Conv1dConfig { padding, stride, dilation, groups, .. } = self.config;
        let x = x.conv1d(&self.weight, padding, stride, dilation, groups)?;
        let bias = self.bias.as_ref().map(|bias| bias.reshape((1, bias.dims1()?, 1))).transpose()?;
        with_bias(x, bias.as_ref())
    }
}

impl Module for Conv2d {
    #[track_caller]
    fn forward(&self, x: &Proxy) -> Result<Proxy> {
        let Conv2dConfig { padding, stride, dilation, groups, .. } = self.config;
        let x = x.conv2d(&self.weight, padding, stride, dilation, groups)?;
        let bias = self.bias.as_ref().map(|bias| bias.reshape((1, bias.dims1()?, 1, 1))).transpose()?;
        with_bias(x, bias.as_ref())
    }
}

impl Module for Embedding {
    #[track_caller]
    fn forward(&self, indexes: &Proxy) -> Result<Proxy> {
        let dims: Vec<usize> = indexes.dims().iter().copied().chain([self.hidden_size]).collect();
        self.embeddings.index_select(&indexes.flatten_all()?, 0)?.reshape(dims)
    }
}

impl Module for LayerNorm {
    #[track_caller]
    fn forward(&self, x: &Proxy) -> Result<Proxy> {
        match &self.bias {
            Some(bias) if self.remove_mean && x.is_contiguous() => {
                ops::layer_norm(x, &self.weight, bias, self.eps as f32)
            }
            bias => with_bias(normed(x, &self.weight, self.eps, self.remove_mean)?, bias.as_ref()),
        }
    }
}

impl Module for RmsNorm {
    #[track_caller]
    fn forward(&self, x: &Proxy) -> Result<Proxy> {
        if x.is_contiguous() {
            ops::rms_norm(x, &self.weight, self.eps as f32)
        } else {
            normed(x, &self.weight, self.eps, false)
        }
    }
}

#[track_caller]
fn with_bias(x: Proxy, bias: Option<&Proxy>) -> Result<Proxy> {
    match bias {
        None => Ok(x),
        Some(bias) => x.broadcast_add(bias),
    }
}

/// candle's normalisation step by step, in `f32` where the type is smaller.
#[track_caller]
fn normed(x: &Proxy, weight: &Proxy, eps: f64, remove_mean: bool) -> Result<Proxy> {
    let dtype = x.dtype();
    let internal = if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype };
    let size = x.dim(D::Minus1)? as f64;
    let x = x.to_dtype(internal)?;
    let x = if remove_mean { x.broadcast_sub(&(x.sum_keepdim(D::Minus1)? / size)?)? } else { x };
    let variance = (x.sqr()?.sum_keepdim(D::Minus1)? / size)?;
    x.broadcast_div(&(variance + eps)?.sqrt()?)?.to_dtype(dtype)?.broadcast_mul(weight)
}
