//! What a mirror holds: the body of `Traceable::held`, by which a capture finds out what it has changed.
//!
//! Invariant: a field has the name here that its scope has, so that state is found at the path of an attribute.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{Ident, ItemEnum};

use super::fields::{Field, Fields, Style};
use super::mirror_ident;
use crate::attributes::{allow_generated, cfgs};
use crate::paths::Paths;

/// `fn held` for a struct.
pub(super) fn for_struct(name: &Ident, fields: &Fields, paths: &Paths) -> TokenStream {
    if fields.list.is_empty() {
        return TokenStream::new();
    }
    let pushes = pushes(fields, paths, |field| {
        let member = &field.member;
        (field.scope_name(), quote!(&mirror.#member))
    });
    let (held, text) = (paths.private("Held"), name.unraw().to_string());
    method(quote!(#pushes #held::structure(#text, fields)), paths)
}

/// `fn held` for an enum.
pub(super) fn for_enum(item: &ItemEnum, variants: &[Fields], paths: &Paths) -> TokenStream {
    let (mirror, held) = (mirror_ident(&item.ident), paths.private("Held"));
    let arms = item.variants.iter().zip(variants).map(|(variant, fields)| {
        let (cfgs, variant_name, pattern) = (cfgs(&variant.attrs), &variant.ident, fields.pattern_scoped(quote!(_)));
        let text = format!("{}::{}", item.ident.unraw(), variant.ident.unraw());
        let is_only = fields.style == Style::Tuple && fields.list.len() == 1;
        let pushes = pushes(fields, paths, |field| {
            let binding = &field.binding;
            let name = if is_only && !field.renamed() { String::new() } else { field.scope_name() };
            (name, quote!(#binding))
        });
        quote!(#(#cfgs)* #mirror::#variant_name #pattern => { #pushes #held::variant(#text, fields) })
    });
    let body = if variants.is_empty() { quote!(match *mirror {}) } else { quote!(match mirror { #(#arms)* }) };
    method(body, paths)
}

fn method(body: TokenStream, paths: &Paths) -> TokenStream {
    let (held, holding, allow) = (paths.private("Held"), paths.private("Holding"), allow_generated());
    quote! {
        #allow
        fn held(mirror: &Self::Symbolic, holding: &mut #holding) -> #held { #body }
    }
}

/// Collects the fields; `named` gives the name of one and a reference to it.
fn pushes(fields: &Fields, paths: &Paths, named: impl Fn(&Field) -> (String, TokenStream)) -> TokenStream {
    let [described, text, opaque] = ["Described", "HeldText", "HeldOpaque"].map(|name| paths.held(name));
    let mut has_constants = false;
    let pushes: Vec<TokenStream> = fields
        .list
        .iter()
        .map(|field| {
            let (cfgs, (name, reference)) = (field.cfgs(), named(field));
            let value = if field.is_leaf() {
                quote!((#reference).held())
            } else if field.is_mirrored() {
                field.traceable_call("held", quote!(#reference, holding), paths)
            } else {
                has_constants = true;
                quote!((&#described(#reference)).__fx_held())
            };
            quote!(#(#cfgs)* fields.push((#name, #value));)
        })
        .collect();
    let uses = has_constants.then(|| quote!(use #opaque as _; use #text as _;));
    quote!(#uses let mut fields = ::std::vec::Vec::new(); #(#pushes)*)
}
