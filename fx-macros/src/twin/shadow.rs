//! The names that mean something else in a twin.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::names::Names;
use crate::paths::Paths;

/// candle_nn's functions on tensors that people import by name and call as `softmax(…)`, and one of candle-transformers'.
///
/// A user may have a function of the same name, even an annotated one; see [`use_bare`](super::fallbacks::Fallbacks::use_bare).
pub(crate) const SHADOWED: &[&str] = &[
    "binary_cross_entropy_with_logit",
    "cross_entropy",
    "dropout",
    "hard_sigmoid",
    "layer_norm",
    "layer_norm_slow",
    "leaky_relu",
    "log_softmax",
    "mish",
    "mse",
    "nll",
    "pixel_shuffle",
    "pixel_unshuffle",
    "repeat_kv",
    "replication_pad2d",
    "rms_norm",
    "rms_norm_slow",
    "rope",
    "rope_i",
    "rope_i_slow",
    "rope_slow",
    "rope_thd",
    "sdpa",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softmax_last_dim",
    "swiglu",
];

/// The same of functions that candle's callers give a type, `flash_attn::<f32>(…)`. Without one, the name is the user's:
/// many have a `flash_attn` of their own.
pub(crate) const SHADOWED_WITH_TYPE: &[&str] = &["flash_attn", "run_flash_attn_cpu"];

/// Names that are shadowed only where they are used as a path's head: they are common enough to be the user's.
const WHERE_USED: &[(&str, &str)] = &[
    ("Func", "Func"),
    ("FuncT", "FuncT"),
    ("nn", "candle_nn"),
    ("loss", "loss"),
    ("ops", "ops"),
    ("rotary_emb", "rotary_emb"),
    ("Module", "Module"),
    ("ModuleT", "ModuleT"),
    ("StreamingBinOp", "candle_core::StreamingBinOp"),
    ("StreamingModule", "candle_core::StreamingModule"),
];

/// The same, where a model is built.
const WHERE_BUILT: &[(&str, &str)] =
    &[("Sequential", "Sequential"), ("func", "func"), ("func_t", "func_t"), ("seq", "seq")];

/// Whether a function's name is shadowed where a model is built.
pub(super) fn is_built(name: &Ident) -> bool {
    WHERE_BUILT.iter().any(|(built, _)| name == built)
}

/// The imports of a twin's scope; `builder` of a function that builds a model.
pub(crate) fn imports(used: &Names, builder: bool, paths: &Paths) -> TokenStream {
    let always = ["Tensor", "candle_core", "candle_nn"].map(|name| paths.symbolic(name));
    let (candle, module, module_t) =
        (paths.symbolic("candle_core"), paths.symbolic("Module"), paths.symbolic("ModuleT"));
    let shadowed = WHERE_USED.iter().chain(if builder { WHERE_BUILT } else { &[] });
    let where_used = shadowed.filter(|(name, _)| used.heads.contains(*name)).map(|(name, of)| {
        let path = of.split("::").skip(1).fold(paths.symbolic(of.split("::").next().unwrap_or(of)), |path, segment| {
            let segment = Ident::new(segment, Span::call_site());
            quote!(#path::#segment)
        });
        let name = Ident::new(name, Span::call_site());
        quote!(use #path as #name;)
    });
    // People have a `StreamTensor` of their own; what has the name in their module is meant.
    let streams = used.heads.contains("StreamTensor").then(|| {
        let (traceable, name) = (paths.traceable(), Ident::new("StreamTensor", Span::call_site()));
        quote!(type #name = <self::#name as #traceable>::Symbolic;)
    });
    quote! {
        #streams
        #(use #always;)*
        use #candle as candle;
        use #module as _;
        use #module_t as _;
        #(#where_used)*
    }
}
