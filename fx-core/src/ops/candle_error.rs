//! candle's errors: what they say, and other errors as candle's.
//!
//! Invariant: no message holds a backtrace; where something went wrong is said by node and source line.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use candle_core::Error;

/// What a candle error says, without the backtrace that candle adds when `RUST_BACKTRACE` is set.
pub(crate) fn reason(error: &Error) -> String {
    let mut error = error;
    while let Error::WithBacktrace { inner, .. } = error {
        error = inner;
    }
    error.to_string()
}

/// What a call gives, its panic as an error: candle gives up so on some arguments that it does not check, such as float
/// functions of integers.
pub(crate) fn caught<T>(call: impl FnOnce() -> candle_core::Result<T>) -> candle_core::Result<T> {
    // A call only reads tensors, and makes new ones: nothing is left half done.
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| Err(panicked(payload)))
}

/// A panic as an error.
pub(crate) fn panicked(payload: Box<dyn Any + Send>) -> Error {
    Error::Msg(format!("it panicked: {}", panic_message(payload)))
}

/// What a panic says.
pub(crate) fn panic_message(payload: Box<dyn Any + Send>) -> String {
    match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => payload.downcast_ref::<&str>().map_or("no message", |message| message).to_owned(),
    }
}

/// Any error as candle's; candle's own stays what it is.
pub(crate) fn candle_error(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    match error.into().downcast::<Error>() {
        Ok(candle) => *candle,
        Err(other) => Error::Msg(other.to_string()),
    }
}
