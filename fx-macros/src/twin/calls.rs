//! Calls in a twin that do not mean the same thing there by name alone.

use proc_macro2::Ident;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprPath, PathArguments, PathSegment, parse_quote_spanned};

use super::body::Body;
use super::shadow::{SHADOWED, SHADOWED_WITH_TYPE};
use crate::paths::Paths;

/// Path heads that are candle's, the standard library's or a primitive type's: nothing they return needs lifting.
const FOREIGN: &[&str] = &[
    "candle",
    "candle_core",
    "candle_nn",
    "nn",
    "ops",
    "rotary_emb",
    "std",
    "core",
    "alloc",
    "tracing",
    "rand",
    "rayon",
    "half",
    "f64",
    "f32",
    "f16",
    "bf16",
    "usize",
    "isize",
    "u128",
    "u64",
    "u32",
    "u16",
    "u8",
    "i128",
    "i64",
    "i32",
    "i16",
    "i8",
    "bool",
    "char",
    "str",
    "drop",
];

/// Whether a call is of a function somebody wrote beside the model: a path in lower case, not a variable.
pub(super) fn is_helper(func: &Expr, body: &Body<'_>) -> bool {
    let Expr::Path(ExprPath { qself: None, path, .. }) = func else {
        return false;
    };
    if path.leading_colon.is_some() {
        return false;
    }
    let lower_case = path.segments.iter().all(|segment| {
        let name = segment.ident.to_string();
        name.starts_with(|first: char| first.is_lowercase() || first == '_')
    });
    let Some(head) = path.segments.first().map(|segment| segment.ident.to_string()) else {
        return false;
    };
    let single = path.segments.len() == 1;
    lower_case
        && !FOREIGN.contains(&head.as_str())
        && !(single && (body.bound.contains(&head) || is_shadowed(&path.segments[0])))
}

/// Wraps a call so that a tensor in its result is lifted into the graph, and anything else left alone.
///
/// Which of the two it is, only rustc knows: the traits choose by autoref, on the value, so the value is bound first.
pub(super) fn lift(call: &ExprCall, paths: &Paths) -> Expr {
    // The user's own span: what is lifted is of this line.
    let span = call.func.span();
    let value = Ident::new("__fx_value", span);
    let lift = paths.private("lift");
    parse_quote_spanned! {span=>
        match #call {
            #value => {
                use #lift::{LiftKind as _, SameKind as _};
                (&#value).__fx_kind().lift(#value)
            }
        }
    }
}

/// `silu(x)` becomes `silu::__fx_checked(silu, x)`: see [`super::shadow::bare_import`]. The function goes along so that one
/// of the user's that is not annotated is not taken for candle's.
pub(super) fn redirect_call(call: &mut ExprCall, body: &mut Body<'_>) -> bool {
    let Expr::Path(path) = &mut *call.func else {
        return false;
    };
    if !is_bare(path, body) || !path.path.segments[0].arguments.is_none() {
        return false;
    }
    let function = path.clone();
    let ident = Ident::new("__fx_checked", path.path.segments[0].ident.span());
    path.path.segments.push(PathSegment { ident, arguments: PathArguments::None });
    call.args.insert(0, Expr::Path(function));
    body.needs_bare = true;
    true
}

/// `silu` that is not called here, as in `map(silu)`, becomes `silu::__fx_call`.
pub(super) fn redirect_bare(path: &mut ExprPath, body: &mut Body<'_>) {
    if !is_bare(path, body) {
        return;
    }
    let segment = &mut path.path.segments[0];
    let arguments = std::mem::take(&mut segment.arguments);
    let ident = Ident::new("__fx_call", segment.ident.span());
    path.path.segments.push(PathSegment { ident, arguments });
    body.needs_bare = true;
}

/// Whether a path is the bare name of a function like candle's. What the function itself binds is meant as it is, and what
/// it imports is found in the shadow world.
fn is_bare(path: &ExprPath, body: &Body<'_>) -> bool {
    if path.qself.is_some() || path.path.leading_colon.is_some() || path.path.segments.len() != 1 {
        return false;
    }
    let segment = &path.path.segments[0];
    let name = segment.ident.to_string();
    is_shadowed(segment) && !body.bound.contains(&name) && !body.imported.contains(&name)
}

/// Whether a name is that of a function of candle's which means something else in a twin.
fn is_shadowed(segment: &PathSegment) -> bool {
    let has_type = !segment.arguments.is_none();
    let mut names = SHADOWED.iter().chain(if has_type { SHADOWED_WITH_TYPE } else { &[] });
    names.any(|name| segment.ident == name)
}
