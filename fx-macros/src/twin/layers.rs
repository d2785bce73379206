//! candle_nn's layers that are made of tensors, and by which constructors.
//!
//! A function that builds a model makes layers of weights (`weights.rs`), a forward of the graph's own tensors
//! (`fallbacks.rs`).
//!
//! Invariant: a layer has the constructors here that its mirrors have in `fx-core` (`leaf/built.rs`, `leaf/made.rs`); `tests/tidy.rs`
//! compares.

use proc_macro2::Ident;

/// A layer, its constructors of weights, and those of tensors of the graph.
const LAYERS: &[(&str, &[&str], &[&str])] = &[
    ("Linear", &["new"], &["new"]),
    ("Conv1d", &["new"], &["new"]),
    ("Conv2d", &["new"], &["new"]),
    ("ConvTranspose1d", &["new"], &[]),
    ("ConvTranspose2d", &["new"], &[]),
    ("Embedding", &["new"], &["new"]),
    ("LayerNorm", &["new", "new_no_bias", "rms_norm"], &["new", "new_no_bias", "rms_norm"]),
    ("RmsNorm", &["new"], &["new"]),
    ("GroupNorm", &["new"], &[]),
    ("BatchNorm", &["new", "new_no_bias", "new_with_momentum", "new_no_bias_with_momentum"], &[]),
    ("PReLU", &["new"], &[]),
    ("Dropout", &["new"], &[]),
];

/// Whether `layer::constructor` makes a layer of weights.
pub(super) fn builds(layer: &Ident, constructor: &Ident) -> bool {
    LAYERS.iter().any(|(name, of_weights, _)| layer == name && of_weights.iter().any(|name| constructor == name))
}

/// Whether `layer::constructor` makes a layer of tensors of the graph.
pub(super) fn makes(layer: &Ident, constructor: &Ident) -> bool {
    LAYERS.iter().any(|(name, _, of_tensors)| layer == name && of_tensors.iter().any(|name| constructor == name))
}
