//! Running a graph module on candle.
//!
//! Invariant: results equal the original's bit for bit; a value is dropped after its last use.

mod error;
mod plan;
mod run;

pub use error::RunError;
