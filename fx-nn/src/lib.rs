//! torch.nn's layers that candle_nn lacks, on candle.
//!
//! Invariant: names, arguments and numbers are torch.nn's; each layer is one node of a captured graph.

mod flatten;

pub use flatten::Flatten;
