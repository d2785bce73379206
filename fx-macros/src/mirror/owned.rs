//! What graphs need of an original they call: where its parts are, itself, and a copy if there can be one.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{Generics, Ident};

use super::fields::{Field, Fields};
use crate::attributes::{allow_generated, derived};
use crate::paths::Paths;

/// `fn part` and `fn whole` of `Traceable`; `part` is the body of the first.
pub(super) fn methods(part: TokenStream, generics: &Generics, paths: &Paths) -> TokenStream {
    let (part_type, allow) = (paths.private("Part"), allow_generated());
    let whole = generics.lifetimes().next().is_none().then(|| {
        quote! {
            fn whole(&self) -> ::core::option::Option<&dyn ::core::any::Any> { ::core::option::Option::Some(self) }
        }
    });
    quote! {
        #allow
        fn part(&self, step: usize) -> ::core::option::Option<#part_type<'_>> { #part }
        #whole
    }
}

/// `match step { 0 => Some(…), … }`; `reference` gives a reference to a field.
pub(super) fn part(fields: &Fields, reference: impl Fn(&Field) -> TokenStream, paths: &Paths) -> TokenStream {
    let arms = fields.list.iter().enumerate().filter(|(_, field)| field.is_mirrored()).map(|(step, field)| {
        let (cfgs, part) = (field.cfgs(), field.traceable_call("as_part", reference(field), paths));
        quote!(#(#cfgs)* #step => ::core::option::Option::Some(#part),)
    });
    quote!(match step { #(#arms)* _ => ::core::option::Option::None })
}

/// The scope that a mirror holds, from `scope` and `self`.
pub(super) fn module_scope(name: &Ident, paths: &Paths) -> TokenStream {
    let name = name.unraw().to_string();
    let [copied, copy, none] = ["Copied", "CopyOf", "NoCopyOf"].map(|name| paths.whole(name));
    quote! {
        scope.module(#name, || {
            use #copy as _;
            use #none as _;
            (&#copied(self)).__fx_copy()
        })
    }
}

/// The impl by which a mirror says where it is; `scope` is the body, `variants` where an enum's are found. And that
/// of `Debug`, which traits and forwards may ask for.
pub(super) fn mirror_impl(
    name: &Ident,
    generics: &Generics,
    scope: TokenStream,
    variants: Option<TokenStream>,
    paths: &Paths,
) -> TokenStream {
    let (mirror, text) = (super::mirror_ident(name), name.unraw().to_string());
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let (trait_name, scope_type, derived) = (paths.private("Mirror"), paths.scope(), derived());
    let (is_level, variants) = (variants.is_none(), variants.unwrap_or_else(|| quote!(Self)));
    quote! {
        #derived
        impl #impl_generics #trait_name for #mirror #type_generics #where_clause {
            const NAME: &'static str = #text;
            const IS_LEVEL: bool = #is_level;
            const MODULE: &'static str = ::core::module_path!();
            type Variants = #variants;
            fn scope(&self) -> &#scope_type { #scope }
        }
        #derived
        impl #impl_generics ::core::fmt::Debug for #mirror #type_generics #where_clause {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result { f.write_str(#text) }
        }
    }
}

/// The impls by which what a function returned is lifted into a twin, where it is of this type, and by which a function is
/// chosen that takes this type and no tensors.
pub(super) fn lifts_impl(name: &Ident, generics: &Generics, paths: &Paths) -> TokenStream {
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let mirror = super::mirror_ident(name);
    let (in_world, in_world_mut) = (paths.private("InWorld"), paths.private("InWorldMut"));
    let (candle, proxy, derived) = (paths.candle(), paths.symbolic("Tensor"), derived());
    let lifts = lifts(&quote!(#name #type_generics), generics, paths);
    let lent = lifts_lent(&quote!(#name #type_generics), generics, paths);
    quote! {
        #lifts
        #lent
        #derived
        impl #impl_generics #in_world for #name #type_generics #where_clause {
            type World = #candle::Tensor;
            type Lent = Self;
            fn lent(&self) -> &Self { self }
        }
        #derived
        impl #impl_generics #in_world_mut for #name #type_generics #where_clause {
            fn lent_mut(&mut self) -> &mut Self { self }
        }
        #derived
        impl #impl_generics #in_world for #mirror #type_generics #where_clause {
            type World = #proxy;
            type Lent = Self;
            fn lent(&self) -> &Self { self }
        }
        #derived
        impl #impl_generics #in_world_mut for #mirror #type_generics #where_clause {
            fn lent_mut(&mut self) -> &mut Self { self }
        }
    }
}

/// What lifts a value of this type.
pub(crate) fn lifts(ty: &TokenStream, generics: &Generics, paths: &Paths) -> TokenStream {
    lifts_of(ty, ty, &quote!(&self), generics, paths)
}

/// What lifts one that is lent.
fn lifts_lent(ty: &TokenStream, generics: &Generics, paths: &Paths) -> TokenStream {
    lifts_of(&quote!(&#ty), ty, &quote!(self), generics, paths)
}

/// What lifts `given`, whose mirror is that of `ty`, found at `reference`.
fn lifts_of(
    given: &TokenStream,
    ty: &TokenStream,
    reference: &TokenStream,
    generics: &Generics,
    paths: &Paths,
) -> TokenStream {
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (lift, traceable, derived) = (paths.private("lift"), paths.traceable(), derived());
    let lifted = quote!(<#ty as #traceable>::Symbolic);
    let result = paths.candle_result(lifted.clone());
    quote! {
        #derived
        impl #impl_generics #lift::Lifts for #given #where_clause {
            type Lifted = #lifted;
            #[track_caller]
            fn lifted(self) -> #result { #lift::mirrored(#reference) }
        }
        #derived
        impl #impl_generics #lift::Returned for #given #where_clause {
            type Lifted = #lifted;
            #[track_caller]
            fn lift(self) -> #lifted { #lift::mirrored_or_abort(#reference) }
        }
    }
}
