//! candle-transformers' own models, annotated by program, captured, run as graphs, and compared with the original.
//!
//! - [`annotate`] adds the attributes; the build script applies it to the models named in `models.txt`.
//! - `models`, `utils` and what else the models use are the annotated copies. They lie where they lie in
//!   candle-transformers, so that their paths mean the same here.
//! - [`cases`] says which models are tried and how, [`case`] does it; [`emit`] writes them as crates and runs those.
//!
//! To add a model: its module as a line in `models.txt`, a file in `src/cases` after the pattern of the others, and its
//! `cases()` in [`cases::all`].

#![allow(
    macro_expanded_macro_exports_accessed_by_absolute_paths,
    reason = "to rustc, a macro that the models export comes from another macro, the `include!` below"
)]

pub mod annotate;
pub mod case;
pub mod cases;
pub mod difference;
pub mod emit;
pub mod weights;

include!(concat!(env!("OUT_DIR"), "/modules.rs"));

/// The directory of candle-transformers' source package, where cargo put it.
pub const CANDLE_TRANSFORMERS: &str = env!("CANDLE_TRANSFORMERS");
