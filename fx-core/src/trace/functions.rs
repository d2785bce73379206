//! candle_nn's functions on proxies, in modules named as candle_nn's.
//!
//! Invariant: as in `record`: signatures are candle's, and which functions there are is said in `ops/` alone.

use std::panic::Location;

use super::error::{At, TraceError};
use super::session::Session;

/// `candle_nn::ops`.
pub mod ops {
    crate::ops::nn::nn!(record);
}

/// `candle_nn::loss`.
pub mod loss {
    crate::ops::loss::loss!(record);
}

/// `candle_nn::rotary_emb`.
pub mod rotary_emb {
    crate::ops::rotary::rotary!(record);
}

/// Functions that users call by their bare name, as types of that name.
#[allow(missing_docs, reason = "named after the functions")]
pub mod bare {
    crate::ops::loss::loss!(bare);
    crate::ops::nn::nn!(bare);
    crate::ops::rotary::rotary!(bare);
}

/// The error of calling a user's function that is named like one of candle's and not annotated.
#[track_caller]
pub(crate) fn unannotated(function: &'static str) -> candle_core::Error {
    let at = At(Location::caller());
    match Session::current(function) {
        Ok(session) => session.fail(TraceError::Unannotated { function, at }),
        Err(error) => error,
    }
}
