//! candle_nn's layers.
//!
//! Invariant: user code that reads a layer's tensors or settings finds the same accessors on its mirror.

use candle_core::conv::CudnnFwdAlgo;
use candle_core::quantized::QMatMul;
use candle_core::{DType, Result, Tensor};
use candle_nn::{
    Activation, BatchNorm, Conv1d, Conv1dConfig, Conv2d, Conv2dConfig, ConvTranspose1d, ConvTranspose1dConfig,
    ConvTranspose2d, ConvTranspose2dConfig, Dropout, Embedding, GroupNorm, LayerNorm, Linear, PReLU, RmsNorm,
};

use crate::module::LayerKind;
use crate::ops::infer::{Inferred, broadcast, floats, refuse, same, shaped};
use crate::ops::macs::{of_each, of_window};
use crate::ops::{conv, elementwise, nn};
use crate::trace::functions::ops;
use crate::trace::lift::Returned;
use crate::trace::{Module, Proxy, Scope, Traceable};
use crate::value::{Fact, TensorFact, Value};

use super::debug::{debug_field, named};
use super::layer::{Layer, Leaf, layer};
use super::{activation, group_norm, norm, written};

/// What is known of a layer's own tensor.
fn fact(tensor: &Tensor) -> Fact {
    Fact::tensor(tensor.shape(), tensor.dtype())
}

/// The rule of an operation, on facts.
pub(super) fn rule<const N: usize>(op: crate::ops::OpRef, facts: [Fact; N]) -> Inferred {
    let facts: Vec<&Fact> = facts.iter().collect();
    (op.infer)(crate::ops::Facts { op, facts: &facts })
}

fn size(size: usize) -> Fact {
    Fact::Data(Value::Int(i64::try_from(size).unwrap_or(i64::MAX)))
}

/// Adds a bias of one dimension to dimension `axis`.
fn with_bias(result: Fact, bias: Option<&Tensor>) -> Inferred {
    match (&result, bias) {
        (Fact::Tensor(tensor), Some(bias)) if tensor.dtype != bias.dtype() => {
            refuse!("dtypes differ: {tensor} and a bias of {}", bias.dtype().as_str())
        }
        _ => Ok(result),
    }
}

/// The last dimension, `from` wide, becomes `to` wide.
fn projected(x: &TensorFact, dtype: DType, from: usize, to: usize) -> Inferred {
    let Some((last, leading)) = x.dims().split_last() else { refuse!("a scalar has no last dimension") };
    if leading.is_empty() || leading.len() > 3 {
        refuse!("{x} should have two to four dimensions");
    }
    if *last != from || x.dtype != dtype {
        refuse!("{x} should be {} wide in its last dimension, of dtype {}", from, dtype.as_str());
    }
    shaped(x, leading.iter().copied().chain([to]).collect::<Vec<_>>())
}

layer! {
    /// `x · weightᵀ + bias` along the last dimension.
    Linear as "Linear", forward {
        parts LinearParts { weight: Tensor = |layer| layer.weight().clone(), bias: Option<Tensor> = |layer| layer.bias().cloned() }
        make { Ok(Linear::new(weight, bias)) }
        written { written::linear(&weight, bias.as_ref()) }
        infer(layer, x) {
            let (to, from) = layer.weight().dims2()?;
            with_bias(projected(x, layer.weight().dtype(), from, to)?, layer.bias())
        }
        macs(layer, _x, out) { of_each(out, layer.weight().dims().last().copied().unwrap_or(0)) }
    }
}

layer! {
    /// Convolution over one dimension.
    Conv1d as "Conv1d", forward {
        parts Conv1dParts { weight: Tensor = |layer| layer.weight().clone(), bias: Option<Tensor> = |layer| layer.bias().cloned() }
        options {
            padding: usize = |layer| layer.config().padding,
            stride: usize = |layer| layer.config().stride,
            dilation: usize = |layer| layer.config().dilation,
            groups: usize = |layer| layer.config().groups,
            cudnn_fwd_algo: Option<String> = |layer| layer.config().cudnn_fwd_algo.map(|chosen| format!("{chosen:?}")),
        }
        make {
            let cudnn_fwd_algo = cudnn_fwd_algo.as_deref().map(algorithm).transpose()?;
            Ok(Conv1d::new(weight, bias, Conv1dConfig { padding, stride, dilation, groups, cudnn_fwd_algo }))
        }
        written {
            let settings = [("padding", padding, 0), ("stride", stride, 1), ("dilation", dilation, 1), ("groups", groups, 1)];
            written::conv("Conv1d", &weight, bias.as_ref(), groups, &settings, cudnn_fwd_algo.as_deref())
        }
        infer(layer, x) {
            let Conv1dConfig { padding, stride, dilation, groups, .. } = *layer.config();
            let facts = [Fact::Tensor(x.clone()), fact(layer.weight()), size(padding), size(stride), size(dilation), size(groups)];
            with_bias(rule(&conv::conv1d::OP, facts)?, layer.bias())
        }
        macs(layer, _x, out) { of_each(out, of_window(layer.weight().dims())) }
    }
}

layer! {
    /// Convolution over two dimensions.
    Conv2d as "Conv2d", forward {
        parts Conv2dParts { weight: Tensor = |layer| layer.weight().clone(), bias: Option<Tensor> = |layer| layer.bias().cloned() }
        options {
            padding: usize = |layer| layer.config().padding,
            stride: usize = |layer| layer.config().stride,
            dilation: usize = |layer| layer.config().dilation,
            groups: usize = |layer| layer.config().groups,
            cudnn_fwd_algo: Option<String> = |layer| layer.config().cudnn_fwd_algo.map(|chosen| format!("{chosen:?}")),
        }
        make {
            let cudnn_fwd_algo = cudnn_fwd_algo.as_deref().map(algorithm).transpose()?;
            Ok(Conv2d::new(weight, bias, Conv2dConfig { padding, stride, dilation, groups, cudnn_fwd_algo }))
        }
        written {
            let settings = [("padding", padding, 0), ("stride", stride, 1), ("dilation", dilation, 1), ("groups", groups, 1)];
            written::conv("Conv2d", &weight, bias.as_ref(), groups, &settings, cudnn_fwd_algo.as_deref())
        }
        infer(layer, x) {
            let Conv2dConfig { padding, stride, dilation, groups, .. } = *layer.config();
            let facts = [Fact::Tensor(x.clone()), fact(layer.weight()), size(padding), size(stride), size(dilation), size(groups)];
            with_bias(rule(&conv::conv2d::OP, facts)?, layer.bias())
        }
        macs(layer, _x, out) { of_each(out, of_window(layer.weight().dims())) }
    }
}

layer! {
    /// Transposed convolution over one dimension.
    ConvTranspose1d as "ConvTranspose1d", forward {
        parts ConvTranspose1dParts { weight: Tensor = |layer| layer.weight().clone(), bias: Option<Tensor> = |layer| layer.bias().cloned() }
        options {
            padding: usize = |layer| layer.config().padding,
            output_padding: usize = |layer| layer.config().output_padding,
            stride: usize = |layer| layer.config().stride,
            dilation: usize = |layer| layer.config().dilation,
            groups: usize = |layer| layer.config().groups,
        }
        make {
            let config = ConvTranspose1dConfig { padding, output_padding, stride, dilation, groups };
            Ok(ConvTranspose1d::new(weight, bias, config))
        }
        written {
            let settings = [
                ("padding", padding, 0), ("output_padding", output_padding, 0), ("stride", stride, 1),
                ("dilation", dilation, 1), ("groups", groups, 1),
            ];
            written::of_tensors("ConvTranspose1d", &weight, bias.as_ref(), &settings)
        }
        infer(layer, x) {
            let ConvTranspose1dConfig { padding, output_padding, stride, dilation, groups } = *layer.config();
            let facts = [Fact::Tensor(x.clone()), fact(layer.weight()), size(padding), size(output_padding), size(stride), size(dilation), size(groups)];
            with_bias(rule(&conv::conv_transpose1d::OP, facts)?, layer.bias())
        }
        macs(layer, x, _out) { of_each(x, of_window(layer.weight().dims())) }
    }
}

layer! {
    /// Transposed convolution over two dimensions.
    ConvTranspose2d as "ConvTranspose2d", forward {
        parts ConvTranspose2dParts { weight: Tensor = |layer| layer.weight().clone(), bias: Option<Tensor> = |layer| layer.bias().cloned() }
        options {
            padding: usize = |layer| layer.config().padding,
            output_padding: usize = |layer| layer.config().output_padding,
            stride: usize = |layer| layer.config().stride,
            dilation: usize = |layer| layer.config().dilation,
        }
        make {
            let config = ConvTranspose2dConfig { padding, output_padding, stride, dilation };
            Ok(ConvTranspose2d::new(weight, bias, config))
        }
        written {
            let settings =
                [("padding", padding, 0), ("output_padding", output_padding, 0), ("stride", stride, 1), ("dilation", dilation, 1)];
            written::of_tensors("ConvTranspose2d", &weight, bias.as_ref(), &settings)
        }
        infer(layer, x) {
            let ConvTranspose2dConfig { padding, output_padding, stride, dilation } = *layer.config();
            let facts = [Fact::Tensor(x.clone()), fact(layer.weight()), size(padding), size(output_padding), size(stride), size(dilation)];
            with_bias(rule(&conv::conv_transpose2d::OP, facts)?, layer.bias())
        }
        macs(layer, x, _out) { of_each(x, of_window(layer.weight().dims())) }
    }
}

layer! {
    /// Rows of a table.
    Embedding as "Embedding", forward {
        parts EmbeddingParts { embeddings "weight": Tensor = |layer| layer.embeddings().clone() }
        options { hidden_size: usize = |layer| layer.hidden_size() }
        make { Ok(Embedding::new(embeddings, hidden_size)) }
        written { written::embedding(&embeddings, hidden_size) }
        infer(layer, x) {
            if !matches!(x.dtype, DType::U8 | DType::U32 | DType::I64) {
                refuse!("{x} should hold indices: u8, u32 or i64");
            }
            let dims: Vec<usize> = x.dims().iter().copied().chain([layer.hidden_size()]).collect();
            Ok(Fact::tensor(dims, layer.embeddings().dtype()))
        }
    }
}

layer! {
    /// Normalisation over the last dimension.
    LayerNorm as "LayerNorm", forward {
        parts LayerNormParts { weight: Tensor = |layer| layer.weight().clone(), bias: Option<Tensor> = |layer| layer.bias().cloned() }
        options { eps: f64 = |layer| layer.eps(), remove_mean: bool = |layer| layer.remove_mean() }
        make { norm::layer_norm(weight, bias, eps, remove_mean) }
        written { written::layer_norm(&weight, bias.as_ref(), eps, remove_mean) }
        infer(layer, x) {
            if x.rank() == 0 {
                refuse!("a scalar has no last dimension");
            }
            let (x, weight, eps) = (Fact::Tensor(x.clone()), fact(layer.weight()), Fact::Data(Value::Float(layer.eps())));
            match layer.bias() {
                Some(bias) if layer.remove_mean() => rule(&nn::layer_norm::OP, [x, weight, fact(bias), eps]),
                bias => {
                    let scaled = rule(&elementwise::broadcast_mul::OP, [x, weight])?;
                    bias.map_or(Ok(scaled.clone()), |bias| rule(&elementwise::broadcast_add::OP, [scaled, fact(bias)]))
                }
            }
        }
    }
}

layer! {
    /// Normalisation by the root mean square over the last dimension.
    RmsNorm as "RmsNorm", forward {
        parts RmsNormParts { weight: Tensor = |layer| layer.weight().clone() }
        options { eps: f64 = |layer| layer.eps() }
        make { Ok(RmsNorm::new(weight, eps)) }
        written { written::rms_norm(&weight, eps) }
        infer(layer, x) {
            rule(&nn::rms_norm::OP, [Fact::Tensor(x.clone()), fact(layer.weight()), Fact::Data(Value::Float(layer.eps()))])
        }
    }
}

layer! {
    /// Normalisation over groups of channels.
    GroupNorm as "GroupNorm", forward {
        kept by group_norm;
        infer(layer, x) {
            group_norm::infer(layer, x)
        }
    }
}

layer! {
    /// Normalisation over the batch; in training by the batch's own statistics.
    BatchNorm as "BatchNorm", forward_t {
        parts BatchNormParts {
            running_mean: Tensor = |layer| layer.running_mean().clone(),
            running_var: Tensor = |layer| layer.running_var().clone(),
            weight: Option<Tensor> = |layer| layer.weight_and_bias().map(|(weight, _)| weight.clone()),
            bias: Option<Tensor> = |layer| layer.weight_and_bias().map(|(_, bias)| bias.clone()),
        }
        options {
            eps: f64 = |layer| layer.eps(),
            momentum: f64 = |layer| layer.momentum(),
            remove_mean: bool = norm::removes_mean,
        }
        make { norm::batch_norm([running_mean, running_var], [weight, bias], eps, momentum, remove_mean) }
        written { written::batch_norm(&running_mean, weight.is_some(), eps, momentum, remove_mean) }
        in_training Changes;
        buffers "running_mean" "running_var";
        infer(layer, x) {
            let channels = layer.running_mean().elem_count();
            if x.rank() < 2 || x.dims()[1] != channels {
                refuse!("{x} should have {channels} channels in its second dimension");
            }
            if layer.running_mean().dtype() != x.dtype {
                refuse!("dtypes differ: {x} and statistics of {}", layer.running_mean().dtype().as_str());
            }
            floats(x)
        }
    }
}

layer! {
    /// An activation function.
    Activation as "Activation", forward {
        options {
            function: String = |layer| activation::name(layer),
            parameter: Option<f64> = |layer| activation::parameter(layer),
        }
        make { activation::named(&function, parameter) }
        written { written::activation(&function, parameter) }
        infer(layer, x) {
            activation::infer(layer, x)
        }
    }
}

layer! {
    /// `max(x, 0) + weight · min(x, 0)`.
    PReLU as "PReLU", forward {
        parts PReLUParts { weight: Tensor = |layer| layer.weight().clone() }
        options { is_scalar: bool = |layer| layer.is_scalar() }
        make { Ok(PReLU::new(weight, is_scalar)) }
        written { written::prelu(&weight, is_scalar) }
        infer(layer, x) {
            let weight = TensorFact::new(layer.weight().shape(), x.dtype);
            if layer.weight().dtype() != x.dtype {
                refuse!("dtypes differ: {x} and a weight of {}", layer.weight().dtype().as_str());
            }
            if layer.is_scalar() || weight.shape == x.shape {
                return floats(x);
            }
            let channels = layer.weight().elem_count();
            match x.dims() {
                [_, found, ..] if *found != channels => refuse!("{x} should have {channels} channels in its second dimension"),
                [_, _, ..] => floats(x),
                _ => match broadcast(x, &weight)?.as_tensor() {
                    Some(scaled) if scaled.shape == x.shape => floats(x),
                    _ => refuse!("{x} does not fit a weight of {weight}"),
                },
            }
        }
    }
}

layer! {
    /// Zeroes elements at random in training.
    Dropout as "Dropout", forward_t {
        // The layer shows its probability in its debug text only, in full.
        options { drop_p: f32 = |layer| debug_field(layer, "drop_p").unwrap_or(f32::NAN) }
        make { Ok(Dropout::new(drop_p)) }
        written { Ok(format!("candle_nn::Dropout::new({drop_p:?})")) }
        in_training Random;
        infer(_layer, x) { same(x) }
    }
}

layer! {
    /// Product with a quantized matrix, transposed.
    QMatMul as "QMatMul", forward {
        kept by quantized_state;
        numbers in quantized_state;
        infer(layer, x) {
            let (shape, dtype) = match layer {
                Self::QTensor(weight) => (weight.shape().clone(), DType::F32),
                Self::Tensor(weight) => (weight.shape().clone(), weight.dtype()),
                Self::TensorF16(weight) => (weight.shape().clone(), x.dtype),
            };
            let (to, from) = shape.dims2()?;
            projected(x, dtype, from, to)
        }
        macs(_layer, x, out) { of_each(out, x.dims().last().copied().unwrap_or(0)) }
    }
}

/// The algorithm of this name.
fn algorithm(name: &str) -> Result<CudnnFwdAlgo> {
    use CudnnFwdAlgo::{
        Count, Direct, Fft, FftTiling, Gemm, ImplicitGemm, ImplicitPrecompGemm, Winograd, WinogradNonFused,
    };
    named(name, [ImplicitGemm, ImplicitPrecompGemm, Gemm, Direct, Fft, FftTiling, Winograd, WinogradNonFused, Count])
}

/// The layers that can be made from their state, in order.
pub(super) fn kinds() -> impl Iterator<Item = &'static LayerKind> {
    [
        Linear::KIND,
        Conv1d::KIND,
        Conv2d::KIND,
        ConvTranspose1d::KIND,
        ConvTranspose2d::KIND,
        Embedding::KIND,
        LayerNorm::KIND,
        RmsNorm::KIND,
        GroupNorm::KIND,
        BatchNorm::KIND,
        Activation::KIND,
        PReLU::KIND,
        Dropout::KIND,
        QMatMul::KIND,
    ]
    .into_iter()
    .flatten()
}

// ── What user code reads of a layer ────────────────────────────────────────────────────────────────────────────────

macro_rules! parts {
    ($($type:ty { $($part:ident),* $(; $option:ident)? })*) => {$(
        impl Leaf<$type> {
            $(
                /// The layer's tensor of this name.
                pub fn $part(&self) -> &Proxy {
                    &self.parts.$part
                }
            )*
            $(
                /// The layer's tensor of this name, if it has one.
                pub fn $option(&self) -> Option<&Proxy> {
                    self.parts.$option.as_ref()
                }
            )?
        }
    )*};
}
parts! {
    Linear { weight; bias }
    Conv1d { weight; bias }
    Conv2d { weight; bias }
    ConvTranspose1d { weight; bias }
    ConvTranspose2d { weight; bias }
    Embedding { embeddings }
    LayerNorm { weight; bias }
    RmsNorm { weight }
    BatchNorm { running_mean, running_var }
    PReLU { weight }
}

macro_rules! settings {
    ($($type:ty { $($name:ident -> $result:ty),* })*) => {$(
        impl Leaf<$type> {
            $(
                /// The layer's setting of this name.
                pub fn $name(&self) -> $result {
                    self.original().$name()
                }
            )*
        }
    )*};
}
settings! {
    Conv1d { config -> &Conv1dConfig }
    Conv2d { config -> &Conv2dConfig }
    ConvTranspose1d { config -> &ConvTranspose1dConfig }
    ConvTranspose2d { config -> &ConvTranspose2dConfig }
    Embedding { hidden_size -> usize }
    LayerNorm { eps -> f64, remove_mean -> bool }
    RmsNorm { eps -> f64 }
    BatchNorm { eps -> f64, momentum -> f64 }
    PReLU { is_scalar -> bool }
}

impl Leaf<RmsNorm> {
    /// Records a call of the layer: gradients are the same with candle's variant of this name.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward_diff(&self, xs: &Proxy) -> Result<Proxy> {
        self.forward(xs)
    }
}

impl Leaf<Dropout> {
    /// Records a call of the layer.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward(&self, xs: &Proxy, train: bool) -> Result<Proxy> {
        self.forward_t(xs, train)
    }
}

impl Leaf<BatchNorm> {
    /// The layer's scale and shift, if it has them.
    #[must_use]
    pub fn weight_and_bias(&self) -> Option<(&Proxy, &Proxy)> {
        self.parts.weight.as_ref().zip(self.parts.bias.as_ref())
    }

    /// Records a call of the layer in training.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward_train(&self, xs: &Proxy) -> Result<Proxy> {
        self.forward_t(xs, true)
    }
}

impl crate::trace::ModuleT for Leaf<BatchNorm> {
    #[track_caller]
    fn forward_t(&self, xs: &Proxy, train: bool) -> Result<Proxy> {
        self.forward_t(xs, train)
    }

    fn forward_t_at(&self, xs: &Proxy, train: bool, at: &'static std::panic::Location<'static>) -> Result<Proxy> {
        self.forward_t_at(xs, train, at)
    }
}

impl crate::trace::ModuleT for Leaf<Dropout> {
    #[track_caller]
    fn forward_t(&self, xs: &Proxy, train: bool) -> Result<Proxy> {
        self.forward_t(xs, train)
    }

    fn forward_t_at(&self, xs: &Proxy, train: bool, at: &'static std::panic::Location<'static>) -> Result<Proxy> {
        self.forward_t_at(xs, train, at)
    }
}

/// An activation that is plain data (in a cloned configuration) has no path to be called by: what it does is recorded.
impl Module for Activation {
    #[track_caller]
    fn forward(&self, xs: &Proxy) -> Result<Proxy> {
        match *self {
            Self::Gelu => xs.gelu_erf(),
            Self::NewGelu | Self::GeluPytorchTanh => xs.gelu(),
            Self::Relu => xs.relu(),
            Self::Relu2 => xs.relu()?.sqr(),
            Self::Relu6 => xs.clamp(0f32, 6f32),
            Self::Silu => xs.silu(),
            Self::Sigmoid => ops::sigmoid(xs),
            Self::HardSigmoid => ops::hard_sigmoid(xs),
            Self::Swiglu => ops::swiglu(xs),
            Self::Swish => xs * ops::sigmoid(xs)?,
            Self::HardSwish => xs * ops::hard_sigmoid(xs)?,
            Self::Mish => ops::mish(xs),
            Self::Elu(alpha) => xs.elu(alpha),
            Self::LeakyRelu(negative_slope) => ops::leaky_relu(xs, negative_slope),
        }
    }
}

// ── candle's containers ────────────────────────────────────────────────────────────────────────────────────────────

/// The identity records nothing.
#[derive(Debug, Clone, Copy)]
pub struct Identity;

impl Traceable for candle_nn::ops::Identity {
    type Symbolic = Identity;

    fn symbolic(&self, _: &Scope) -> Identity {
        Identity
    }
}

/// Made by a twin: `Box::new(Identity::new())`.
impl Returned for candle_nn::ops::Identity {
    type Lifted = Identity;

    fn lift(self) -> Identity {
        Identity
    }
}

impl Module for Identity {
    fn forward(&self, xs: &Proxy) -> Result<Proxy> {
        Ok(xs.clone())
    }
}
