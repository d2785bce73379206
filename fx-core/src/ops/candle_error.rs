//! candle's errors: what they say, and other errors as candle's.
//!
//! Invariant: no message holds a backtrace; where something went wrong is said by node and source line.

use candle_core::Error;

/// What a candle error says, without the backtrace that candle adds when `RUST_BACKTRACE` is set.
pub(crate) fn reason(error: &Error) -> String {
    let mut error = error;
    while let Error::WithBacktrace { inner, .. } = error {
        error = inner;
    }
    error.to_string()
}

/// Any error as candle's; candle's own stays what it is.
pub(crate) fn candle_error(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    match error.into().downcast::<Error>() {
        Ok(candle) => *candle,
        Err(other) => Error::Msg(other.to_string()),
    }
}
