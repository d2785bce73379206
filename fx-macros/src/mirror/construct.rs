//! Building a mirrored struct in a twin.
//!
//! `Qkv { q, k, v }` in a forward names the original, whose fields are tensors. Its twin goes through
//! `<Qkv as Construct>::Fields`, a struct with the mirror's fields and nothing else, which the literal can fill.
//! Plain data is its own `Fields`, so the twin's author need not know which of the two a name is.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Generics, ItemStruct};

use super::fields::{Fields, Style};
use super::mirror_ident;
use crate::attributes::{allow_generated, cfgs, derived};
use crate::paths::Paths;

/// The `Fields` struct and the `Construct` impl of a struct with named fields; nothing for the others.
pub(super) fn for_struct(item: &ItemStruct, fields: &Fields, generics: &Generics, paths: &Paths) -> TokenStream {
    if fields.style != Style::Named {
        return TokenStream::new();
    }
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
