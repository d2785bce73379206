//! candle's types that a model may hold and that compute nothing: settings, where weights come from, and what trains.
//!
//! Invariant: their mirrors are copies, and of what cannot be copied nothing; what behaves differently for tensors and proxies
//! is not here.

use candle_core::quantized::GgmlDType;
use candle_core::streaming::BinOp;
use candle_core::{DeviceLocation, TensorId};
use candle_nn::init::{FanInOut, Init, NonLinearity, NormalOrUniform};
use candle_nn::rnn::Direction;
use candle_nn::var_builder::Shard;
use candle_nn::{AdamW, ParamsAdamW, SGD, VarBuilder, VarMap};

use crate::trace::encode::Mask;
use crate::trace::{Encoded, Given, Held, Holding, MapKey, Proxy, Scope, Traceable};
use crate::value::Value;

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

/// The mirror of an optimizer, which no capture runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Untraced;

macro_rules! untraced {
    ($($type:ty),*) => {$(
        impl Traceable for $type {
            type Symbolic = Untraced;

            fn symbolic(&self, _: &Scope) -> Untraced {
                Untraced
            }
        }
    )*};
}
untraced!(AdamW, SGD);

/// Bytes as hexadecimal digits, as keys of vocabularies.
impl MapKey for Vec<u8> {
    fn segment(&self) -> String {
        self.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The mirror of an `AttnMask`.
///
/// It has the constructors of candle's, and a tensor in it is a proxy.
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

impl Mask for AttnMask {
    fn encode(self) -> Encoded {
        Ok(match self {
            Self::None => Given::Data(Value::None),
            Self::Causal { kv_offset } => return candle_nn::attention::AttnMask::Causal { kv_offset }.encode(),
            Self::Mask(mask) => Given::Proxy(mask),
        })
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

    fn held(mirror: &AttnMask, _: &mut Holding) -> Held {
        match mirror {
            AttnMask::None => Held::NOTHING,
            AttnMask::Causal { kv_offset } => {
                Held::variant("AttnMask::Causal", vec![("kv_offset", Held::Data((*kv_offset).into()))])
            }
            AttnMask::Mask(mask) => Held::variant("AttnMask::Mask", vec![("", Held::Tensor(mask.clone()))]),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use candle_core::{Device, Tensor};
    use candle_nn::{BatchNorm, Init, VarMap};

    use super::AttnMask;
    use crate::trace::Tracer;

    #[test]
    fn settings_masks_and_odd_keys_are_held_beside_tensors() {
        let tensor = |values: &[f32]| Tensor::new(values, &Device::Cpu).expect("numbers");
        let mask = candle_nn::attention::AttnMask::Mask(tensor(&[1.0, 2.0]));
        let vocabulary = HashMap::from([(vec![1u8, 171], tensor(&[3.0, 4.0]))]);
        let [mean, var, weight, bias] = [[0.0, 0.0], [1.0, 1.0], [5.0, 6.0], [7.0, 8.0]].map(|values| tensor(&values));
        let norm = BatchNorm::new(2, mean, var, weight, bias, 1e-5).expect("they fit");
        let model = ((Init::Const(1.0), VarMap::new()), mask, vocabulary, norm);
        let module = Tracer::new()
            .trace_with(&model, |((init, _), mask, vocabulary, norm), inputs| {
                let (AttnMask::Mask(mask), Init::Const(factor)) = (&*mask, *init) else {
                    candle_core::bail!("they are copies");
                };
                let Some((weight, bias)) = norm.weight_and_bias() else {
                    candle_core::bail!("it has both");
                };
                let x = ((inputs.tensor("x")? * factor)? + mask)?;
                ((x + &vocabulary[&vec![1u8, 171]])? * weight)? + bias
            })
            .expect("captured");
        for path in ["1", "2.01ab", "3.weight", "3.bias"] {
            assert!(module.tensor(path).is_some(), "{path} of {}", module.graph());
        }
        let found = module.forward(&[tensor(&[1.0, 1.0])]).expect("it runs").to_vec1::<f32>().expect("numbers");
        assert_eq!(found, [32.0, 50.0]);
    }

    #[test]
    fn a_mask_answers_as_candle_s() {
        let original = candle_nn::attention::AttnMask::causal_with_offset(3);
        let mirror = AttnMask::causal_with_offset(3);
        assert_eq!((mirror.is_causal(), mirror.kv_offset()), (original.is_causal(), original.kv_offset()));
        assert_eq!(AttnMask::causal().kv_offset(), 0);
        assert!(!AttnMask::default().is_causal());
    }
}
