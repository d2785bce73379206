//! The layers that can be made again, as a table, for loading modules that hold them.
//!
//! Invariant: a layer is in the table if it tells its state.

use fx_core::leaf::Layer;
use fx_core::module::{LayerKind, LayerTable};
use fx_core::ops::OpTable;

use crate::*;

macro_rules! kinds {
    ($($layer:ty),* $(,)?) => {
        /// The layers of this crate that can be made again from their state.
        pub fn kinds() -> impl Iterator<Item = &'static LayerKind> {
            [$(<$layer as Layer>::KIND),*].into_iter().flatten()
        }
    };
}
kinds! {
    Linear, Bilinear, Identity, Flatten, Unflatten, Embedding, EmbeddingBag,
    Conv1d, Conv2d, ConvTranspose1d, ConvTranspose2d, Fold, Unfold,
    BatchNorm1d, BatchNorm2d, BatchNorm3d, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d,
    LayerNorm, RMSNorm, GroupNorm, LocalResponseNorm,
    ReLU, ReLU6, ELU, SELU, CELU, GELU, SiLU, Mish, Sigmoid, LogSigmoid, Hardsigmoid, Hardswish, Tanh, Tanhshrink,
    Hardtanh, Hardshrink, Softshrink, Softsign, Softplus, LeakyReLU, RReLU, Threshold, GLU, PReLU,
    Softmax, LogSoftmax, Softmin, Softmax2d,
    MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d,
    AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d, AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d,
    LPPool1d, LPPool2d, LPPool3d, MaxUnpool1d, MaxUnpool2d, MaxUnpool3d,
    Upsample, PixelShuffle, PixelUnshuffle, ChannelShuffle,
    ZeroPad1d, ZeroPad2d, ZeroPad3d, ConstantPad1d, ConstantPad2d, ConstantPad3d,
    ReflectionPad1d, ReflectionPad2d, ReflectionPad3d, ReplicationPad1d, ReplicationPad2d, ReplicationPad3d,
    CircularPad1d, CircularPad2d, CircularPad3d,
    Dropout, Dropout1d, Dropout2d, Dropout3d, AlphaDropout, FeatureAlphaDropout,
    CosineSimilarity, PairwiseDistance,
    RNN, LSTM, GRU, RNNCell, LSTMCell, GRUCell,
    MultiheadAttention, TransformerEncoderLayer, TransformerDecoderLayer,
    L1Loss, MSELoss, SmoothL1Loss, HuberLoss, BCELoss, BCEWithLogitsLoss, KLDivLoss, PoissonNLLLoss, SoftMarginLoss,
    HingeEmbeddingLoss, MultiLabelSoftMarginLoss, NLLLoss, CrossEntropyLoss, MultiMarginLoss, MultiLabelMarginLoss,
    MarginRankingLoss, CosineEmbeddingLoss, TripletMarginLoss, TripletMarginWithDistanceLoss, GaussianNLLLoss, CTCLoss,
    LinearCrossEntropyLoss, AdaptiveLogSoftmaxWithLoss,
    WithIndices<MaxPool1d>, WithIndices<MaxPool2d>, WithIndices<MaxPool3d>,
    WithIndices<AdaptiveMaxPool1d>, WithIndices<AdaptiveMaxPool2d>, WithIndices<AdaptiveMaxPool3d>,
    TransformerEncoder, TransformerDecoder, Transformer,
}

/// candle's operations and those of this crate, for
/// [`GraphModule::load_with`](fx_core::module::GraphModule::load_with): a graph with a call of
/// [`flatten`], or of a capture that entered an [`EmbeddingBag`], has one.
#[must_use]
pub fn op_table() -> OpTable {
    OpTable::builtin().clone().with(&[&crate::sparse::REDUCED_BAGS, &crate::functional::FLATTEN])
}

/// candle_nn's layers and those of this crate, for [`GraphModule::load_with`](fx_core::module::GraphModule::load_with).
#[must_use]
pub fn layer_table() -> LayerTable {
    LayerTable::builtin().clone().with(&kinds().collect::<Vec<_>>())
}
