//! Building a mirrored struct in a twin.
//!
//! `Qkv { q, k, v }` in a forward names the original, whose fields are tensors. Its twin goes through
//! `<Qkv as Construct>::Fields`, a struct with the mirror's fields and nothing else, which the literal can fill.
//! Plain data is its own `Fields`, so the twin's author need not know which of the two a name is.
//!
//! `Pair(a, b)` is a call, which no type can stand in: the mirror of a tuple struct is made by a function beside it, which twins
//! call where there is one (`twin/fallbacks.rs`).

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Generics, ItemStruct};

use super::fields::{Fields, Style};
use super::mirror_ident;
use crate::attributes::{allow_generated, cfgs, derived};
use crate::paths::Paths;

/// The function that makes the mirror of a tuple struct.
pub(crate) fn tuple_ident(name: &Ident) -> Ident {
    format_ident!("__FxTuple_{}", name)
}

/// What makes the mirror of a struct in a twin; nothing for one without fields.
pub(super) fn for_struct(item: &ItemStruct, fields: &Fields, generics: &Generics, paths: &Paths) -> TokenStream {
    match fields.style {
        Style::Named => for_named(item, fields, generics, paths),
        Style::Tuple => for_tuple(item, fields, generics, paths),
        Style::Unit => TokenStream::new(),
    }
}

fn for_tuple(item: &ItemStruct, fields: &Fields, generics: &Generics, paths: &Paths) -> TokenStream {
    let (name, vis, cfgs) = (&item.ident, &item.vis, cfgs(&item.attrs));
    let (mirror, function, scope, allow) = (mirror_ident(name), tuple_ident(name), paths.scope(), allow_generated());
    let (_, type_generics, where_clause) = generics.split_for_impl();
    let parameters = fields.list.iter().map(|field| {
        let (cfgs, binding, ty) = (field.cfgs(), &field.binding, field.symbolic_type(paths));
        quote!(#(#cfgs)* #binding: #ty)
    });
    let value = fields.pattern_scoped(quote!(#scope::detached()));
    quote! {
        #(#cfgs)* #[doc(hidden)] #allow
        #vis fn #function #generics(#(#parameters),*) -> #mirror #type_generics #where_clause { #mirror #value }
    }
}

/// The `Fields` struct and the `Construct` impl.
fn for_named(item: &ItemStruct, fields: &Fields, generics: &Generics, paths: &Paths) -> TokenStream {
    let (name, vis, cfgs) = (&item.ident, &item.vis, cfgs(&item.attrs));
    let (mirror, fields_name) = (mirror_ident(name), format_ident!("__Fx{}Fields", name));
    let (construct, scope) = (paths.private("Construct"), paths.scope());
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let (declared, allow, derived) = (fields.declare(paths), allow_generated(), derived());
    let moved = fields.write_scoped(
        |field| {
            let member = &field.member;
            quote!(fields.#member)
        },
        quote!(#scope::detached()),
    );
    quote! {
        #(#cfgs)* #[doc(hidden)] #allow
        #vis struct #fields_name #generics #where_clause { #declared }
        #(#cfgs)* #derived
        impl #impl_generics #construct for #name #type_generics #where_clause {
            type Fields = #fields_name #type_generics;
            fn construct(fields: Self::Fields) -> Self::Symbolic { #mirror #moved }
        }
    }
}
