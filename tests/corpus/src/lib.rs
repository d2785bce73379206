//! candle-transformers' own models, annotated by program, captured, run as graphs, and compared with the original.
//!
//! - `fx-annotate` adds the attributes; the build script of the packages in `models` applies it to candle-transformers.
//! - [`models`] are the annotated copies.
//! - [`cases`] says how each model is built and called, [`case`] does it, [`table`] lists what came of it.
//! - [`emit`] writes them as source, builds that, and compares again.
//!
//! To add a model: a file in `src/cases` with the model's name. Nothing else lists it.

pub mod case;
pub mod cases;
pub mod difference;
pub mod dynamic;
pub mod emit;
pub mod flat;
pub mod gguf;
pub mod inputs;
pub mod later;
pub mod readers;
pub mod table;
pub mod told;
pub mod weights;

include!(concat!(env!("OUT_DIR"), "/models.rs"));

pub use corpus_models_first::CANDLE_TRANSFORMERS;
