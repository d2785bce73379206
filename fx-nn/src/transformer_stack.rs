//! Layers of a transformer on each other: [`TransformerEncoder`] and [`TransformerDecoder`].
//!
//! Invariant: layer `i` has its tensors in `layers.i`, the last norm in `norm`.

use std::fmt;
use std::sync::Arc;

use candle_core::{Module, Result, Tensor};
use candle_nn::VarBuilder;
use fx_core::leaf::{Layer, Leaf};
use fx_core::module::{Called, LayerKind, LayerState, kept_name};
use fx_core::ops::{Effect, InferError, IntoValue};
use fx_core::trace::{Given, Proxy, Scope, Traceable};
use fx_core::value::{Fact, Value};

use crate::container::ModuleList;
use crate::leaf::{Several, leaf, optional};
use crate::norm::{LayerNorm, LayerNormConfig};
use crate::options::builder;
use crate::transformer::{
    TransformerDecoderLayer, TransformerEncoderLayer, TransformerLayerConfig, decoded, decoder, print, same,
};
use crate::twice::twice;

macro_rules! stacks {
    ($($(#[$doc:meta])* $stack:ident of $layer:ident, $options:expr, |$this:ident, $args:ident| $call:expr, $macs:expr;)*) => {$(
        $(#[$doc])*
        #[doc = concat!("\n\n[torch.nn.", stringify!($stack), "](https://docs.pytorch.org/docs/stable/generated/torch.nn.", stringify!($stack), ".html)")]
        #[derive(Debug, Clone)]
        pub struct $stack {
            d_model: usize,
            nhead: usize,
            layers: ModuleList<$layer>,
            norm: Option<LayerNorm>,
            config: TransformerLayerConfig,
        }

        impl $stack {
            /// So many layers of this width and so many heads, all of these options, then a norm if one is given.
            ///
            /// torch copies one layer; here each has an initialisation of its own.
            ///
            /// # Errors
            /// Those of the layers.
            pub fn new(
                d_model: usize,
                nhead: usize,
                num_layers: usize,
                config: &TransformerLayerConfig,
                norm: Option<LayerNorm>,
                vb: VarBuilder<'_>,
            ) -> Result<Self> {
                let vb = vb.pp("layers");
                let layers = (0..num_layers).map(|i| <$layer>::new(d_model, nhead, config.clone(), vb.pp(i)));
                let layers = layers.collect::<Result<_>>()?;
                Ok(Self { d_model, nhead, layers, norm, config: config.clone() })
            }

            /// The mirrors of its layers and of its norm.
            fn entered(&self, scope: &Scope) -> (ModuleList<Several<$layer>>, Option<Leaf<LayerNorm>>) {
                (self.layers.symbolic(&scope.child("layers")), self.norm.symbolic(&scope.child("norm")))
            }
        }

        impl fmt::Display for $stack {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut inside: Vec<(&str, &dyn fmt::Display)> = vec![("layers", &self.layers)];
                inside.extend(self.norm.as_ref().map(|norm| ("norm", norm as &dyn fmt::Display)));
                print(f, stringify!($stack), &inside)
            }
        }

        impl Layer for $stack {
            const NAME: &'static str = concat!("nn.", stringify!($stack));
            const CALLED: Called = Called { method: "forward_t", options: $options };
            const IN_TRAINING: Effect = Effect::Random;
            const THROUGH: bool = true;
            type Parts = ();

            fn parts(&self, _: &Scope) {}

            fn call(&self, $args: &[&Value]) -> Result<Value> {
                let $this = self;
                $call
            }

            fn infer(&self, facts: &[&Fact]) -> std::result::Result<Fact, InferError> {
                same(facts, self.d_model, stringify!($stack))
            }

            fn macs(&self, facts: &[&Fact], _: &Fact) -> Option<u64> {
                let counted: fn(&$layer, &[&Fact]) -> Option<u64> = $macs;
                self.layers.iter().try_fold(0u64, |sum, layer| Some(sum.saturating_add(counted(layer, facts)?)))
            }

            const KIND: Option<&'static LayerKind> = Some(&LayerKind {
                name: Self::NAME,
                options: STACK,
                tensors: &["layers.*", "norm.weight", "norm.bias"],
                make: |state| {
                    let vb = builder(state);
                    let (width, heads, count) = (state.option("d_model")?, state.option("nhead")?, state.option("num_layers")?);
                    let norm = restored_norm(width, state, vb.pp("norm"))?;
                    let config = TransformerLayerConfig::restored(state)?;
                    Ok(Arc::new(Self::new(width, heads, count, &config, norm, vb)?))
                },
            });

            fn state(&self) -> Option<LayerState> {
                let count = self.layers.iter().count();
                let sizes = [("d_model", self.d_model), ("nhead", self.nhead), ("num_layers", count)];
                let sizes = sizes.map(|(name, size)| Some((name, size.into_value().ok()?)));
                let mut options = sizes.into_iter().collect::<Option<Vec<_>>>()?;
                options.extend(self.config.state().ok()?);
                let norm = self.norm.as_ref().map(LayerNorm::config);
                options.push(("norm_eps", norm.map(|norm| norm.eps).into_value().ok()?));
                options.push(("norm_elementwise_affine", norm.is_some_and(|norm| norm.elementwise_affine).into_value().ok()?));
                options.push(("norm_bias", norm.is_some_and(|norm| norm.bias).into_value().ok()?));
                let mut tensors = Vec::new();
                for (i, layer) in self.layers.iter().enumerate() {
                    let inside = Layer::state(layer)?.tensors.into_iter();
                    tensors.extend(inside.map(|(name, tensor)| (kept_name(&format!("layers.{i}.{name}")), tensor)));
                }
                for (name, full) in [("weight", "norm.weight"), ("bias", "norm.bias")] {
                    let tensor = self.norm.as_ref().and_then(|norm| norm.tensor(name));
                    tensors.extend(tensor.map(|tensor| (full, tensor)));
                }
                Some(LayerState { options, tensors })
            }
        }
        leaf!(@several $stack);
    )*};
}
stacks! {
    /// Encoder layers on each other, then a norm if there is one; `src` keeps its shape.
    TransformerEncoder of TransformerEncoderLayer, &["mask", "src_key_padding_mask", "train"], |this, args| {
        use fx_core::leaf::argument;
        this.forward_t(argument(args, 0)?, argument(args, 1)?, argument(args, 2)?, argument(args, 3)?).into_value()
    }, |layer, facts| layer.macs_of(facts.first()?.as_tensor()?);
    /// Decoder layers on each other, then a norm if there is one; `tgt` keeps its shape.
    TransformerDecoder of TransformerDecoderLayer,
    &["memory", "tgt_mask", "memory_mask", "tgt_key_padding_mask", "memory_key_padding_mask", "train"],
    |this, args| decoded(args, |tgt, memory, [tgt_mask, memory_mask, tgt_padding, memory_padding], train| {
        this.forward_t(tgt, memory, tgt_mask, memory_mask, tgt_padding, memory_padding, train)
    }), |layer, facts| layer.macs_of(facts.first()?.as_tensor()?, facts.get(1)?.as_tensor()?);
}
decoder!(TransformerDecoder);

impl TransformerDecoder {
    /// Records what the layers compute.
    fn through(&self, scope: &Scope, inputs: [&Proxy; 2], masks: [Option<&Proxy>; 4], train: bool) -> Result<Proxy> {
        let (layers, norm) = self.entered(scope);
        entered::decode(&layers, norm.as_ref(), inputs, masks, train)
    }
}

twice! {
    {
        type TransformerEncoderLayer = Several<super::TransformerEncoderLayer>;
        type TransformerDecoderLayer = Several<super::TransformerDecoderLayer>;
        type LayerNorm = Leaf<super::LayerNorm>;
    }

    /// What a [`TransformerEncoder`] computes.
    pub(crate) fn encode(
        layers: &ModuleList<TransformerEncoderLayer>,
        norm: Option<&LayerNorm>,
        src: &Tensor,
        [mask, padding]: [Option<&Tensor>; 2],
        train: bool,
    ) -> Result<Tensor> {
        let run = |x: Tensor, layer: &TransformerEncoderLayer| layer.forward_t(&x, mask, padding, train);
        finish(norm, layers.iter().try_fold(src.clone(), run)?)
    }

    /// What a [`TransformerDecoder`] computes.
    pub(crate) fn decode(
        layers: &ModuleList<TransformerDecoderLayer>,
        norm: Option<&LayerNorm>,
        [tgt, memory]: [&Tensor; 2],
        [a, b, c, d]: [Option<&Tensor>; 4],
        train: bool,
    ) -> Result<Tensor> {
        let run = |x: Tensor, layer: &TransformerDecoderLayer| layer.forward_t(&x, memory, a, b, c, d, train);
        finish(norm, layers.iter().try_fold(tgt.clone(), run)?)
    }

    /// The norm at the end.
    pub(crate) fn finish(norm: Option<&LayerNorm>, x: Tensor) -> Result<Tensor> {
        match norm {
            Some(norm) => norm.forward(&x),
            None => Ok(x),
        }
    }
}

/// Settings of both.
const STACK: &[&str] = &[
    "d_model",
    "nhead",
    "num_layers",
    "dim_feedforward",
    "dropout",
    "activation",
    "layer_norm_eps",
    "batch_first",
    "norm_first",
    "bias",
    "norm_eps",
    "norm_elementwise_affine",
    "norm_bias",
];

/// The norm of a stack that was saved, if it has one.
fn restored_norm(width: usize, state: &LayerState, vb: VarBuilder<'_>) -> Result<Option<LayerNorm>> {
    let Some(eps) = state.option::<Option<f64>>("norm_eps")? else { return Ok(None) };
    let (elementwise_affine, bias) = (state.option("norm_elementwise_affine")?, state.option("norm_bias")?);
    LayerNorm::new(vec![width], LayerNormConfig { eps, elementwise_affine, bias }, vb).map(Some)
}

impl TransformerEncoder {
    /// All layers, dropping nothing.
    ///
    /// # Errors
    /// When the sizes do not fit.
    pub fn forward(
        &self,
        src: &Tensor,
        mask: Option<&Tensor>,
        src_key_padding_mask: Option<&Tensor>,
    ) -> Result<Tensor> {
        self.forward_t(src, mask, src_key_padding_mask, false)
    }

    /// All layers, dropping in training.
    ///
    /// # Errors
    /// When the sizes do not fit.
    pub fn forward_t(
        &self,
        src: &Tensor,
        mask: Option<&Tensor>,
        src_key_padding_mask: Option<&Tensor>,
        train: bool,
    ) -> Result<Tensor> {
        encode(&self.layers, self.norm.as_ref(), src, [mask, src_key_padding_mask], train)
    }
}

impl Several<TransformerEncoder> {
    /// Records a call of the layer, dropping nothing.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward(&self, src: &Proxy, mask: Option<&Proxy>, src_key_padding_mask: Option<&Proxy>) -> Result<Proxy> {
        self.forward_t(src, mask, src_key_padding_mask, false)
    }

    /// Records a call of the layer.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward_t(
        &self,
        src: &Proxy,
        mask: Option<&Proxy>,
        src_key_padding_mask: Option<&Proxy>,
        train: bool,
    ) -> Result<Proxy> {
        if let Some(inside) = self.enter() {
            let (layers, norm) = inside.layer().entered(inside.scope());
            return entered::encode(&layers, norm.as_ref(), src, [mask, src_key_padding_mask], train);
        }
        let train = Given::Data(Value::Bool(train));
        self.record(&[Given::Proxy(src.clone()), optional(mask), optional(src_key_padding_mask), train])
    }
}

impl TransformerDecoder {
    /// All layers, dropping and masking nothing.
    ///
    /// # Errors
    /// When the sizes do not fit.
    pub fn forward(&self, tgt: &Tensor, memory: &Tensor) -> Result<Tensor> {
        self.forward_t(tgt, memory, None, None, None, None, false)
    }

    /// All layers, dropping in training.
    ///
    /// # Errors
    /// When the sizes do not fit.
    #[allow(clippy::too_many_arguments, reason = "torch's arguments, which graphs name one by one")]
    pub fn forward_t(
        &self,
        tgt: &Tensor,
        memory: &Tensor,
        tgt_mask: Option<&Tensor>,
        memory_mask: Option<&Tensor>,
        tgt_key_padding_mask: Option<&Tensor>,
        memory_key_padding_mask: Option<&Tensor>,
        train: bool,
    ) -> Result<Tensor> {
        let masks = [tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask];
        decode(&self.layers, self.norm.as_ref(), [tgt, memory], masks, train)
    }
}
