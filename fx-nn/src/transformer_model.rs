//! [`Transformer`]: an encoder and a decoder that attends to what it gives.
//!
//! Invariant: encoder and decoder have their tensors in `encoder` and `decoder`, and a norm each at their ends.

use std::fmt;
use std::sync::Arc;

use candle_core::{Result, Tensor};
use candle_nn::VarBuilder;
use fx_core::leaf::{Layer, argument};
use fx_core::module::{Called, LayerKind, LayerState, kept_name};
use fx_core::ops::{Effect, InferError, IntoValue};
use fx_core::trace::{Given, Proxy, Scope, Traceable};
use fx_core::value::{Fact, Value};

use crate::attention::xavier;
use crate::leaf::{Several, leaf, optional};
use crate::norm::{LayerNorm, LayerNormConfig};
use crate::options::{builder, options};
use crate::transformer::{TransformerActivation, TransformerLayerConfig, print, same};
use crate::transformer_stack::{TransformerDecoder, TransformerEncoder};
use crate::twice::twice;

options! {
    /// Options of [`Transformer`].
    TransformerConfig {
        /// The width; 512 by default.
        d_model: usize = 512,
        /// How many heads attention has; 8 by default.
        nhead: usize = 8,
        /// How many layers the encoder has; 6 by default.
        num_encoder_layers: usize = 6,
        /// How many layers the decoder has; 6 by default.
        num_decoder_layers: usize = 6,
        /// The width between the two linear layers of a layer; 2048 by default.
        dim_feedforward: usize = 2048,
        /// How much is dropped in training; a tenth by default.
        dropout: f64 = 0.1,
        /// The activation between them; `relu` by default.
        activation: TransformerActivation = TransformerActivation::Relu,
        /// What is added to variances; 1e-5 by default.
        layer_norm_eps: f64 = 1e-5,
        /// Whether the batch stands before the length; false by default.
        batch_first: bool = false,
        /// Whether is normalised before attention and linear layers, not after; false by default.
        norm_first: bool = false,
        /// Whether linear layers, attention and norms add something; true by default.
        bias: bool = true,
    }
}

/// An encoder of `src`, and a decoder of `tgt` that attends to what the encoder gives; both end with a norm.
///
/// `src` is `(S, N, d_model)` and `tgt` `(T, N, d_model)`, with `batch_first` `(N, S, d_model)` and `(N, T, d_model)`, or both
/// without a batch; the result is of the shape of `tgt`. Masks are those of
/// [`MultiheadAttention`](crate::MultiheadAttention).
///
/// State: `encoder.*` of [`TransformerEncoder`] and `decoder.*` of [`TransformerDecoder`], each with a `norm`. all
/// matrices from `U(-√(6 / (rows + columns)), …)`.
///
/// [torch.nn.Transformer](https://docs.pytorch.org/docs/stable/generated/torch.nn.Transformer.html)
#[derive(Debug, Clone)]
pub struct Transformer {
    encoder: TransformerEncoder,
    decoder: TransformerDecoder,
    config: TransformerConfig,
}

/// Makes the matrices that a builder of variables does not have yet, as a whole transformer begins with them; their layers,
/// which would begin otherwise, find them there.
fn begin(config: &TransformerConfig, vb: &VarBuilder<'_>) -> Result<()> {
    let (width, inner) = (config.d_model, config.dim_feedforward);
    let halves: [(_, _, &[&str]); 2] = [
        ("encoder", config.num_encoder_layers, &["self_attn"]),
        ("decoder", config.num_decoder_layers, &["self_attn", "multihead_attn"]),
    ];
    for (half, layers, attentions) in halves {
        for layer in 0..layers {
            let vb = vb.pp(half).pp("layers").pp(layer);
            let out = attentions.iter().map(|attention| (vb.pp(attention).pp("out_proj"), width, width));
            let linear = [(vb.pp("linear1"), inner, width), (vb.pp("linear2"), width, inner)];
            for (vb, rows, columns) in out.chain(linear) {
                if !vb.contains_tensor("weight") {
                    vb.get_with_hints((rows, columns), "weight", xavier(rows, columns))?;
                }
            }
        }
    }
    Ok(())
}

/// The masks of a call, in torch's order: of source, target and memory, then of their padding.
type Masks<T> = [Option<T>; 6];

impl Transformer {
    /// A transformer of these options.
    ///
    /// # Errors
    /// Those of the layers.
    pub fn new(config: TransformerConfig, vb: VarBuilder<'_>) -> Result<Self> {
        let layer = TransformerLayerConfig {
            dim_feedforward: config.dim_feedforward,
            dropout: config.dropout,
            activation: config.activation,
            layer_norm_eps: config.layer_norm_eps,
            batch_first: config.batch_first,
            norm_first: config.norm_first,
            bias: config.bias,
        };
        let (width, heads) = (config.d_model, config.nhead);
        let norm = |vb: &VarBuilder<'_>| {
            let options =
                LayerNormConfig { eps: config.layer_norm_eps, bias: config.bias, ..LayerNormConfig::default() };
            LayerNorm::new(vec![width], options, vb.pp("norm")).map(Some)
        };
        begin(&config, &vb)?;
        let (encoder, decoder) = (vb.pp("encoder"), vb.pp("decoder"));
        let encoder_norm = norm(&encoder)?;
        let decoder_norm = norm(&decoder)?;
        Ok(Self {
            encoder: TransformerEncoder::new(width, heads, config.num_encoder_layers, &layer, encoder_norm, encoder)?,
            decoder: TransformerDecoder::new(width, heads, config.num_decoder_layers, &layer, decoder_norm, decoder)?,
            config,
        })
    }

    /// The decoder of `tgt` on what the encoder gives of `src`; nothing is dropped or masked.
    ///
    /// # Errors
    /// When the sizes do not fit.
    pub fn forward(&self, src: &Tensor, tgt: &Tensor) -> Result<Tensor> {
        self.forward_t(src, tgt, None, None, None, None, None, None, false)
    }

    /// The same, dropping in training.
    ///
    /// # Errors
    /// When the sizes do not fit.
    #[allow(clippy::too_many_arguments, reason = "torch's arguments, which graphs name one by one")]
    pub fn forward_t(
        &self,
        src: &Tensor,
        tgt: &Tensor,
        src_mask: Option<&Tensor>,
        tgt_mask: Option<&Tensor>,
        memory_mask: Option<&Tensor>,
        src_key_padding_mask: Option<&Tensor>,
        tgt_key_padding_mask: Option<&Tensor>,
        memory_key_padding_mask: Option<&Tensor>,
        train: bool,
    ) -> Result<Tensor> {
        let masks =
            [src_mask, tgt_mask, memory_mask, src_key_padding_mask, tgt_key_padding_mask, memory_key_padding_mask];
        encode_decode(&self.encoder, &self.decoder, [src, tgt], masks, train)
    }
}

twice! {
    {
        type TransformerEncoder = Several<super::TransformerEncoder>;
        type TransformerDecoder = Several<super::TransformerDecoder>;
    }

    /// What a [`Transformer`] computes.
    pub(crate) fn encode_decode(
        encoder: &TransformerEncoder,
        decoder: &TransformerDecoder,
        [src, tgt]: [&Tensor; 2],
        [src_mask, tgt_mask, memory_mask, src_padding, tgt_padding, memory_padding]: Masks<&Tensor>,
        train: bool,
    ) -> Result<Tensor> {
        let memory = encoder.forward_t(src, src_mask, src_padding, train)?;
        decoder.forward_t(tgt, &memory, tgt_mask, memory_mask, tgt_padding, memory_padding, train)
    }
}

/// A mask that is made where attention may only look back: 0 up to the position itself and minus infinity after it, of
/// `(size, size)`; torch's `Transformer.generate_square_subsequent_mask`.
impl Transformer {
    /// The mask of a sequence of this length.
    ///
    /// # Errors
    /// What candle refuses.
    pub fn generate_square_subsequent_mask(
        size: usize,
        dtype: candle_core::DType,
        device: &candle_core::Device,
    ) -> Result<Tensor> {
        let after = |row: usize, column: usize| if column > row { f32::NEG_INFINITY } else { 0.0 };
        let mask: Vec<f32> = (0..size).flat_map(|row| (0..size).map(move |column| after(row, column))).collect();
        Tensor::from_vec(mask, (size, size), device)?.to_dtype(dtype)
    }
}

impl fmt::Display for Transformer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print(f, "Transformer", &[("encoder", &self.encoder), ("decoder", &self.decoder)])
    }
}

/// Names of what is given after `src`.
const OPTIONS: &[&str] = &[
    "tgt",
    "src_mask",
    "tgt_mask",
    "memory_mask",
    "src_key_padding_mask",
    "tgt_key_padding_mask",
    "memory_key_padding_mask",
    "train",
];

impl Layer for Transformer {
    const NAME: &'static str = "nn.Transformer";
    const CALLED: Called = Called { method: "forward_t", options: OPTIONS };
    const IN_TRAINING: Effect = Effect::Random;
    const THROUGH: bool = true;
    type Parts = ();

    fn parts(&self, _: &Scope) {}

    fn call(&self, args: &[&Value]) -> Result<Value> {
        let mut masks: Masks<&Tensor> = [None; 6];
        for (i, mask) in masks.iter_mut().enumerate() {
            *mask = argument(args, i + 2)?;
        }
        let [a, b, c, d, e, f] = masks;
        self.forward_t(argument(args, 0)?, argument(args, 1)?, a, b, c, d, e, f, argument(args, 8)?)?.into_value()
    }

    fn infer(&self, facts: &[&Fact]) -> std::result::Result<Fact, InferError> {
        let tgt = facts.get(1..).unwrap_or_default();
        same(facts, self.config.d_model, "Transformer")?;
        same(tgt, self.config.d_model, "Transformer")
    }

    fn macs(&self, facts: &[&Fact], result: &Fact) -> Option<u64> {
        let (src, tgt) = (*facts.first()?, *facts.get(1)?);
        let encoder = Layer::macs(&self.encoder, &[src], src)?;
        Some(encoder.saturating_add(Layer::macs(&self.decoder, &[tgt, src], result)?))
    }

    const KIND: Option<&'static LayerKind> = Some(&LayerKind {
        name: Self::NAME,
        options: TransformerConfig::NAMES,
        tensors: &["encoder.*", "decoder.*"],
        make: |state| Ok(Arc::new(Self::new(TransformerConfig::restored(state)?, builder(state))?)),
    });

    fn state(&self) -> Option<LayerState> {
        let mut tensors = Vec::new();
        let halves = [("encoder", Layer::state(&self.encoder)?), ("decoder", Layer::state(&self.decoder)?)];
        for (half, state) in halves {
            let inside = state.tensors.into_iter();
            tensors.extend(inside.map(|(name, tensor)| (kept_name(&format!("{half}.{name}")), tensor)));
        }
        Some(LayerState { options: self.config.state().ok()?, tensors })
    }
}
leaf!(@several Transformer);

impl Several<Transformer> {
    /// Records a call of the layer; nothing is dropped or masked.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward(&self, src: &Proxy, tgt: &Proxy) -> Result<Proxy> {
        self.forward_t(src, tgt, None, None, None, None, None, None, false)
    }

    /// Records a call of the layer.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    #[allow(clippy::too_many_arguments, reason = "torch's arguments, which graphs name one by one")]
    pub fn forward_t(
        &self,
        src: &Proxy,
        tgt: &Proxy,
        src_mask: Option<&Proxy>,
        tgt_mask: Option<&Proxy>,
        memory_mask: Option<&Proxy>,
        src_key_padding_mask: Option<&Proxy>,
        tgt_key_padding_mask: Option<&Proxy>,
        memory_key_padding_mask: Option<&Proxy>,
        train: bool,
    ) -> Result<Proxy> {
        let masks: Masks<&Proxy> =
            [src_mask, tgt_mask, memory_mask, src_key_padding_mask, tgt_key_padding_mask, memory_key_padding_mask];
        if let Some(inside) = self.enter() {
            let (layer, scope) = (inside.layer(), inside.scope());
            let encoder = layer.encoder.symbolic(&scope.child("encoder"));
            let decoder = layer.decoder.symbolic(&scope.child("decoder"));
            return entered::encode_decode(&encoder, &decoder, [src, tgt], masks, train);
        }
        let mut given = vec![Given::Proxy(src.clone()), Given::Proxy(tgt.clone())];
        given.extend(masks.map(optional));
        given.push(Given::Data(Value::Bool(train)));
        self.record(&given)
    }
}
