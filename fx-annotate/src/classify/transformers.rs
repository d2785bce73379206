//! What is of candle-transformers in a crate's own types: layers that fx knows, settings, and whole models.
//!
//! Invariant: a type with something of it that fx does not know is left alone, since nothing could mirror it.

use crate::signature::mentions;
use crate::source::SourceFile;

/// What a type of candle-transformers is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A layer with a mirror.
    Layer,
    /// Plain data, as far as its name says.
    Settings,
    /// A model, say.
    Unknown,
}

fn kind(file: &SourceFile, path: &[String]) -> Option<Kind> {
    let path = file.resolved(path);
    let (first, last) = (path.first()?, path.last()?);
    if first != "candle_transformers" {
        return None;
    }
    let known = path.iter().any(|name| name == "with_tracing" || name == "quantized_nn") || last == "LayerNorm2d";
    Some(match last.ends_with("Config") {
        _ if known => Kind::Layer,
        true => Kind::Settings,
        false => Kind::Unknown,
    })
}

/// Whether nothing is known of what the path leads to but that it is candle-transformers'.
pub(super) fn is_unknown(file: &SourceFile, path: &[String]) -> bool {
    kind(file, path) == Some(Kind::Unknown)
}

/// Whether a field is of settings, which have no attribute of their own.
pub(crate) fn is_settings(file: &SourceFile, ty: &syn::Type) -> bool {
    let mut kinds = mentions(ty).into_iter().filter_map(|path| kind(file, &path)).peekable();
    kinds.peek().is_some() && kinds.all(|kind| kind == Kind::Settings)
}
