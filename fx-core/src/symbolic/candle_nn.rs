//! `candle_nn` in a twin.

pub use ::candle_nn::*;

pub use crate::leaf::made::{Conv1d, Conv2d, Embedding, LayerNorm, Linear, RmsNorm};
pub use crate::leaf::{Func, FuncT, SequentialLeaf as Sequential, func, func_t, seq};
pub use crate::trace::{Module, ModuleT, VarBuilder};

/// `candle_nn::func` in a twin.
pub mod func {
    pub use crate::leaf::{Func, FuncT, func, func_t};
}

/// `candle_nn::sequential` in a twin.
pub mod sequential {
    pub use crate::leaf::{SequentialLeaf as Sequential, seq};
}

/// `candle_nn::ops` in a twin.
pub mod ops {
    pub use ::candle_nn::ops::{Dropout, Identity};

    pub use crate::trace::functions::ops::*;
}

/// `candle_nn::loss` in a twin.
pub mod loss {
    pub use ::candle_nn::loss::huber;

    pub use crate::trace::functions::loss::*;
}

/// `candle_nn::rotary_emb` in a twin.
pub mod rotary_emb {
    pub use crate::trace::functions::rotary_emb::*;
}

pub use self::rnn::RNN;

/// `candle_nn::rnn` in a twin.
pub mod rnn {
    pub use ::candle_nn::rnn::*;

    pub use crate::leaf::{GruState as GRUState, LstmState as LSTMState, RNN};
}

/// `candle_nn::kv_cache` in a twin.
pub mod kv_cache {
    pub use crate::leaf::kv_cache::*;
}

/// `candle_nn::attention` in a twin.
pub mod attention {
    pub use ::candle_nn::attention::*;

    pub use crate::leaf::AttnMask;
    pub use crate::trace::functions::attention::{flash_attn_varlen_cpu, flash_attn_varlen_unfused};
    pub use crate::trace::functions::flash::flash_attn;
}

/// `candle_nn::varlen_attention` in a twin.
pub mod varlen_attention {
    pub use crate::trace::functions::attention::flash_attn_varlen_unfused;
}

/// `candle_nn::cpu_flash_attention` in a twin.
pub mod cpu_flash_attention {
    pub use crate::trace::functions::flash::run_flash_attn_cpu;
}

/// `candle_nn::moe` in a twin.
pub mod moe {
    pub use crate::leaf::moe::{moe_gemm, moe_gemm_gguf};
}
