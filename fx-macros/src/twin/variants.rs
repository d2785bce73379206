//! Variants of enums in a twin: those of a mirror have a scope last (`mirror/variants.rs`).
//!
//! In a pattern it is left out, in a way that is right for an enum without a mirror, too: which of the two a name is, only
//! rustc knows. What makes a variant is redirected to what puts the scope in.
//!
//! Invariant: `Self::Big` is a variant of the impl's own enum; what other names mean `fallbacks.rs` has arranged.

use quote::format_ident;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprStruct, Pat, Path, Token, parse_quote, parse_quote_spanned};

use super::body::Body;
use super::fallbacks::{Written, of_enum};
use crate::mirror::SCOPE_FIELD;

/// Whether a path is `Self::Big`.
pub(super) fn is_own(path: &Path) -> bool {
    of_enum(path, false).is_some_and(|(head, _)| head == "Self")
}

/// Whether a path that has fields is one, `Self::V2(…)`, which no constant can be.
pub(super) fn is_own_with_fields(path: &Path) -> bool {
    let of_self = path.segments.len() == 2 && path.leading_colon.is_none() && path.segments[0].ident == "Self";
    of_self && path.segments[1].ident.to_string().starts_with(|first: char| first.is_uppercase())
}

/// The variant of the impl's own enum as a value, `Self::Skip` or `map(Self::Big)`.
pub(super) fn own_value(path: &Path, body: &Body<'_>) -> Option<Expr> {
    is_own(path).then(|| own_function(path, body))
}

/// What makes the variant that `Self::Big` is.
pub(super) fn own_function(path: &Path, body: &Body<'_>) -> Expr {
    let (variant, mirror) = (path.segments.last().map(|last| &last.ident), body.paths.private("Mirror"));
    parse_quote_spanned!(variant.span()=> <<Self as #mirror>::Variants>::#variant)
}

/// A literal of a variant with named fields; none if it is not one.
pub(super) fn literal(literal: &mut ExprStruct, body: &mut Body<'_>) -> Option<Expr> {
    if is_own_with_fields(&literal.path) {
        let (field, scope) = (format_ident!("{}", SCOPE_FIELD), body.paths.scope());
        literal.fields.push(parse_quote!(#field: #scope::detached()));
        return Some(Expr::Struct(literal.clone()));
    }
    if !body.redirect(&mut literal.path, Written::Literal) {
        return None;
    }
    let (variant, span) = (body.paths.whole("Variant"), literal.path.span());
    Some(parse_quote_spanned! {span=>
        {
            use #variant as _;
            (#literal).__fx_variant()
        }
    })
}

/// Leaves the scope out of the fields of a tuple pattern of the mirror's, or maybe of another enum's.
pub(super) fn leave_out_scope(fields: &mut Punctuated<Pat, Token![,]>, own: bool) {
    let ends_open = matches!(fields.last(), Some(Pat::Rest(_)));
    let is_open = fields.iter().any(|field| matches!(field, Pat::Rest(_)));
    if !is_open {
        fields.push(Pat::Rest(syn::PatRest { attrs: Vec::new(), dot2_token: Default::default() }));
    } else if own && !ends_open {
        fields.push(Pat::Wild(syn::PatWild { attrs: Vec::new(), underscore_token: Default::default() }));
    }
}
