//! Making the variants of a mirrored enum in a twin.
//!
//! `Block::Big(b)` in a forward makes a variant of the original. That of the mirror has a scope, too, which a call cannot
//! put in: the name can also be that of an enum without a mirror, or be passed on as a function. So twins find the
//! variants beside the enum, as functions and constants of the same names; one with named fields as a struct.
//!
//! Invariant: what a twin makes stands nowhere in the model.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Generics, ItemEnum};

use super::fields::{Fields, Style};
use super::mirror_ident;
use crate::attributes::{allow_generated, cfgs, derived};
use crate::paths::Paths;

/// The type whose functions and constants are an enum's variants.
pub(crate) fn variants_ident(name: &Ident) -> Ident {
    format_ident!("__FxVariants{}", name)
}

/// The struct that a variant with named fields is written as, where its enum has no parameters.
pub(crate) fn named_variant_ident(name: &Ident, variant: &Ident) -> Ident {
    format_ident!("__FxVariant_{}_{}", name, variant)
}

/// Both, beside an enum.
pub(super) fn declare(item: &ItemEnum, variants: &[Fields], generics: &Generics, paths: &Paths) -> TokenStream {
    let (name, vis, item_cfgs, allow) = (&item.ident, &item.vis, cfgs(&item.attrs), allow_generated());
    let (mirror, holder, derived) = (mirror_ident(name), variants_ident(name), derived());
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let scope = paths.scope();
    let nowhere = quote!(#scope::detached());
    let each = || item.variants.iter().zip(variants);
    let members = each().filter(|(_, fields)| fields.style != Style::Named).map(|(variant, fields)| {
        let (cfgs, name) = (cfgs(&variant.attrs), &variant.ident);
        let value = fields.pattern_scoped(nowhere.clone());
        if fields.style == Style::Unit {
            return quote!(#(#cfgs)* #vis const #name: #mirror #type_generics = #mirror::#name #value;);
        }
        let parameters = fields.list.iter().map(|field| {
            let (cfgs, binding, ty) = (field.cfgs(), &field.binding, field.symbolic_type(paths));
            quote!(#(#cfgs)* #binding: #ty)
        });
        quote! {
            #(#cfgs)*
            #vis fn #name(#(#parameters),*) -> #mirror #type_generics { #mirror::#name #value }
        }
    });
    let plain = generics.params.is_empty();
    let named = each().filter(|(_, fields)| plain && fields.style == Style::Named).map(|(variant, fields)| {
        let (cfgs, variant_name) = (cfgs(&variant.attrs), &variant.ident);
        let (written, declared, pattern) =
            (named_variant_ident(name, variant_name), fields.declare(paths), fields.pattern());
        let value = fields.pattern_scoped(nowhere.clone());
        quote! {
            #(#item_cfgs)* #(#cfgs)* #[doc(hidden)] #allow
            #vis struct #written { #declared }
            #(#item_cfgs)* #(#cfgs)* #derived #allow
            impl #written {
                #vis fn __fx_variant(self) -> #mirror {
                    let Self #pattern = self;
                    #mirror::#variant_name #value
                }
            }
        }
    });
    quote! {
        #(#item_cfgs)* #[doc(hidden)] #allow
        #vis struct #holder #generics (::core::marker::PhantomData<#mirror #type_generics>) #where_clause;
        #(#item_cfgs)* #derived #allow
        impl #impl_generics #holder #type_generics #where_clause { #(#members)* }
        #(#named)*
    }
}
