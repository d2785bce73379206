//! A part of candle-transformers, annotated. Its modules lie where they lie in candle-transformers, so that their paths mean
//! the same here.

#![allow(
    macro_expanded_macro_exports_accessed_by_absolute_paths,
    reason = "to rustc, a macro that the models export comes from another macro, the `include!` below"
)]

include!(concat!(env!("OUT_DIR"), "/modules.rs"));

/// The directory of candle-transformers' source package, where cargo put it.
pub const CANDLE_TRANSFORMERS: &str = env!("CANDLE_TRANSFORMERS");
