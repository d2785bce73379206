//! torch.nn's layers, on candle.
//!
//! Names, options, defaults, initialisation and names of tensors are torch.nn's, so that a PyTorch checkpoint loads by
//! name and computes the same numbers. Tensors, builders and errors are candle's. A layer that behaves differently in
//! training is called as `forward_t(x, train)`, the others as `forward(x)`.
//!
//! Where candle_nn has the computation, it is used.
//!
//! A layer is made of its sizes, its options and a `VarBuilder`, which gives or makes its tensors; one without tensors
//! of its options alone. `Default::default()` are torch's defaults, and each option has a method that sets it. Losses
//! are called as `loss.forward(&input, &target)`.
//!
//! ```
//! use candle_core::{DType, Device, Module, Tensor};
//! use candle_nn::{VarBuilder, VarMap};
//! use fx_core::{ir::Op, trace::Tracer};
//! use fx_nn::{Linear, LinearConfig, MSELoss};
//!
//! let vars = VarMap::new();
//! let vb = VarBuilder::from_varmap(&vars, DType::F32, &Device::Cpu);
//! let linear = Linear::new(8, 4, LinearConfig::default().bias(false), vb.pp("fc"))?;
//! let loss = MSELoss::new(Default::default());
//!
//! let (x, y) = (Tensor::ones((2, 8), DType::F32, &Device::Cpu)?, Tensor::ones((2, 4), DType::F32, &Device::Cpu)?);
//! let expected = loss.forward(&linear.forward(&x)?, &y)?.to_scalar::<f32>()?;
//!
//! // Captured, each is one node, and computes the same.
//! let module = Tracer::new().trace_with(&(linear, loss), |(linear, loss), inputs| {
//!     let predicted = linear.forward(&inputs.tensor("x")?)?;
//!     loss.forward(&predicted, &inputs.tensor("y")?)
//! })?;
//! assert_eq!(module.graph().find_nodes(Op::CallModule, None).len(), 2);
//! assert_eq!(module.forward(&[x, y])?.to_scalar::<f32>()?, expected);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A module that calls these layers is saved as any other, and loaded with [`layer_table`] and [`op_table`].
//!
//! Invariant: a layer is one node of a captured graph, or what it computes where the rules of a capture enter it; what it
//! accepts and what it refuses is the same when it runs and when it is captured.
//!
//! # Names
//!
//! What torch.nn has under a name is here under the same name:
//!
//! | in torch.nn | here |
//! |---|---|
//! | convolution | [`Conv1d`], [`Conv2d`], [`ConvTranspose1d`], [`ConvTranspose2d`], [`Fold`], [`Unfold`] |
//! | pooling | [`MaxPool1d`], [`MaxPool2d`], [`MaxPool3d`], [`MaxUnpool1d`], [`MaxUnpool2d`], [`MaxUnpool3d`], [`AvgPool1d`], [`AvgPool2d`], [`AvgPool3d`], [`LPPool1d`], [`LPPool2d`], [`LPPool3d`], [`AdaptiveMaxPool1d`], [`AdaptiveMaxPool2d`], [`AdaptiveMaxPool3d`], [`AdaptiveAvgPool1d`], [`AdaptiveAvgPool2d`], [`AdaptiveAvgPool3d`]; `return_indices=True` is [`WithIndices`] |
//! | padding | [`ZeroPad1d`], [`ZeroPad2d`], [`ZeroPad3d`], [`ConstantPad1d`], [`ConstantPad2d`], [`ConstantPad3d`], [`ReflectionPad1d`], [`ReflectionPad2d`], [`ReflectionPad3d`], [`ReplicationPad1d`], [`ReplicationPad2d`], [`ReplicationPad3d`], [`CircularPad1d`], [`CircularPad2d`], [`CircularPad3d`] |
//! | activations | [`ELU`], [`Hardshrink`], [`Hardsigmoid`], [`Hardtanh`], [`Hardswish`], [`LeakyReLU`], [`LogSigmoid`], [`MultiheadAttention`], [`PReLU`], [`ReLU`], [`ReLU6`], [`RReLU`], [`SELU`], [`CELU`], [`GELU`], [`Sigmoid`], [`SiLU`], [`Mish`], [`Softplus`], [`Softshrink`], [`Softsign`], [`Tanh`], [`Tanhshrink`], [`Threshold`], [`GLU`], [`Softmin`], [`Softmax`], [`Softmax2d`], [`LogSoftmax`], [`AdaptiveLogSoftmaxWithLoss`] |
//! | normalization | [`BatchNorm1d`], [`BatchNorm2d`], [`BatchNorm3d`], [`GroupNorm`], [`InstanceNorm1d`], [`InstanceNorm2d`], [`InstanceNorm3d`], [`LayerNorm`], [`LocalResponseNorm`], [`RMSNorm`] |
//! | recurrent | [`RNN`], [`LSTM`], [`GRU`], [`RNNCell`], [`LSTMCell`], [`GRUCell`] |
//! | transformer | [`Transformer`], [`TransformerEncoder`], [`TransformerDecoder`], [`TransformerEncoderLayer`], [`TransformerDecoderLayer`] |
//! | linear, shapes | [`Identity`], [`Linear`], [`Bilinear`], [`Flatten`], [`Unflatten`] and the function [`flatten`] |
//! | dropout | [`Dropout`], [`Dropout1d`], [`Dropout2d`], [`Dropout3d`], [`AlphaDropout`], [`FeatureAlphaDropout`] |
//! | sparse | [`Embedding`], [`EmbeddingBag`] |
//! | distance | [`CosineSimilarity`], [`PairwiseDistance`] |
//! | vision, shuffle | [`PixelShuffle`], [`PixelUnshuffle`], [`Upsample`], [`ChannelShuffle`] |
//! | losses | [`L1Loss`], [`MSELoss`], [`CrossEntropyLoss`], [`CTCLoss`], [`NLLLoss`], [`PoissonNLLLoss`], [`GaussianNLLLoss`], [`KLDivLoss`], [`BCELoss`], [`BCEWithLogitsLoss`], [`MarginRankingLoss`], [`HingeEmbeddingLoss`], [`MultiLabelMarginLoss`], [`HuberLoss`], [`SmoothL1Loss`], [`SoftMarginLoss`], [`MultiLabelSoftMarginLoss`], [`CosineEmbeddingLoss`], [`MultiMarginLoss`], [`TripletMarginLoss`], [`TripletMarginWithDistanceLoss`], [`LinearCrossEntropyLoss`] |
//! | containers | [`Sequential`], [`ModuleList`], [`ModuleDict`] |
//!
//! What is not here, and what to use:
//!
//! | in torch.nn | why, and what instead |
//! |---|---|
//! | `Module` | a structure with `#[fx::module]` |
//! | `Parameter`, `ParameterList`, `ParameterDict` | a `Tensor` of the `VarBuilder`, a `Vec` of them |
//! | `Conv3d`, `ConvTranspose3d` | candle convolves in one and two dimensions |
//! | `FractionalMaxPool2d`, `FractionalMaxPool3d` | the regions are random; [`AdaptiveMaxPool2d`] has fixed ones |
//! | `CrossMapLRN2d` | [`LocalResponseNorm`], which computes the same |
//! | `UpsamplingNearest2d`, `UpsamplingBilinear2d` | [`Upsample`], in the mode [`UpsampleMode`] (deprecated in PyTorch) |
//! | `LazyLinear`, `LazyConv2d` and the other `Lazy…` | a layer has its tensors when it is made: give its sizes |
//! | `SyncBatchNorm`, `DataParallel` and other layers for many processes | one process is all there is; [`BatchNorm2d`] |

mod axis;
mod dims;
mod leaf;
mod options;
mod formula;
mod stable;
mod twice;
mod keeper;

/// What formulas are computed on.
mod world {
    pub(crate) use candle_core::{Result, Tensor};
}

mod proxied;

mod activation;
mod adaptive;
mod adaptive_softmax;
mod attention;
mod batch_norm;
mod container;
mod conv;
mod conv_transpose;
mod distance;
mod dropout;
mod fold;
mod functional;
mod linear;
mod loss;
mod loss_class;
mod loss_ctc;
mod loss_linear;
mod loss_three;
mod norm;
mod padding;
mod pool;
mod lp_pool;
mod pool_indices;
mod rnn;
mod rnn_cell;
mod shape;
mod sparse;
mod table;
mod transformer;
mod transformer_stack;
mod transformer_model;
mod unpool;
mod upsample;

pub use activation::{
    Approximate, CELU, ELU, GELU, GLU, Hardshrink, Hardsigmoid, Hardswish, Hardtanh, LeakyReLU, LogSigmoid, LogSoftmax,
    Mish, PReLU, PReLUConfig, RReLU, ReLU, ReLU6, SELU, SiLU, Sigmoid, Softmax, Softmax2d, Softmin, Softplus,
    Softshrink, Softsign, Tanh, Tanhshrink, Threshold,
};
pub use adaptive::{
    AdaptiveAvgPool, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d, AdaptiveMaxPool, AdaptiveMaxPool1d,
    AdaptiveMaxPool2d, AdaptiveMaxPool3d, OutputSize,
};
pub use adaptive_softmax::{AdaptiveLogSoftmaxWithLoss, AdaptiveLogSoftmaxWithLossConfig};
pub use attention::{MultiheadAttention, MultiheadAttentionConfig};
pub use batch_norm::{
    BatchNorm, BatchNorm1d, BatchNorm2d, BatchNorm3d, BatchNormConfig, InstanceNorm, InstanceNorm1d, InstanceNorm2d,
    InstanceNorm3d, InstanceNormConfig,
};
pub use container::{Child, ChildMirror, ModuleDict, ModuleList, Sequential, SequentialMirror};
pub use conv::{Conv, Conv1d, Conv1dConfig, Conv2d, Conv2dConfig, ConvConfig, Padding, PaddingMode};
pub use conv_transpose::{
    ConvTranspose, ConvTranspose1d, ConvTranspose1dConfig, ConvTranspose2d, ConvTranspose2dConfig, ConvTransposeConfig,
};
pub use distance::{CosineSimilarity, PairwiseDistance};
pub use dropout::{AlphaDropout, Dropout, Dropout1d, Dropout2d, Dropout3d, FeatureAlphaDropout};
pub use fold::{Fold, FoldConfig, Unfold};
pub use functional::{Flattened, flatten};
pub use keeper::{Keeper, Keeps, KeepsOne};
pub use leaf::{Pair, Several, Trained};
pub use linear::{Bilinear, Identity, Linear, LinearConfig};
pub use loss::{
    BCELoss, BCELossConfig, BCEWithLogitsLoss, BCEWithLogitsLossConfig, HingeEmbeddingLoss, HingeEmbeddingLossConfig,
    HuberLoss, HuberLossConfig, KLDivLoss, KLDivLossConfig, L1Loss, L1LossConfig, MSELoss, MSELossConfig,
    MultiLabelSoftMarginLoss, MultiLabelSoftMarginLossConfig, PoissonNLLLoss, PoissonNLLLossConfig, Reduction,
    SmoothL1Loss, SmoothL1LossConfig, SoftMarginLoss, SoftMarginLossConfig,
};
pub use loss_class::{
    CrossEntropyLoss, CrossEntropyLossConfig, MultiLabelMarginLoss, MultiLabelMarginLossConfig, MultiMarginLoss,
    MultiMarginLossConfig, NLLLoss, NLLLossConfig,
};
pub use loss_ctc::{CTCLoss, CTCLossConfig};
pub use loss_linear::{LinearCrossEntropyLoss, LinearCrossEntropyLossConfig};
pub use loss_three::{
    CosineEmbeddingLoss, CosineEmbeddingLossConfig, DistanceFunction, GaussianNLLLoss, GaussianNLLLossConfig,
    MarginRankingLoss, MarginRankingLossConfig, TripletMarginLoss, TripletMarginLossConfig,
    TripletMarginWithDistanceLoss, TripletMarginWithDistanceLossConfig,
};
pub use lp_pool::{LPPool, LPPool1d, LPPool2d, LPPool3d, LPPoolConfig};
pub use norm::{
    GroupNorm, GroupNormConfig, LayerNorm, LayerNormConfig, LocalResponseNorm, LocalResponseNormConfig, RMSNorm,
    RMSNormConfig,
};
pub use options::Size;
pub use padding::{
    CircularPad, CircularPad1d, CircularPad2d, CircularPad3d, ConstantPad, ConstantPad1d, ConstantPad2d, ConstantPad3d,
    ReflectionPad, ReflectionPad1d, ReflectionPad2d, ReflectionPad3d, ReplicationPad, ReplicationPad1d,
    ReplicationPad2d, ReplicationPad3d, Sides, ZeroPad, ZeroPad1d, ZeroPad2d, ZeroPad3d,
};
pub use pool::{
    AvgPool, AvgPool1d, AvgPool2d, AvgPool3d, AvgPoolConfig, MaxPool, MaxPool1d, MaxPool2d, MaxPool3d, MaxPoolConfig,
};
pub use pool_indices::{Indexed, Indices, WithIndices};
pub use rnn::{GRU, GRUConfig, LSTM, LSTMConfig, RNN, RNNConfig};
pub use rnn_cell::{CellConfig, GRUCell, LSTMCell, Nonlinearity, RNNCell, RNNCellConfig};
pub use shape::{ChannelShuffle, Flatten, PixelShuffle, PixelUnshuffle, Unflatten};
pub use sparse::{BagMode, Embedding, EmbeddingBag, EmbeddingBagConfig, EmbeddingConfig};
pub use table::{kinds, layer_table, op_table};
pub use transformer::{
    TransformerActivation, TransformerDecoderLayer, TransformerEncoderLayer, TransformerLayerConfig,
};
pub use transformer_model::{Transformer, TransformerConfig};
pub use transformer_stack::{TransformerDecoder, TransformerEncoder};
pub use unpool::{MaxUnpool, MaxUnpool1d, MaxUnpool2d, MaxUnpool3d, MaxUnpoolConfig};
pub use upsample::{Upsample, UpsampleConfig, UpsampleMode};
