//! `candle_nn` in a twin.

pub use ::candle_nn::*;

pub use crate::trace::{Module, ModuleT};

/// `candle_nn::ops` in a twin.
pub mod ops {
    pub use ::candle_nn::ops::*;

    use crate::trace::record::{encoded, record, result_type, signature_type};

    crate::ops::nn::nn!(record);
}

/// `candle_nn::rotary_emb` in a twin.
pub mod rotary_emb {
    pub use ::candle_nn::rotary_emb::*;

    use crate::trace::record::{encoded, record, result_type, signature_type};

    crate::ops::rotary::rotary!(record);
}
