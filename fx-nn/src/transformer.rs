//! Layers of a transformer: [`TransformerEncoderLayer`] and [`TransformerDecoderLayer`].
//!
//! Invariant: masks are those of [`MultiheadAttention`].

use std::fmt;

use candle_core::{Module, ModuleT, Result, Tensor};
use candle_nn::VarBuilder;
use fx_core::leaf::Leaf;
use fx_core::module::Called;
use fx_core::ops::IntoValue;
use fx_core::ops::macs::product;
use fx_core::trace::{Given, Proxy, Scope, Traceable};
use fx_core::value::{Fact, TensorFact, Value};

use crate::attention::{MultiheadAttention, MultiheadAttentionConfig};
use crate::dropout::Dropout;
use crate::leaf::{Several, Trained, input, leaf, optional, rows};
use crate::linear::{Linear, LinearConfig};
use crate::norm::{LayerNorm, LayerNormConfig};
use crate::options::{options, words};
use crate::twice::twice;

words! {
    /// The activation between the two linear layers of a transformer's layer.
    TransformerActivation {
        /// `max(0, x)`.
        Relu = "relu",
        /// [`GELU`](crate::GELU), with the error function.
        Gelu = "gelu",
    }
}

options! {
    /// Options of [`TransformerEncoderLayer`] and [`TransformerDecoderLayer`].
    TransformerLayerConfig {
        /// The width between the two linear layers; 2048 by default.
        dim_feedforward: usize = 2048,
        /// How much is dropped in training; a tenth by default.
        dropout: f64 = 0.1,
        /// The activation; `relu` by default.
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

fn attention(
    d_model: usize,
    nhead: usize,
    config: &TransformerLayerConfig,
    vb: VarBuilder<'_>,
) -> Result<MultiheadAttention> {
    let options = MultiheadAttentionConfig {
        dropout: config.dropout,
        bias: config.bias,
        batch_first: config.batch_first,
        ..MultiheadAttentionConfig::default()
    };
    MultiheadAttention::new(d_model, nhead, options, vb)
}

fn linear(from: usize, to: usize, config: &TransformerLayerConfig, vb: VarBuilder<'_>) -> Result<Linear> {
    Linear::new(from, to, LinearConfig { bias: config.bias }, vb)
}

fn norm(d_model: usize, config: &TransformerLayerConfig, vb: VarBuilder<'_>) -> Result<LayerNorm> {
    let options = LayerNormConfig { eps: config.layer_norm_eps, bias: config.bias, ..LayerNormConfig::default() };
    LayerNorm::new(vec![d_model], options, vb)
}

/// Declares the layers inside of a transformer's layer, and their mirrors.
macro_rules! inside {
    ($(#[$doc:meta])* $name:ident { $($part:ident: $type:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub(crate) struct $name {
            $(pub(crate) $part: $type),*
        }
    };
}

/// The mirrors of the layers inside, by their names.
macro_rules! mirrored {
    ($name:ident { $($part:ident),* $(,)? }) => {
        impl $name {
            fn entered(&self, scope: &Scope) -> entered::$name {
                entered::$name { $($part: self.$part.symbolic(&scope.child(stringify!($part)))),* }
            }
        }
    };
}

twice! {
    {
        type MultiheadAttention = Several<super::MultiheadAttention>;
        type Linear = Leaf<super::Linear>;
        type LayerNorm = Leaf<super::LayerNorm>;
        type Dropout = Trained<super::Dropout>;
    }

    inside! {
        /// The layers inside of a [`TransformerEncoderLayer`].
        EncoderParts {
            self_attn: MultiheadAttention, linear1: Linear, dropout: Dropout, linear2: Linear, norm1: LayerNorm,
            norm2: LayerNorm, dropout1: Dropout, dropout2: Dropout,
        }
    }
    inside! {
        /// The layers inside of a [`TransformerDecoderLayer`].
        DecoderParts {
            self_attn: MultiheadAttention, multihead_attn: MultiheadAttention, linear1: Linear, dropout: Dropout,
            linear2: Linear, norm1: LayerNorm, norm2: LayerNorm, norm3: LayerNorm, dropout1: Dropout, dropout2: Dropout,
            dropout3: Dropout,
        }
    }

    /// `x` and what is made of it, normalised before or after.
    pub(crate) fn residual(x: &Tensor, norm: &LayerNorm, first: bool, block: impl Fn(&Tensor) -> Result<Tensor>) -> Result<Tensor> {
        if first { x + block(&norm.forward(x)?)? } else { norm.forward(&(x + block(x)?)?) }
    }

    /// The two linear layers.
    pub(crate) fn feedforward(
        [linear1, linear2]: [&Linear; 2],
        [dropout, last]: [&Dropout; 2],
        activation: TransformerActivation,
        x: &Tensor,
        train: bool,
    ) -> Result<Tensor> {
        let x = linear1.forward(x)?;
        let x = match activation {
            TransformerActivation::Relu => x.relu()?,
            TransformerActivation::Gelu => x.gelu_erf()?,
        };
        let x = linear2.forward(&dropout.forward_t(&x, train)?)?;
        last.forward_t(&x, train)
    }

    /// What a [`TransformerEncoderLayer`] computes.
    pub(crate) fn encode(
        inside: &EncoderParts,
        config: &TransformerLayerConfig,
        src: &Tensor,
        [mask, padding]: [Option<&Tensor>; 2],
        train: bool,
    ) -> Result<Tensor> {
        let EncoderParts { self_attn, linear1, dropout, linear2, norm1, norm2, dropout1, dropout2 } = inside;
        let first = config.norm_first;
        let x = residual(src, norm1, first, |x| {
            let (x, _) = self_attn.forward_t(x, x, x, padding, mask, true, train)?;
            dropout1.forward_t(&x, train)
        })?;
        residual(&x, norm2, first, |x| {
            feedforward([linear1, linear2], [dropout, dropout2], config.activation, x, train)
        })
    }

    /// What a [`TransformerDecoderLayer`] computes.
    pub(crate) fn decode(
        inside: &DecoderParts,
        config: &TransformerLayerConfig,
        [tgt, memory]: [&Tensor; 2],
        [tgt_mask, memory_mask, tgt_padding, memory_padding]: [Option<&Tensor>; 4],
        train: bool,
    ) -> Result<Tensor> {
        let first = config.norm_first;
        let x = residual(tgt, &inside.norm1, first, |x| {
            let (x, _) = inside.self_attn.forward_t(x, x, x, tgt_padding, tgt_mask, true, train)?;
            inside.dropout1.forward_t(&x, train)
        })?;
        let x = residual(&x, &inside.norm2, first, |x| {
            let (x, _) =
                inside.multihead_attn.forward_t(x, memory, memory, memory_padding, memory_mask, true, train)?;
            inside.dropout2.forward_t(&x, train)
        })?;
        residual(&x, &inside.norm3, first, |x| {
            let dropouts = [&inside.dropout, &inside.dropout3];
            feedforward([&inside.linear1, &inside.linear2], dropouts, config.activation, x, train)
        })
    }
}
mirrored! { EncoderParts { self_attn, linear1, dropout, linear2, norm1, norm2, dropout1, dropout2 } }
mirrored! {
    DecoderParts {
        self_attn, multihead_attn, linear1, dropout, linear2, norm1, norm2, norm3, dropout1, dropout2, dropout3,
    }
}

/// Those of the two linear layers.
fn macs_of_linear(x: &TensorFact, d_model: usize, config: &TransformerLayerConfig) -> u64 {
    product([rows(x), 2 * d_model, config.dim_feedforward])
}

/// The tensor that the name says, of a part of a layer.
macro_rules! part {
    ($inside:expr, $name:ident, $($part:ident)*) => {{
        $(
            if let Some(rest) = $name.strip_prefix(concat!(stringify!($part), ".")) {
                return $inside.$part.tensor(rest);
            }
        )*
        None
    }};
}

/// The layer and those inside, as torch prints them.
macro_rules! print_parts {
    ($f:ident, $name:literal, $inside:expr, $($part:ident)*) => {
        print($f, $name, &[$((stringify!($part), &$inside.$part as &dyn fmt::Display)),*])
    };
}

/// Names of the tensors of an attention.
macro_rules! attention_names {
    ($([$prefix:literal])* ; $($name:literal),*) => {
        &[$(
            concat!($prefix, ".in_proj_weight"), concat!($prefix, ".in_proj_bias"), concat!($prefix, ".out_proj.weight"),
            concat!($prefix, ".out_proj.bias"),
        )* $($name),*]
    };
}

/// Self-attention, then two linear layers, each added to its input and normalised.
///
/// `(L, N, d_model)`, with `batch_first` `(N, L, d_model)`, or `(L, d_model)` keeps its shape.
///
/// State: `self_attn.*` of [`MultiheadAttention`], `linear1.*` and `linear2.*` of [`Linear`], `norm1.*` and `norm2.*` of
/// [`LayerNorm`].
///
/// [torch.nn.TransformerEncoderLayer](https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerEncoderLayer.html)
#[derive(Debug, Clone)]
pub struct TransformerEncoderLayer {
    d_model: usize,
    nhead: usize,
    inside: EncoderParts,
    config: TransformerLayerConfig,
}

impl TransformerEncoderLayer {
    /// A layer of this width and so many heads.
    ///
    /// # Errors
    /// When the heads do not divide the width, the dropout is not in `0..=1`, or the builder has a tensor of another
    /// shape or none.
    pub fn new(d_model: usize, nhead: usize, config: TransformerLayerConfig, vb: VarBuilder<'_>) -> Result<Self> {
        let (dropout, width) = (Dropout::new(config.dropout)?, config.dim_feedforward);
        let inside = EncoderParts {
            self_attn: attention(d_model, nhead, &config, vb.pp("self_attn"))?,
            linear1: linear(d_model, width, &config, vb.pp("linear1"))?,
            dropout,
            linear2: linear(width, d_model, &config, vb.pp("linear2"))?,
            norm1: norm(d_model, &config, vb.pp("norm1"))?,
            norm2: norm(d_model, &config, vb.pp("norm2"))?,
            dropout1: dropout,
            dropout2: dropout,
        };
        Ok(Self { d_model, nhead, inside, config })
    }

    /// Those of attention and of the linear layers.
    pub(crate) fn macs_of(&self, src: &TensorFact) -> Option<u64> {
        let attention = self.inside.self_attn.macs_of(src.dims(), src.dims(), src.dims())?;
        Some(attention.saturating_add(macs_of_linear(src, self.d_model, &self.config)))
    }

    /// The layer, dropping nothing.
    ///
    /// # Errors
    /// When the sizes do not fit.
    pub fn forward(
        &self,
        src: &Tensor,
        src_mask: Option<&Tensor>,
        src_key_padding_mask: Option<&Tensor>,
    ) -> Result<Tensor> {
        self.forward_t(src, src_mask, src_key_padding_mask, false)
    }

    /// The layer, dropping in training.
    ///
    /// # Errors
    /// When the sizes do not fit.
    pub fn forward_t(
        &self,
        src: &Tensor,
        src_mask: Option<&Tensor>,
        src_key_padding_mask: Option<&Tensor>,
        train: bool,
    ) -> Result<Tensor> {
        encode(&self.inside, &self.config, src, [src_mask, src_key_padding_mask], train)
    }

    fn tensor(&self, name: &str) -> Option<Tensor> {
        part!(self.inside, name, self_attn linear1 linear2 norm1 norm2)
    }
}

impl fmt::Display for TransformerEncoderLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_parts!(f, "TransformerEncoderLayer", self.inside,
            self_attn linear1 dropout linear2 norm1 norm2 dropout1 dropout2)
    }
}

/// A layer and those inside, as torch prints them.
pub(crate) fn print(f: &mut fmt::Formatter<'_>, name: &str, inside: &[(&str, &dyn fmt::Display)]) -> fmt::Result {
    writeln!(f, "{name}(")?;
    for (name, layer) in inside {
        writeln!(f, "  ({name}): {}", layer.to_string().replace('\n', "\n  "))?;
    }
    f.write_str(")")
}

leaf! {
    @layer [] TransformerEncoderLayer as "nn.TransformerEncoderLayer",
    Called { method: "forward_t", options: &["src_mask", "src_key_padding_mask", "train"] };
    [d_model: usize, nhead: usize] [config: TransformerLayerConfig]
    [names attention_names!(["self_attn"]; "linear1.weight", "linear1.bias", "linear2.weight", "linear2.bias",
        "norm1.weight", "norm1.bias", "norm2.weight", "norm2.bias")]
    [vb Self::new(d_model, nhead, config, vb)]
    |layer, args| {
        use fx_core::leaf::argument;
        layer.forward_t(argument(args, 0)?, argument(args, 1)?, argument(args, 2)?, argument(args, 3)?).into_value()
    };
    |layer, facts| same(facts, layer.d_model, "TransformerEncoderLayer");
    macs |layer, facts, _result| layer.macs_of(facts.first()?.as_tensor()?);
    in_training Random;
    enters layer;
}
leaf!(@several TransformerEncoderLayer);

/// The shape of the input, which is this wide.
pub(crate) fn same(
    facts: &[&Fact],
    d_model: usize,
    layer: &str,
) -> std::result::Result<Fact, fx_core::ops::InferError> {
    let Some(x) = input(facts)? else { return Ok(Fact::Unknown) };
    crate::dims::rank(layer, x.dims(), &[2, 3], "two or three dimensions")?;
    crate::dims::extent(layer, x.dims(), x.rank() - 1, d_model, "features")?;
    Ok(Fact::Tensor(x.clone()))
}

impl Several<TransformerEncoderLayer> {
    /// Records a call of the layer, dropping nothing.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward(
        &self,
        src: &Proxy,
        src_mask: Option<&Proxy>,
        src_key_padding_mask: Option<&Proxy>,
    ) -> Result<Proxy> {
        self.forward_t(src, src_mask, src_key_padding_mask, false)
    }

    /// Records a call of the layer.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward_t(
        &self,
        src: &Proxy,
        src_mask: Option<&Proxy>,
        src_key_padding_mask: Option<&Proxy>,
        train: bool,
    ) -> Result<Proxy> {
        if let Some(inside) = self.enter() {
            let layer = inside.layer();
            let parts = layer.inside.entered(inside.scope());
            return entered::encode(&parts, &layer.config, src, [src_mask, src_key_padding_mask], train);
        }
        let train = Given::Data(Value::Bool(train));
        self.record(&[Given::Proxy(src.clone()), optional(src_mask), optional(src_key_padding_mask), train])
    }
}

/// Self-attention, attention to the memory, then two linear layers, each added to its input and normalised.
///
/// `(T, N, d_model)`, with `batch_first` `(N, T, d_model)`, or `(T, d_model)` keeps its shape; the memory is of the same
/// form.
///
/// State: `self_attn.*` and `multihead_attn.*` of [`MultiheadAttention`], `linear1.*` and `linear2.*` of [`Linear`],
/// `norm1.*`, `norm2.*` and `norm3.*` of [`LayerNorm`].
///
/// [torch.nn.TransformerDecoderLayer](https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerDecoderLayer.html)
#[derive(Debug, Clone)]
pub struct TransformerDecoderLayer {
    d_model: usize,
    nhead: usize,
    inside: DecoderParts,
    config: TransformerLayerConfig,
}

impl TransformerDecoderLayer {
    /// A layer of this width and so many heads.
    ///
    /// # Errors
    /// When the heads do not divide the width, the dropout is not in `0..=1`, or the builder has a tensor of another
    /// shape or none.
    pub fn new(d_model: usize, nhead: usize, config: TransformerLayerConfig, vb: VarBuilder<'_>) -> Result<Self> {
        let (dropout, width) = (Dropout::new(config.dropout)?, config.dim_feedforward);
        let inside = DecoderParts {
            self_attn: attention(d_model, nhead, &config, vb.pp("self_attn"))?,
            multihead_attn: attention(d_model, nhead, &config, vb.pp("multihead_attn"))?,
            linear1: linear(d_model, width, &config, vb.pp("linear1"))?,
            dropout,
            linear2: linear(width, d_model, &config, vb.pp("linear2"))?,
            norm1: norm(d_model, &config, vb.pp("norm1"))?,
            norm2: norm(d_model, &config, vb.pp("norm2"))?,
            norm3: norm(d_model, &config, vb.pp("norm3"))?,
            dropout1: dropout,
            dropout2: dropout,
            dropout3: dropout,
        };
        Ok(Self { d_model, nhead, inside, config })
    }

    /// Those of both attentions and of the linear layers.
    pub(crate) fn macs_of(&self, tgt: &TensorFact, memory: &TensorFact) -> Option<u64> {
        let own = self.inside.self_attn.macs_of(tgt.dims(), tgt.dims(), tgt.dims())?;
        let other = self.inside.multihead_attn.macs_of(tgt.dims(), memory.dims(), memory.dims())?;
        Some(own.saturating_add(other).saturating_add(macs_of_linear(tgt, self.d_model, &self.config)))
    }

    /// The layer, dropping and masking nothing.
    ///
    /// # Errors
    /// When the sizes do not fit.
    pub fn forward(&self, tgt: &Tensor, memory: &Tensor) -> Result<Tensor> {
        self.forward_t(tgt, memory, None, None, None, None, false)
    }

    /// The layer, dropping in training.
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
        decode(&self.inside, &self.config, [tgt, memory], masks, train)
    }

    fn tensor(&self, name: &str) -> Option<Tensor> {
        part!(self.inside, name, self_attn multihead_attn linear1 linear2 norm1 norm2 norm3)
    }
}

impl fmt::Display for TransformerDecoderLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_parts!(f, "TransformerDecoderLayer", self.inside,
            self_attn multihead_attn linear1 dropout linear2 norm1 norm2 norm3 dropout1 dropout2 dropout3)
    }
}

leaf! {
    @layer [] TransformerDecoderLayer as "nn.TransformerDecoderLayer",
    Called {
        method: "forward_t",
        options: &["memory", "tgt_mask", "memory_mask", "tgt_key_padding_mask", "memory_key_padding_mask", "train"],
    };
    [d_model: usize, nhead: usize] [config: TransformerLayerConfig]
    [names attention_names!(["self_attn"] ["multihead_attn"]; "linear1.weight", "linear1.bias", "linear2.weight",
        "linear2.bias", "norm1.weight", "norm1.bias", "norm2.weight", "norm2.bias", "norm3.weight", "norm3.bias")]
    [vb Self::new(d_model, nhead, config, vb)]
    |layer, args| decoded(args, |tgt, memory, [tgt_mask, memory_mask, tgt_padding, memory_padding], train| {
        layer.forward_t(tgt, memory, tgt_mask, memory_mask, tgt_padding, memory_padding, train)
    });
    |layer, facts| same(facts, layer.d_model, "TransformerDecoderLayer");
    macs |layer, facts, _result| layer.macs_of(facts.first()?.as_tensor()?, facts.get(1)?.as_tensor()?);
    in_training Random;
    enters layer;
}
leaf!(@several TransformerDecoderLayer);

/// The arguments of a decoder or of one of its layers, decoded.
pub(crate) fn decoded(
    args: &[&Value],
    run: impl Fn(&Tensor, &Tensor, [Option<&Tensor>; 4], bool) -> Result<Tensor>,
) -> Result<Value> {
    use fx_core::leaf::argument;
    let masks = [argument(args, 2)?, argument(args, 3)?, argument(args, 4)?, argument(args, 5)?];
    run(argument(args, 0)?, argument(args, 1)?, masks, argument(args, 6)?).into_value()
}

/// Records a call of a decoder or of one of its layers.
macro_rules! decoder {
    ($($layer:ident)*) => {$(
        impl Several<$layer> {
            /// Records a call of the layer, dropping and masking nothing.
            ///
            /// # Errors
            /// What candle refuses.
            #[track_caller]
            pub fn forward(&self, tgt: &Proxy, memory: &Proxy) -> Result<Proxy> {
                self.forward_t(tgt, memory, None, None, None, None, false)
            }

            /// Records a call of the layer.
            ///
            /// # Errors
            /// What candle refuses.
            #[track_caller]
            #[allow(clippy::too_many_arguments, reason = "torch's arguments, which graphs name one by one")]
            pub fn forward_t(
                &self,
                tgt: &Proxy,
                memory: &Proxy,
                tgt_mask: Option<&Proxy>,
                memory_mask: Option<&Proxy>,
                tgt_key_padding_mask: Option<&Proxy>,
                memory_key_padding_mask: Option<&Proxy>,
                train: bool,
            ) -> Result<Proxy> {
                let masks = [tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask];
                if let Some(inside) = self.enter() {
                    return inside.layer().through(inside.scope(), [tgt, memory], masks, train);
                }
                let [a, b, c, d] = masks.map(optional);
                let train = Given::Data(Value::Bool(train));
                self.record(&[Given::Proxy(tgt.clone()), Given::Proxy(memory.clone()), a, b, c, d, train])
            }
        }
    )*};
}
pub(crate) use decoder;
decoder!(TransformerDecoderLayer);

impl TransformerDecoderLayer {
    /// Records what the layer computes.
    fn through(&self, scope: &Scope, inputs: [&Proxy; 2], masks: [Option<&Proxy>; 4], train: bool) -> Result<Proxy> {
        entered::decode(&self.inside.entered(scope), &self.config, inputs, masks, train)
    }
}
