//! candle's types that a model may hold and that compute nothing: settings, and where weights come from.
//!
//! Invariant: their mirrors are copies; what behaves differently for tensors and proxies is not here.

use candle_core::quantized::GgmlDType;
use candle_core::streaming::BinOp;
use candle_core::{DeviceLocation, TensorId};
use candle_nn::init::{FanInOut, Init, NonLinearity, NormalOrUniform};
use candle_nn::rnn::Direction;
use candle_nn::var_builder::Shard;
use candle_nn::{ParamsAdamW, VarBuilder, VarMap};

use crate::trace::{MapKey, Proxy, Scope, Traceable};

macro_rules! copied {
    ($($type:ty),* $(,)?) => {$(
        impl Traceable for $type {
            type Symbolic = Self;

            fn symbolic(&self, _: &Scope) -> Self {
                self.clone()
            }
        }
    )*};
}
copied! {
    BinOp, Direction, FanInOut, GgmlDType, Init, NonLinearity, NormalOrUniform, ParamsAdamW, Shard, DeviceLocation,
    TensorId, VarBuilder<'_>, VarMap, candle_core::conv::CudnnFwdAlgo, candle_core::scalar::Scalar,
}

/// Bytes as hexadecimal digits, as keys of vocabularies.
impl MapKey for Vec<u8> {
    fn segment(&self) -> String {
        self.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The mirror of an `AttnMask`.
#[derive(Debug, Clone, Default)]
pub enum AttnMask {
    /// Attention to all.
    #[default]
    None,
    /// Attention to what came before.
    Causal {
        /// How many positions came before the first.
        kv_offset: usize,
    },
    /// A mask.
    Mask(Proxy),
}

impl AttnMask {
    /// Attention to what came before.
    #[must_use]
    pub fn causal() -> Self {
        Self::Causal { kv_offset: 0 }
    }

    /// Attention to what came before, after so many positions.
    #[must_use]
    pub fn causal_with_offset(kv_offset: usize) -> Self {
        Self::Causal { kv_offset }
    }

    /// Whether it is attention to what came before.
    #[must_use]
    pub fn is_causal(&self) -> bool {
        matches!(self, Self::Causal { .. })
    }

    /// How many positions came before the first.
    #[must_use]
    pub fn kv_offset(&self) -> usize {
        match self {
            Self::Causal { kv_offset } => *kv_offset,
            Self::None | Self::Mask(_) => 0,
        }
    }
}

impl Traceable for candle_nn::attention::AttnMask {
    type Symbolic = AttnMask;

    fn symbolic(&self, scope: &Scope) -> AttnMask {
        match self {
            Self::None => AttnMask::None,
            Self::Causal { kv_offset } => AttnMask::Causal { kv_offset: *kv_offset },
            Self::Mask(mask) => AttnMask::Mask(mask.symbolic(scope)),
        }
    }
}
