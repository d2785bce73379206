//! `candle_nn` in a twin.

pub use ::candle_nn::*;

pub use crate::trace::{Module, ModuleT};

/// `candle_nn::ops` in a twin.
pub mod ops {
    pub use ::candle_nn::ops::*;

    use crate::trace::record::record;

    crate::ops::nn::nn!(record);
}

/// `candle_nn::loss` in a twin.
pub mod loss {
    pub use ::candle_nn::loss::*;

    use crate::trace::record::record;

    crate::ops::loss::loss!(record);
}

/// `candle_nn::rotary_emb` in a twin.
pub mod rotary_emb {
    pub use ::candle_nn::rotary_emb::*;

    use crate::trace::record::record;

    crate::ops::rotary::rotary!(record);
}
