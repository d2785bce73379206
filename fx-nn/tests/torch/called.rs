//! How each layer is called, on tensors and on proxies.
//!
//! Invariant: inputs are in the order of torch's signatures.

use std::sync::Arc;

use candle_core::{Module, ModuleT, Result, Tensor, bail};
use fx_core::leaf::Layer;
use fx_core::module::{GraphModule, LayerModule};
use fx_core::trace::{Proxy, Traceable, Tracer, TracerRules};
use fx_nn::*;

use super::case::Call;

type Run = Box<dyn Fn(&Call<Tensor>, bool) -> Result<Vec<Tensor>>>;
type Capture = Box<dyn Fn(&Call<Tensor>, How, bool) -> Result<GraphModule>>;

/// How a layer is captured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// As a node, with no shapes known.
    Symbolic,
    /// As a node, with the shapes of the inputs.
    Abstract,
    /// Entered, where it tells what it computes.
    Through,
}

/// Wants every layer entered.
struct Enter;

impl TracerRules for Enter {
    fn is_leaf_layer(&self, _: &str, _: &str) -> bool {
        false
    }
}

/// A layer, and how it is run and captured.
pub(crate) struct Built {
    pub run: Run,
    /// With these inputs, in this way, in training.
    pub capture: Capture,
    pub layer: Arc<dyn LayerModule>,
    pub text: String,
    pub tolerance: f64,
    /// Whether it can be entered.
    pub through: bool,
}

/// What a layer is called on.
pub(super) trait Called: Layer + Traceable + std::fmt::Display {
    /// How far a result may be from torch's.
    const TOLERANCE: f64 = 1e-5;

    fn run(&self, call: &Call<Tensor>, train: bool) -> Result<Vec<Tensor>>;

    fn record(mirror: &Self::Symbolic, call: &Call<Proxy>, train: bool) -> Result<Vec<Proxy>>;
}

pub(super) fn built<L: Called>(layer: L) -> Result<Built> {
    let (text, through) = (layer.to_string(), L::THROUGH);
    let described = Arc::new(layer.clone());
    let captured = (layer.clone(),);
    let capture = move |call: &Call<Tensor>, how: How, train: bool| {
        let parameters = call.parameters();
        let mut tracer = Tracer::new();
        if how == How::Through {
            tracer = tracer.with(Enter);
        }
        if how != How::Symbolic {
            for (name, input) in &parameters {
                tracer = tracer.input(name, input.dtype(), input.shape());
            }
        }
        let record = |(mirror,): &mut (L::Symbolic,), inputs: &mut fx_core::trace::Inputs<'_>| {
            let proxies = parameters.iter().map(|(name, _)| inputs.tensor(name)).collect::<Result<Vec<_>>>()?;
            L::record(mirror, &call.with(&proxies), train)
        };
        tracer.trace_with(&captured, record).map_err(|error| candle_core::Error::Msg(error.to_string()))
    };
    Ok(Built {
        run: Box::new(move |call, train| layer.run(call, train)),
        capture: Box::new(capture),
        layer: described,
        text,
        tolerance: L::TOLERANCE,
        through,
    })
}

fn single<T>(inputs: &[T]) -> Result<&T> {
    match inputs {
        [input] => Ok(input),
        _ => bail!("{} inputs for a layer of one", inputs.len()),
    }
}

/// The same expression on tensors and on proxies.
macro_rules! called {
    ($([$($generics:tt)*] $layer:ty => |$this:ident, $inputs:ident, $train:ident| $run:expr;)*) => {
        called! { @within 1e-5, $([$($generics)*] $layer => |$this, call, $train| {
            let $inputs = call.all();
            $run
        };)* }
    };
    (roughly $($layer:ident |$this:ident, $call:ident, $train:ident| $run:expr;)*) => {
        called! { @within 1e-4, $([] $layer => |$this, $call, $train| $run;)* }
    };
    (@within $tolerance:literal, $([$($generics:tt)*] $layer:ty => |$this:ident, $call:ident, $train:ident| $run:expr;)*) => {$(
        impl<$($generics)*> Called for $layer {
            const TOLERANCE: f64 = $tolerance;

            fn run(&self, $call: &Call<Tensor>, $train: bool) -> Result<Vec<Tensor>> {
                let $this = self;
                $run
            }

            fn record($this: &Self::Symbolic, $call: &Call<Proxy>, $train: bool) -> Result<Vec<Proxy>> {
                $run
            }
        }
    )*};
    (one $($layer:ident)*) => {
        called! { $([] $layer => |this, inputs, _train| Ok(vec![this.forward(single(inputs)?)?]);)* }
    };
    (train $($layer:ident)*) => {
        called! { $([] $layer => |this, inputs, train| Ok(vec![this.forward_t(single(inputs)?, train)?]);)* }
    };
    (numbered $($layer:ident)*) => {
        called! { $([const N: usize] $layer<N> => |this, inputs, _train| Ok(vec![this.forward(single(inputs)?)?]);)* }
    };
    (trained $($layer:ident)*) => {
        called! { $([const N: usize] $layer<N> => |this, inputs, train| Ok(vec![this.forward_t(single(inputs)?, train)?]);)* }
    };
    (two $($layer:ident)*) => {
        called! { $([] $layer => |this, inputs, _train| match inputs {
            [first, second] => Ok(vec![this.forward(first, second)?]),
            _ => bail!("{} inputs for a layer of two", inputs.len()),
        };)* }
    };
    (three $($layer:ident)*) => {
        called! { $([] $layer => |this, inputs, _train| match inputs {
            [first, second, third] => Ok(vec![this.forward(first, second, third)?]),
            _ => bail!("{} inputs for a layer of three", inputs.len()),
        };)* }
    };
}
called! { one Linear Identity Flatten Unflatten PixelShuffle PixelUnshuffle ChannelShuffle Fold Unfold Upsample Embedding
LayerNorm RMSNorm GroupNorm LocalResponseNorm PReLU
ReLU ReLU6 ELU SELU CELU GELU SiLU Mish Sigmoid LogSigmoid Hardsigmoid Hardswish Tanh Tanhshrink Hardtanh Hardshrink
Softshrink Softsign Softplus LeakyReLU Threshold GLU Softmax LogSoftmax Softmin Softmax2d }
called! { train RReLU Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout }
called! { numbered Conv LPPool ZeroPad ReflectionPad ReplicationPad CircularPad ConstantPad MaxPool AvgPool AdaptiveAvgPool AdaptiveMaxPool }
called! { trained BatchNorm InstanceNorm }
called! { two Bilinear CosineSimilarity PairwiseDistance L1Loss MSELoss SmoothL1Loss HuberLoss BCELoss BCEWithLogitsLoss KLDivLoss
PoissonNLLLoss SoftMarginLoss HingeEmbeddingLoss MultiLabelSoftMarginLoss NLLLoss CrossEntropyLoss MultiMarginLoss
MultiLabelMarginLoss LinearCrossEntropyLoss }

called! {
    [] CTCLoss => |this, inputs, _train| match inputs {
        [probabilities, labels, steps, lengths] => Ok(vec![this.forward(probabilities, labels, steps, lengths)?]),
        _ => bail!("{} inputs for a loss of four", inputs.len()),
    };
    [] AdaptiveLogSoftmaxWithLoss => |this, inputs, _train| match inputs {
        [input, target] => this.forward(input, target).map(|(output, loss)| vec![output, loss]),
        _ => bail!("{} inputs for a loss of two", inputs.len()),
    };
    [const N: usize] WithIndices<MaxPool<N>> => |this, inputs, _train| {
        let (values, indices) = this.forward_with_indices(single(inputs)?)?;
        Ok(vec![values, indices])
    };
    [const N: usize] WithIndices<AdaptiveMaxPool<N>> => |this, inputs, _train| {
        let (values, indices) = this.forward_with_indices(single(inputs)?)?;
        Ok(vec![values, indices])
    };
}

called! { three MarginRankingLoss CosineEmbeddingLoss TripletMarginLoss TripletMarginWithDistanceLoss GaussianNLLLoss }

called! { @within 1e-5,
    [const N: usize] ConvTranspose<N> => |this, call, _train| {
        let x = call.need("input")?;
        Ok(vec![match call.sizes("output_size") {
            Some(size) => this.forward_with_output_size(&x, &size)?,
            None => this.forward(&x)?,
        }])
    };
    [const N: usize] MaxUnpool<N> => |this, call, _train| {
        let (x, indices) = (call.need("input")?, call.need("indices")?);
        Ok(vec![match call.sizes("output_size") {
            Some(size) => this.forward_with_output_size(&x, &indices, &size)?,
            None => this.forward(&x, &indices)?,
        }])
    };
}

/// A state of two parts.
fn state<T: Clone>(call: &Call<T>) -> Result<Option<(T, T)>> {
    match call.tensor("h_0") {
        Some(h) => Ok(Some((h, call.need("c_0")?))),
        None => Ok(None),
    }
}

called! { roughly
    EmbeddingBag |this, call, _train| {
        let (input, offsets, weights) = (call.need("input")?, call.tensor("offsets"), call.tensor("per_sample_weights"));
        Ok(vec![this.forward(&input, offsets.as_ref(), weights.as_ref())?])
    };
    RNNCell |this, call, _train| Ok(vec![this.forward(&call.need("input")?, call.tensor("hx").as_ref())?]);
    GRUCell |this, call, _train| Ok(vec![this.forward(&call.need("input")?, call.tensor("hx").as_ref())?]);
    LSTMCell |this, call, _train| {
        let (input, state) = (call.need("input")?, state(call)?);
        let (h, c) = this.forward(&input, state.as_ref().map(|(h, c)| (h, c)))?;
        Ok(vec![h, c])
    };
    RNN |this, call, train| {
        let (output, h) = this.forward_t(&call.need("input")?, call.tensor("hx").as_ref(), train)?;
        Ok(vec![output, h])
    };
    GRU |this, call, train| {
        let (output, h) = this.forward_t(&call.need("input")?, call.tensor("hx").as_ref(), train)?;
        Ok(vec![output, h])
    };
    LSTM |this, call, train| {
        let (input, state) = (call.need("input")?, state(call)?);
        let (output, (h, c)) = this.forward_t(&input, state.as_ref().map(|(h, c)| (h, c)), train)?;
        Ok(vec![output, h, c])
    };
    MultiheadAttention |this, call, train| {
        let (query, key, value) = (call.need("query")?, call.need("key")?, call.need("value")?);
        let (padding, mask) = (call.tensor("key_padding_mask"), call.tensor("attn_mask"));
        let (needed, averaged) = (call.flag("need_weights", true), call.flag("average_attn_weights", true));
        // A hint that the mask is causal; torch wants the mask as well.
        call.flag("is_causal", false);
        let (output, weights) = this.forward_t(&query, &key, &value, padding.as_ref(), mask.as_ref(), averaged, train)?;
        Ok(if needed { vec![output, weights] } else { vec![output] })
    };
    TransformerEncoderLayer |this, call, train| {
        let (src, mask, padding) = (call.need("src")?, call.tensor("src_mask"), call.tensor("src_key_padding_mask"));
        call.flag("is_causal", false);
        Ok(vec![this.forward_t(&src, mask.as_ref(), padding.as_ref(), train)?])
    };
    TransformerDecoderLayer |this, call, train| {
        let (tgt, memory) = (call.need("tgt")?, call.need("memory")?);
        let names = ["tgt_mask", "memory_mask", "tgt_key_padding_mask", "memory_key_padding_mask"];
        let [a, b, c, d] = names.map(|name| call.tensor(name));
        call.flag("tgt_is_causal", false);
        call.flag("memory_is_causal", false);
        Ok(vec![this.forward_t(&tgt, &memory, a.as_ref(), b.as_ref(), c.as_ref(), d.as_ref(), train)?])
    };
    Transformer |this, call, train| {
        let (src, tgt) = (call.need("src")?, call.need("tgt")?);
        let names = ["src_mask", "tgt_mask", "memory_mask", "src_key_padding_mask", "tgt_key_padding_mask", "memory_key_padding_mask"];
        let [a, b, c, d, e, f] = names.map(|name| call.tensor(name));
        for hint in ["src_is_causal", "tgt_is_causal", "memory_is_causal"] {
            call.flag(hint, false);
        }
        let [a, b, c, d, e, f] = [&a, &b, &c, &d, &e, &f].map(Option::as_ref);
        Ok(vec![this.forward_t(&src, &tgt, a, b, c, d, e, f, train)?])
    };
}
