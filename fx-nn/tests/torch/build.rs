//! Every class of torch.nn that is known here, built from torch's arguments.
//!
//! Invariant: arguments are asked for in the order of torch's signatures.

use candle_core::{Result, bail};
use candle_nn::VarBuilder;
use fx_nn::*;

use super::arguments::{Arguments, Wanted};
use super::called::{Built, built};

impl<const N: usize> Wanted for Size<N> {
    fn wanted(value: &serde_json::Value) -> Option<Self> {
        <[usize; N]>::wanted(value).map(Size)
    }
}

impl<const N: usize> Wanted for Sides<N> {
    fn wanted(value: &serde_json::Value) -> Option<Self> {
        let all = Vec::<i64>::wanted(value)?;
        match all.as_slice() {
            [one] => Some(Sides([(*one, *one); N])),
            all if all.len() == 2 * N => Some(Sides(std::array::from_fn(|i| (all[2 * i], all[2 * i + 1])))),
            _ => None,
        }
    }
}

impl<const N: usize> Wanted for Padding<N> {
    fn wanted(value: &serde_json::Value) -> Option<Self> {
        match value.as_str() {
            Some("same") => Some(Padding::Same),
            Some("valid") => Some(Padding::Valid),
            _ => Size::wanted(value).map(Padding::Explicit),
        }
    }
}

impl<const N: usize> Wanted for OutputSize<N> {
    fn wanted(value: &serde_json::Value) -> Option<Self> {
        // `None` is not one number for all.
        match value {
            serde_json::Value::Array(items) if items.len() != N => None,
            value => <[Option<usize>; N]>::wanted(value).map(OutputSize),
        }
    }
}

fn conv<const N: usize>(a: &Arguments, vb: VarBuilder<'_>) -> Result<Built> {
    let (from, to, kernel) = (a.need("in_channels")?, a.need("out_channels")?, a.need::<Size<N>>("kernel_size")?);
    let mut config = ConvConfig::<N> { stride: a.or("stride", 1.into())?, ..ConvConfig::default() };
    config.padding = a.or("padding", config.padding)?;
    config.dilation = a.or("dilation", config.dilation)?;
    config.groups = a.or("groups", 1)?;
    config.bias = a.or("bias", true)?;
    config.padding_mode = a.word("padding_mode", config.padding_mode)?;
    built(Conv::new(from, to, kernel, config, vb)?)
}

fn conv_transpose<const N: usize>(a: &Arguments, vb: VarBuilder<'_>) -> Result<Built> {
    let (from, to, kernel) = (a.need("in_channels")?, a.need("out_channels")?, a.need::<Size<N>>("kernel_size")?);
    let mut config = ConvTransposeConfig::<N> { stride: a.or("stride", 1.into())?, ..ConvTransposeConfig::default() };
    config.padding = a.or("padding", config.padding)?;
    config.output_padding = a.or("output_padding", config.output_padding)?;
    config.groups = a.or("groups", 1)?;
    config.bias = a.or("bias", true)?;
    config.dilation = a.or("dilation", config.dilation)?;
    if a.or("padding_mode", "zeros".to_owned())? != "zeros" {
        bail!("torch has transposed convolutions with zeros only");
    }
    built(ConvTranspose::new(from, to, kernel, config, vb)?)
}

fn max_pool<const N: usize>(a: &Arguments) -> Result<Built> {
    let kernel = a.need::<Size<N>>("kernel_size")?;
    let mut config = MaxPoolConfig::<N> { stride: a.or("stride", None)?, ..MaxPoolConfig::default() };
    config.padding = a.or("padding", config.padding)?;
    config.dilation = a.or("dilation", config.dilation)?;
    let indices = a.or("return_indices", false)?;
    config.ceil_mode = a.or("ceil_mode", false)?;
    let pool = MaxPool::new(kernel, config)?;
    if indices { built(WithIndices(pool)) } else { built(pool) }
}

fn adaptive_max_pool<const N: usize>(a: &Arguments) -> Result<Built> {
    let pool = AdaptiveMaxPool::new(a.need::<OutputSize<N>>("output_size")?);
    if a.or("return_indices", false)? { built(WithIndices(pool)) } else { built(pool) }
}

fn avg_pool<const N: usize>(a: &Arguments) -> Result<Built> {
    let kernel = a.need::<Size<N>>("kernel_size")?;
    let mut config = AvgPoolConfig::<N> { stride: a.or("stride", None)?, ..AvgPoolConfig::default() };
    config.padding = a.or("padding", config.padding)?;
    config.ceil_mode = a.or("ceil_mode", false)?;
    config.count_include_pad = a.or("count_include_pad", true)?;
    if N > 1 {
        config.divisor_override = a.or("divisor_override", None)?;
    }
    built(AvgPool::new(kernel, config)?)
}

fn lp_pool<const N: usize>(a: &Arguments) -> Result<Built> {
    let (norm, kernel) = (a.need("norm_type")?, a.need::<Size<N>>("kernel_size")?);
    let stride = a.or("stride", None)?;
    built(LPPool::new(norm, kernel, LPPoolConfig { stride, ceil_mode: a.or("ceil_mode", false)? })?)
}

fn max_unpool<const N: usize>(a: &Arguments) -> Result<Built> {
    let kernel = a.need::<Size<N>>("kernel_size")?;
    let mut config = MaxUnpoolConfig { stride: a.or("stride", None)?, ..MaxUnpoolConfig::default() };
    config.padding = a.or("padding", config.padding)?;
    built(MaxUnpool::new(kernel, config)?)
}

fn batch_norm<const N: usize>(a: &Arguments, vb: VarBuilder<'_>) -> Result<Built> {
    let features = a.need("num_features")?;
    let mut config = BatchNormConfig { eps: a.or("eps", 1e-5)?, ..BatchNormConfig::default() };
    config.momentum = a.or("momentum", config.momentum)?;
    config.affine = a.or("affine", true)?;
    config.track_running_stats = a.or("track_running_stats", true)?;
    config.bias = a.named("bias", true)?;
    built(BatchNorm::<N>::new(features, config, vb)?)
}

fn instance_norm<const N: usize>(a: &Arguments, vb: VarBuilder<'_>) -> Result<Built> {
    let features = a.need("num_features")?;
    let mut config = InstanceNormConfig { eps: a.or("eps", 1e-5)?, ..InstanceNormConfig::default() };
    config.momentum = a.or("momentum", config.momentum)?;
    config.affine = a.or("affine", false)?;
    config.track_running_stats = a.or("track_running_stats", false)?;
    config.bias = a.named("bias", true)?;
    built(InstanceNorm::<N>::new(features, config, vb)?)
}

fn fold_config(a: &Arguments) -> Result<FoldConfig> {
    let dilation = a.or("dilation", 1.into())?;
    let padding = a.or("padding", 0.into())?;
    Ok(FoldConfig { dilation, padding, stride: a.or("stride", 1.into())? })
}

fn recurrent(class: &str, a: &Arguments, vb: VarBuilder<'_>) -> Result<Built> {
    let (from, to) = (a.need("input_size")?, a.need("hidden_size")?);
    let num_layers = a.or("num_layers", 1)?;
    let nonlinearity = if class == "RNN" { a.word("nonlinearity", Nonlinearity::Tanh)? } else { Nonlinearity::Tanh };
    let (bias, batch_first) = (a.or("bias", true)?, a.or("batch_first", false)?);
    let (dropout, bidirectional) = (a.or("dropout", 0.0)?, a.or("bidirectional", false)?);
    let proj_size = if class == "LSTM" { a.or("proj_size", 0)? } else { 0 };
    match class {
        "RNN" => {
            let config = RNNConfig { num_layers, nonlinearity, bias, batch_first, dropout, bidirectional };
            built(RNN::new(from, to, config, vb)?)
        }
        "LSTM" => {
            let config = LSTMConfig { num_layers, bias, batch_first, dropout, bidirectional, proj_size };
            built(LSTM::new(from, to, config, vb)?)
        }
        _ => built(GRU::new(from, to, GRUConfig { num_layers, bias, batch_first, dropout, bidirectional }, vb)?),
    }
}

fn transformer(a: &Arguments) -> Result<TransformerLayerConfig> {
    transformer_options(a, false)
}

/// Options of a layer, or of a whole transformer, which takes its encoder and decoder among them.
fn transformer_options(a: &Arguments, whole: bool) -> Result<TransformerLayerConfig> {
    let mut config = TransformerLayerConfig { dim_feedforward: a.or("dim_feedforward", 2048)?, ..Default::default() };
    config.dropout = a.or("dropout", 0.1)?;
    config.activation = a.word("activation", TransformerActivation::Relu)?;
    if whole {
        a.skip("custom_encoder")?;
        a.skip("custom_decoder")?;
    }
    config.layer_norm_eps = a.or("layer_norm_eps", 1e-5)?;
    config.batch_first = a.or("batch_first", false)?;
    config.norm_first = a.or("norm_first", false)?;
    config.bias = a.or("bias", true)?;
    Ok(config)
}

/// The layer of this class, from these arguments and this state.
pub(crate) fn build(class: &str, a: &Arguments, vb: VarBuilder<'_>) -> Result<Built> {
    let inplace = |built: Result<Built>| a.skip("inplace").and(built);
    let weight = |name: &str| if vb.contains_tensor(name) { vb.get_unchecked(name).map(Some) } else { Ok(None) };
    let layer = match class {
        "Linear" => {
            let (from, to) = (a.need("in_features")?, a.need("out_features")?);
            built(Linear::new(from, to, LinearConfig { bias: a.or("bias", true)? }, vb)?)
        }
        "Bilinear" => {
            let (first, second, to) = (a.need("in1_features")?, a.need("in2_features")?, a.need("out_features")?);
            built(Bilinear::new(first, second, to, LinearConfig { bias: a.or("bias", true)? }, vb)?)
        }
        // It takes any arguments.
        "Identity" => return built(Identity::new()),
        "Flatten" => built(Flatten::new(a.or("start_dim", 1)?, a.or("end_dim", -1)?)),
        "Unflatten" => built(Unflatten::new(a.need("dim")?, a.need::<Vec<i64>>("unflattened_size")?)),
        "Embedding" => {
            let (rows, width) = (a.need("num_embeddings")?, a.need("embedding_dim")?);
            let mut config = EmbeddingConfig { padding_idx: a.or("padding_idx", None)?, ..EmbeddingConfig::default() };
            config.max_norm = a.or("max_norm", None)?;
            config.norm_type = a.or("norm_type", 2.0)?;
            config.scale_grad_by_freq = a.or("scale_grad_by_freq", false)?;
            config.sparse = a.or("sparse", false)?;
            built(Embedding::new(rows, width, config, vb)?)
        }
        "EmbeddingBag" => {
            let (rows, width) = (a.need("num_embeddings")?, a.need("embedding_dim")?);
            let mut config = EmbeddingBagConfig { max_norm: a.or("max_norm", None)?, ..EmbeddingBagConfig::default() };
            config.norm_type = a.or("norm_type", 2.0)?;
            config.scale_grad_by_freq = a.or("scale_grad_by_freq", false)?;
            config.mode = a.word("mode", BagMode::Mean)?;
            config.sparse = a.or("sparse", false)?;
            a.skip("_weight")?;
            config.include_last_offset = a.or("include_last_offset", false)?;
            config.padding_idx = a.or("padding_idx", None)?;
            built(EmbeddingBag::new(rows, width, config, vb)?)
        }
        "Conv1d" => conv::<1>(a, vb),
        "Conv2d" => conv::<2>(a, vb),
        "ConvTranspose1d" => conv_transpose::<1>(a, vb),
        "ConvTranspose2d" => conv_transpose::<2>(a, vb),
        "Unfold" => built(Unfold::new(a.need::<Size<2>>("kernel_size")?, fold_config(a)?)),
        "Fold" => {
            let (output, kernel) = (a.need::<Size<2>>("output_size")?, a.need::<Size<2>>("kernel_size")?);
            built(Fold::new(output, kernel, fold_config(a)?))
        }
        "BatchNorm1d" => batch_norm::<1>(a, vb),
        "BatchNorm2d" => batch_norm::<2>(a, vb),
        "BatchNorm3d" => batch_norm::<3>(a, vb),
        "InstanceNorm1d" => instance_norm::<1>(a, vb),
        "InstanceNorm2d" => instance_norm::<2>(a, vb),
        "InstanceNorm3d" => instance_norm::<3>(a, vb),
        "LayerNorm" => {
            let shape = a.need::<Vec<usize>>("normalized_shape")?;
            let mut config = LayerNormConfig { eps: a.or("eps", 1e-5)?, ..LayerNormConfig::default() };
            config.elementwise_affine = a.or("elementwise_affine", true)?;
            config.bias = a.or("bias", true)?;
            built(LayerNorm::new(shape, config, vb)?)
        }
        "RMSNorm" => {
            let shape = a.need::<Vec<usize>>("normalized_shape")?;
            let config =
                RMSNormConfig { eps: a.or("eps", None)?, elementwise_affine: a.or("elementwise_affine", true)? };
            built(RMSNorm::new(shape, config, vb)?)
        }
        "GroupNorm" => {
            let (groups, channels) = (a.need("num_groups")?, a.need("num_channels")?);
            let (eps, affine) = (a.or("eps", 1e-5)?, a.or("affine", true)?);
            let config = GroupNormConfig { eps, affine, bias: a.named("bias", true)? };
            built(GroupNorm::new(groups, channels, config, vb)?)
        }
        "LocalResponseNorm" => {
            let size = a.need("size")?;
            let (alpha, beta, k) = (a.or("alpha", 1e-4)?, a.or("beta", 0.75)?, a.or("k", 1.0)?);
            built(LocalResponseNorm::new(size, LocalResponseNormConfig { alpha, beta, k })?)
        }
        "ReLU" => inplace(built(ReLU::new())),
        "ReLU6" => inplace(built(ReLU6::new())),
        "ELU" => {
            let layer = ELU::new(a.or("alpha", 1.0)?);
            inplace(built(layer))
        }
        "SELU" => inplace(built(SELU::new())),
        "CELU" => {
            let layer = CELU::new(a.or("alpha", 1.0)?);
            inplace(built(layer))
        }
        "GELU" => built(GELU::new(a.word("approximate", Approximate::None)?)),
        "SiLU" => inplace(built(SiLU::new())),
        "Mish" => inplace(built(Mish::new())),
        "Sigmoid" => built(Sigmoid::new()),
        "LogSigmoid" => built(LogSigmoid::new()),
        "Hardsigmoid" => inplace(built(Hardsigmoid::new())),
        "Hardswish" => inplace(built(Hardswish::new())),
        "Tanh" => built(Tanh::new()),
        "Tanhshrink" => built(Tanhshrink::new()),
        "Hardtanh" => {
            let layer = Hardtanh::new(a.or("min_val", -1.0)?, a.or("max_val", 1.0)?);
            let layer = inplace(built(layer));
            // torch's old names of the same.
            a.absent("min_value").and(a.absent("max_value")).and(layer)
        }
        "Hardshrink" => built(Hardshrink::new(a.or("lambd", 0.5)?)),
        "Softshrink" => built(Softshrink::new(a.or("lambd", 0.5)?)),
        "Softsign" => built(Softsign::new()),
        "Softplus" => built(Softplus::new(a.or("beta", 1.0)?, a.or("threshold", 20.0)?)),
        "LeakyReLU" => {
            let layer = LeakyReLU::new(a.or("negative_slope", 0.01)?);
            inplace(built(layer))
        }
        "RReLU" => {
            let layer = RReLU::new(a.or("lower", 1.0 / 8.0)?, a.or("upper", 1.0 / 3.0)?);
            inplace(built(layer))
        }
        "Threshold" => {
            let layer = Threshold::new(a.need("threshold")?, a.need("value")?);
            inplace(built(layer))
        }
        "GLU" => built(GLU::new(a.or("dim", -1)?)),
        "PReLU" => {
            let config = PReLUConfig { num_parameters: a.or("num_parameters", 1)?, init: a.or("init", 0.25)? };
            built(PReLU::new(config, vb)?)
        }
        "Softmax" => built(Softmax::new(a.or("dim", None)?)),
        "LogSoftmax" => built(LogSoftmax::new(a.or("dim", None)?)),
        "Softmin" => built(Softmin::new(a.or("dim", None)?)),
        "Softmax2d" => built(Softmax2d::new()),
        "MaxPool1d" => max_pool::<1>(a),
        "MaxPool2d" => max_pool::<2>(a),
        "MaxPool3d" => max_pool::<3>(a),
        "AvgPool1d" => avg_pool::<1>(a),
        "AvgPool2d" => avg_pool::<2>(a),
        "AvgPool3d" => avg_pool::<3>(a),
        "LPPool1d" => lp_pool::<1>(a),
        "LPPool2d" => lp_pool::<2>(a),
        "LPPool3d" => lp_pool::<3>(a),
        "MaxUnpool1d" => max_unpool::<1>(a),
        "MaxUnpool2d" => max_unpool::<2>(a),
        "MaxUnpool3d" => max_unpool::<3>(a),
        "AdaptiveAvgPool1d" => built(AdaptiveAvgPool1d::new(a.need::<OutputSize<1>>("output_size")?)),
        "AdaptiveAvgPool2d" => built(AdaptiveAvgPool2d::new(a.need::<OutputSize<2>>("output_size")?)),
        "AdaptiveAvgPool3d" => built(AdaptiveAvgPool3d::new(a.need::<OutputSize<3>>("output_size")?)),
        "AdaptiveMaxPool1d" => adaptive_max_pool::<1>(a),
        "AdaptiveMaxPool2d" => adaptive_max_pool::<2>(a),
        "AdaptiveMaxPool3d" => adaptive_max_pool::<3>(a),
        "Upsample" | "UpsamplingNearest2d" | "UpsamplingBilinear2d" => {
            let mut config = UpsampleConfig { size: a.or("size", None)?, ..UpsampleConfig::default() };
            config.scale_factor = a.or("scale_factor", None)?;
            if class == "UpsamplingBilinear2d" {
                (config.mode, config.align_corners) = (UpsampleMode::Bilinear, Some(true));
            } else if class == "Upsample" {
                config.mode = a.word("mode", UpsampleMode::Nearest)?;
                config.align_corners = a.or("align_corners", None)?;
                config.recompute_scale_factor = a.or("recompute_scale_factor", None)?;
            }
            built(Upsample::new(config)?)
        }
        "PixelShuffle" => built(PixelShuffle::new(a.need("upscale_factor")?)?),
        "PixelUnshuffle" => built(PixelUnshuffle::new(a.need("downscale_factor")?)?),
        "ChannelShuffle" => built(ChannelShuffle::new(a.need("groups")?)?),
        "ZeroPad1d" => built(ZeroPad1d::new(a.need::<Sides<1>>("padding")?)),
        "ZeroPad2d" => built(ZeroPad2d::new(a.need::<Sides<2>>("padding")?)),
        "ZeroPad3d" => built(ZeroPad3d::new(a.need::<Sides<3>>("padding")?)),
        "ConstantPad1d" => built(ConstantPad1d::new(a.need::<Sides<1>>("padding")?, a.need("value")?)),
        "ConstantPad2d" => built(ConstantPad2d::new(a.need::<Sides<2>>("padding")?, a.need("value")?)),
        "ConstantPad3d" => built(ConstantPad3d::new(a.need::<Sides<3>>("padding")?, a.need("value")?)),
        "ReflectionPad1d" => built(ReflectionPad1d::new(a.need::<Sides<1>>("padding")?)),
        "ReflectionPad2d" => built(ReflectionPad2d::new(a.need::<Sides<2>>("padding")?)),
        "ReflectionPad3d" => built(ReflectionPad3d::new(a.need::<Sides<3>>("padding")?)),
        "ReplicationPad1d" => built(ReplicationPad1d::new(a.need::<Sides<1>>("padding")?)),
        "ReplicationPad2d" => built(ReplicationPad2d::new(a.need::<Sides<2>>("padding")?)),
        "ReplicationPad3d" => built(ReplicationPad3d::new(a.need::<Sides<3>>("padding")?)),
        "CircularPad1d" => built(CircularPad1d::new(a.need::<Sides<1>>("padding")?)),
        "CircularPad2d" => built(CircularPad2d::new(a.need::<Sides<2>>("padding")?)),
        "CircularPad3d" => built(CircularPad3d::new(a.need::<Sides<3>>("padding")?)),
        "Dropout" => inplace(built(Dropout::new(a.or("p", 0.5)?)?)),
        "Dropout1d" => inplace(built(Dropout1d::new(a.or("p", 0.5)?)?)),
        "Dropout2d" => inplace(built(Dropout2d::new(a.or("p", 0.5)?)?)),
        "Dropout3d" => inplace(built(Dropout3d::new(a.or("p", 0.5)?)?)),
        "AlphaDropout" => inplace(built(AlphaDropout::new(a.or("p", 0.5)?)?)),
        "FeatureAlphaDropout" => inplace(built(FeatureAlphaDropout::new(a.or("p", 0.5)?)?)),
        "RNN" | "LSTM" | "GRU" => recurrent(class, a, vb),
        "RNNCell" => {
            let (from, to) = (a.need("input_size")?, a.need("hidden_size")?);
            let bias = a.or("bias", true)?;
            let nonlinearity = a.word("nonlinearity", Nonlinearity::Tanh)?;
            built(RNNCell::new(from, to, RNNCellConfig { bias, nonlinearity }, vb)?)
        }
        "LSTMCell" | "GRUCell" => {
            let (from, to) = (a.need("input_size")?, a.need("hidden_size")?);
            let config = CellConfig { bias: a.or("bias", true)? };
            if class == "LSTMCell" {
                built(LSTMCell::new(from, to, config, vb)?)
            } else {
                built(GRUCell::new(from, to, config, vb)?)
            }
        }
        "MultiheadAttention" => {
            let (width, heads) = (a.need("embed_dim")?, a.need("num_heads")?);
            let mut config = MultiheadAttentionConfig { dropout: a.or("dropout", 0.0)?, ..Default::default() };
            config.bias = a.or("bias", true)?;
            config.add_bias_kv = a.or("add_bias_kv", false)?;
            config.add_zero_attn = a.or("add_zero_attn", false)?;
            config.kdim = a.or("kdim", None)?;
            config.vdim = a.or("vdim", None)?;
            config.batch_first = a.or("batch_first", false)?;
            built(MultiheadAttention::new(width, heads, config, vb)?)
        }
        "TransformerEncoderLayer" | "TransformerDecoderLayer" => {
            let (width, heads) = (a.need("d_model")?, a.need("nhead")?);
            let config = transformer(a)?;
            if class == "TransformerEncoderLayer" {
                built(TransformerEncoderLayer::new(width, heads, config, vb)?)
            } else {
                built(TransformerDecoderLayer::new(width, heads, config, vb)?)
            }
        }
        "Transformer" => {
            let mut config = TransformerConfig { d_model: a.or("d_model", 512)?, ..TransformerConfig::default() };
            config.nhead = a.or("nhead", 8)?;
            config.num_encoder_layers = a.or("num_encoder_layers", 6)?;
            config.num_decoder_layers = a.or("num_decoder_layers", 6)?;
            let layer = transformer_options(a, true)?;
            config.dim_feedforward = layer.dim_feedforward;
            config.dropout = layer.dropout;
            config.activation = layer.activation;
            config.layer_norm_eps = layer.layer_norm_eps;
            config.batch_first = layer.batch_first;
            config.norm_first = layer.norm_first;
            config.bias = layer.bias;
            built(Transformer::new(config, vb)?)
        }
        "CosineSimilarity" => built(CosineSimilarity::new(a.or("dim", 1)?, a.or("eps", 1e-8)?)),
        "PairwiseDistance" => {
            let (p, eps) = (a.or("p", 2.0)?, a.or("eps", 1e-6)?);
            built(PairwiseDistance::new(p, eps, a.or("keepdim", false)?))
        }
        "AdaptiveLogSoftmaxWithLoss" => {
            let (from, classes) = (a.need("in_features")?, a.need("n_classes")?);
            let cutoffs = a.need::<Vec<usize>>("cutoffs")?;
            let div_value = a.or("div_value", 4.0)?;
            let config = AdaptiveLogSoftmaxWithLossConfig { div_value, head_bias: a.or("head_bias", false)? };
            built(AdaptiveLogSoftmaxWithLoss::new(from, classes, &cutoffs, config, vb)?)
        }
        "LinearCrossEntropyLoss" => {
            let (from, classes) = (a.need("in_features")?, a.need("num_classes")?);
            let mut config =
                LinearCrossEntropyLossConfig { out_features: a.or("out_features", Vec::new())?, ..Default::default() };
            config.bias = a.or("bias", false)?;
            config.reduction = a.word("reduction", config.reduction)?;
            a.absent("weight")?;
            config.ignore_index = a.or("ignore_index", None)?;
            config.label_smoothing = a.or("label_smoothing", 0.0)?;
            a.absent("options")?;
            let layer = LinearCrossEntropyLoss::new(from, classes, config, vb.clone())?;
            built(match weight("weight")? {
                Some(weight) => layer.with_weight(weight),
                None => layer,
            })
        }
        class => super::build_loss::build(class, a, &weight),
    };
    let layer = layer?;
    a.finish()?;
    Ok(layer)
}
