//! `#[fx::module]` on a trait of the user's: one trait for both worlds.
//!
//! ```text
//! trait Block<TensorOrProxy: World = Tensor> { fn forward(&self, x: &TensorOrProxy) -> Result<TensorOrProxy>; }
//! impl Block for Big { … }                 the user's
//! impl Block<Proxy> for __FxBig { … }      its twin, of `#[fx::module(mirrored)]`
//! ```
//!
//! What says `Block` means `Block<Tensor>`, so that code beside the models stays as it is, and the import of the trait brings
//! the methods of either world. A trait object finds its mirror through a hidden method. What the trait computes itself is in
//! `traits/defaults.rs`.
//!
//! Invariant: with the type parameter left out, the trait has the methods that the user wrote, and only hidden ones beside them.

mod defaults;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{ItemTrait, ReturnType, Signature, TraitItem, Type, TypeParamBound, WherePredicate, parse_quote};

use crate::attributes::{allow_generated, cfgs, derived};
use crate::dispatch::map_whole_signature;
use crate::errors::{Errors, Message};
use crate::paths::Paths;
use crate::twin::is_module_bound;
use crate::twin::select::{mentions_tensor, names_impl, special_keyword, type_mentions_tensor};
use crate::twin::types::{Target, Types};
use defaults::Defaults;

/// The hidden method that gives the mirror of a trait object.
pub(crate) fn mirror_method() -> Ident {
    format_ident!("__fx_mirror")
}

/// The hidden method that lends a part of a trait object.
pub(crate) fn part_method() -> Ident {
    format_ident!("__fx_part")
}

/// The hidden method that says what the mirror of a trait object holds.
pub(crate) fn held_method() -> Ident {
    format_ident!("__fx_held")
}

/// The trait for both worlds, and what lets its objects be fields.
pub(crate) fn expand(item: &ItemTrait, paths: &Paths, errors: &Errors) -> TokenStream {
    let world = format_ident!("TensorOrProxy");
    let mut both = item.clone();
    for bound in &item.supertraits {
        if is_module_bound(bound) {
            let name = quote!(#bound).to_string();
            errors.report(bound, Message::SupertraitOfTensors(name));
        }
    }
    let types = types_of(item, Target::Either(world.clone()), paths);
    let defaults = Defaults::of(item, &types, paths);
    for member in &mut both.items {
        let TraitItem::Fn(method) = member else { continue };
        if let Some(keyword) = special_keyword(&method.sig).filter(|_| mentions_tensor(&method.sig)) {
            let name = method.sig.ident.to_string();
            errors.report(&method.sig.ident, Message::SpecialFunction { name, keyword });
        }
        let mut types = types.with_locals([]);
        types.keep_generics(&method.sig.generics);
        map_whole_signature(&mut method.sig, &types);
        if let Some(forwarding) = defaults.forward(&mut method.sig, &world) {
            method.default = Some(forwarding);
        }
    }
    let candle = paths.candle();
    let world_trait = paths.private("World");
    both.generics.params.push(parse_quote!(#world: #world_trait = #candle::Tensor));
    let objects = is_dyn_compatible(item).then(|| {
        let (method, scope, tensor) = (mirror_method(), paths.scope(), paths.symbolic("Tensor"));
        let name = &item.ident;
        both.items.push(parse_quote! {
            #[doc(hidden)]
            fn #method(&self, _: &#scope) -> ::core::option::Option<::std::boxed::Box<dyn #name<#tensor>>> {
                ::core::option::Option::None
            }
        });
        let (method, part) = (part_method(), paths.private("Part"));
        both.items.push(parse_quote! {
            #[doc(hidden)]
            fn #method(&self, _: usize) -> ::core::option::Option<#part<'_>> { ::core::option::Option::None }
        });
        let (method, held, holding) = (held_method(), paths.private("Held"), paths.private("Holding"));
        both.items.push(parse_quote! {
            #[doc(hidden)]
            fn #method(&self, _: &mut #holding) -> #held { #held::Opaque }
        });
        objects(item, paths)
    });
    let (mut written, allow, cfgs) = (item.clone(), allow_generated(), cfgs(&item.attrs));
    written.attrs.clear();
    // The trait as its author wrote it uses what they have imported for it.
    let defaults = defaults.write();
    quote!(#both #objects #defaults #(#cfgs)* #allow const _: () = { #written };)
}

/// What maps the signatures of a trait to a world. An object of the trait itself is one of the trait in that world.
fn types_of<'a>(item: &ItemTrait, target: Target, paths: &'a Paths) -> Types<'a> {
    let mut types = Types::new(target, paths);
    types.keep_generics(&item.generics);
    for member in &item.items {
        if let TraitItem::Type(ty) = member {
            types.keep_param(&ty.ident);
        }
    }
    types.both_worlds(&item.ident.clone().into());
    types
}

/// The impls that let trait objects be fields of a mirrored type.
fn objects(item: &ItemTrait, paths: &Paths) -> TokenStream {
    let (name, cfgs, method) = (&item.ident, cfgs(&item.attrs), mirror_method());
    let (part_method, part) = (part_method(), paths.private("Part"));
    let (traceable, scope, tensor) = (paths.traceable(), paths.scope(), paths.symbolic("Tensor"));
    let no_mirror = paths.private("no_mirror");
    let (held_method, held, holding) = (held_method(), paths.private("Held"), paths.private("Holding"));
    let shareable = paths.private("Shareable");
    let (text, derived, candle) = (name.to_string(), derived(), paths.candle());
    let (send, sync) = (quote!(+ ::core::marker::Send), quote!(+ ::core::marker::Sync));
    let autos: [TokenStream; 3] = [quote!(), send.clone(), quote!(#send #sync)];
    let impls = autos.map(|auto| {
        let lifts = crate::mirror::lifts(&quote!(::std::boxed::Box<dyn #name #auto>), &Default::default(), paths);
        quote! {
            #(#cfgs)*
            const _: () = { #lifts };
            #(#cfgs)*
            #derived
            impl #traceable for ::std::boxed::Box<dyn #name #auto> {
                type Symbolic = ::std::boxed::Box<dyn #name<#tensor>>;
                fn symbolic(&self, scope: &#scope) -> Self::Symbolic { #shareable::mirror(&**self, scope) }
                fn held(mirror: &Self::Symbolic, holding: &mut #holding) -> #held {
                    <dyn #name #auto as #shareable>::held(&**mirror, holding)
                }
                fn part(&self, step: usize) -> ::core::option::Option<#part<'_>> { #shareable::part(&**self, step) }
            }
            #(#cfgs)*
            #derived
            impl #shareable for dyn #name #auto {
                type Mirror = dyn #name<#tensor>;
                fn mirror(&self, scope: &#scope) -> ::std::boxed::Box<Self::Mirror> {
                    match #name::<#candle::Tensor>::#method(self, scope) {
                        ::core::option::Option::Some(mirror) => mirror,
                        ::core::option::Option::None => #no_mirror(scope, #text),
                    }
                }
                fn held(mirror: &Self::Mirror, holding: &mut #holding) -> #held {
                    #name::<#tensor>::#held_method(mirror, holding)
                }
                fn part(&self, step: usize) -> ::core::option::Option<#part<'_>> {
                    #name::<#candle::Tensor>::#part_method(self, step)
                }
            }
        }
    });
    quote!(#(#impls)*)
}

/// Whether the trait can have objects, as far as can be seen.
fn is_dyn_compatible(item: &ItemTrait) -> bool {
    item.generics.params.is_empty()
        && item.supertraits.iter().all(|bound| !is_named(bound, "Sized") && !is_named(bound, "Clone"))
        && item.items.iter().all(|member| match member {
            TraitItem::Fn(method) => can_be_dyn(&method.sig),
            _ => false,
        })
}

fn is_named(bound: &TypeParamBound, name: &str) -> bool {
    matches!(bound, TypeParamBound::Trait(bound) if bound.path.segments.last().is_some_and(|last| last.ident == name))
}

/// Whether a method can be called on a trait object, or is not one of its.
pub(crate) fn can_be_dyn(sig: &Signature) -> bool {
    let returns_self = match &sig.output {
        ReturnType::Default => false,
        ReturnType::Type(_, ty) => mentions_self(ty),
    };
    let types = sig.generics.type_params().next().is_none() && sig.generics.const_params().next().is_none();
    let named = types && sig.asyncness.is_none() && !names_impl(sig);
    let called = sig.receiver().is_some() && named && !returns_self && sig.generics.where_clause.is_none();
    called || asks_for_a_size(sig)
}

/// Whether a method is only there where the type is known: `where Self: Sized`.
fn asks_for_a_size(sig: &Signature) -> bool {
    let predicates = sig.generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    predicates.into_iter().any(|predicate| match predicate {
        WherePredicate::Type(predicate) => {
            matches!(&predicate.bounded_ty, Type::Path(ty) if ty.path.is_ident("Self"))
                && predicate.bounds.iter().any(|bound| is_named(bound, "Sized"))
        }
        _ => false,
    })
}

fn mentions_self(ty: &Type) -> bool {
    quote!(#ty).into_iter().any(|token| token.to_string() == "Self") && !type_mentions_tensor(ty)
}
