//! Methods of a trait for both worlds that have a body: the user's where it is of tensors, its twin where it is of proxies.
//!
//! ```text
//! trait Block<TensorOrProxy: World = Tensor> {
//!     fn twice(&self, x: &TensorOrProxy) -> Result<TensorOrProxy>
//!     where
//!         TensorOrProxy: __FxDefaults_Block,
//!     {
//!         TensorOrProxy::__fx_twice(self, x)
//!     }
//! }
//! trait __FxDefaults_Block: World { fn __fx_twice<This: Block<Self>>(this: &This, x: &Self) -> Result<Self>; }
//! impl __FxDefaults_Block for Tensor { … }     the user's body
//! impl __FxDefaults_Block for Proxy { … }      its twin
//! ```
//!
//! Either is compiled for every type that has the trait of that world, as the user's was. A body that has nothing to do with
//! the world, `fn depth(&self) -> usize { 1 }`, stays where it is.
//!
//! Invariant: a type that does not write the method has what the user's body computes.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, FnArg, Generics, ItemTrait, Lifetime, ParenthesizedGenericArguments, Path, ReceiverKind, ReturnType,
    Signature, TraitItem, TraitItemFn, Type, TypeReference, parse_quote,
};

use crate::attributes::{allow_generated, cfgs, for_body, for_twin};
use crate::dispatch::{map_whole_signature, rename};
use crate::paths::Paths;
use crate::twin::body::Body;
use crate::twin::fallbacks::Fallbacks;
use crate::twin::literals::Aliases;
use crate::twin::names::Names;
use crate::twin::select::takes_weights;
use crate::twin::types::{Target, Types};
use crate::twin::{not_made, shadow};

/// The methods of a trait whose bodies differ from world to world.
pub(super) struct Defaults<'a> {
    item: &'a ItemTrait,
    methods: Vec<&'a TraitItemFn>,
    paths: &'a Paths,
}

impl<'a> Defaults<'a> {
    /// Those whose signature is another in each world, and those that call a method of which this holds. `types` maps to
    /// either world.
    pub(super) fn of(item: &'a ItemTrait, types: &Types<'_>, paths: &'a Paths) -> Self {
        let methods = || {
            item.items.iter().filter_map(|member| match member {
                TraitItem::Fn(method) => Some(method),
                _ => None,
            })
        };
        let differs = |sig: &Signature| {
            let mut mapped = sig.clone();
            map_whole_signature(&mut mapped, types);
            mapped.to_token_stream().to_string() != sig.to_token_stream().to_string()
        };
        let mut differing: BTreeSet<String> =
            methods().filter(|method| differs(&method.sig)).map(|method| method.sig.ident.to_string()).collect();
        let calling: Vec<(String, Names)> = methods()
            .filter_map(|method| {
                let mut names = Names::default();
                names.block(method.default.as_ref()?);
                Some((method.sig.ident.to_string(), names))
            })
            .collect();
        loop {
            let calls = |names: &Names| names.methods.iter().chain(&names.own).any(|name| differing.contains(name));
            let news: Vec<String> =
                calling.iter().filter(|(_, names)| calls(names)).map(|(name, _)| name.clone()).collect();
            let before = differing.len();
            differing.extend(news);
            if differing.len() == before {
                break;
            }
        }
        let with_body = methods().filter(|method| method.default.is_some());
        let methods = with_body.filter(|method| differing.contains(&method.sig.ident.to_string())).collect();
        Defaults { item, methods, paths }
    }

    /// What the type of tensors has besides, if there is such a method.
    fn bound(&self) -> Option<TokenStream> {
        let (name, arguments) = (self.trait_ident(), self.item.generics.split_for_impl().1);
        (!self.methods.is_empty()).then(|| quote!(#name #arguments))
    }

    /// The body of a method of the trait for both worlds: it asks the type of tensors, as its mapped signature then says. Gives
    /// the parameters names.
    pub(super) fn forward(&self, sig: &mut Signature, world: &Ident) -> Option<Block> {
        let method = self.methods.iter().find(|method| method.sig.ident == sig.ident)?;
        rename(sig, |position, written| written.cloned().unwrap_or_else(|| format_ident!("__fx_{}", position)));
        let this = sig.receiver().map(|receiver| receiver.self_token);
        if let Some(FnArg::Receiver(receiver)) = sig.inputs.first_mut() {
            receiver.mutability = None;
        }
        let arguments = arguments(sig, this.map(|this| quote!(#this)));
        let (name, bound) = (call_ident(&method.sig.ident), self.bound());
        let parameters = parameters(&method.sig.generics);
        sig.generics.make_where_clause().predicates.push(parse_quote!(#world: #bound));
        Some(parse_quote!({ <#world as #bound>::#name::<Self #(, #parameters)*>(#arguments) }))
    }

    /// The hidden trait, and what it is for tensors and for proxies.
    pub(super) fn write(&self) -> TokenStream {
        let Some(bound) = self.bound() else { return TokenStream::new() };
        let (item, name, paths) = (self.item, self.trait_ident(), self.paths);
        let (vis, cfgs, allow) = (&item.vis, cfgs(&item.attrs), allow_generated());
        let (candle, proxy, world) = (paths.candle(), paths.symbolic("Tensor"), paths.private("World"));
        let (generics, _, where_clause) = item.generics.split_for_impl();
        let either = self.types(Target::Either(format_ident!("Self")));
        let declared = self.methods.iter().map(|method| {
            let (cfgs, sig) = (self::cfgs(&method.attrs), self.outer(method, &either, &quote!(Self)));
            quote!(#(#cfgs)* #[track_caller] #sig;)
        });
        let original = self.methods.iter().map(|method| {
            let candle = quote!(#candle::Tensor);
            let (sig, block) = (self.unmapped(method, &candle), method.default.clone());
            self.implement(method, sig, &method.sig, block, &for_body(&method.attrs), &candle)
        });
        let original = quote!(#(#original)*);
        let twin_types = self.types(Target::Twin);
        let (mut used, mut aliases, mut fallbacks) = (Names::default(), Aliases::default(), Fallbacks::default());
        let names: Vec<Ident> = item
            .items
            .iter()
            .filter_map(|member| match member {
                TraitItem::Fn(method) => Some(method.sig.ident.clone()),
                _ => None,
            })
            .collect();
        let twins = self.methods.iter().map(|method| {
            let types = with_generics(&twin_types, &method.sig.generics);
            let (mut sig, mut block) = (method.sig.clone(), method.default.clone());
            map_whole_signature(&mut sig, &types);
            match &mut block {
                Some(block) if takes_weights(&method.sig) => *block = not_made(&method.sig.ident, paths),
                Some(block) => {
                    let mut body = Body::new(&types, &method.sig, block, &names, paths);
                    body.visit_block_mut(block);
                    aliases.extend(body.aliases);
                    fallbacks.extend(body.fallbacks);
                    used.block(block);
                }
                None => {}
            }
            used.signature(&sig);
            let outer = self.outer(method, &twin_types, &proxy);
            self.implement(method, outer, &sig, block, &for_twin(&method.attrs), &proxy)
        });
        let twins: Vec<TokenStream> = twins.collect();
        let (imports, aliases) = (shadow::imports(&used, false, paths), aliases.declare());
        let twin = quote! {
            #imports
            #aliases
            impl #generics #bound for #proxy #where_clause { #(#twins)* }
        };
        let twin = fallbacks.around(twin, paths);
        quote! {
            #(#cfgs)* #[doc(hidden)] #allow
            #vis trait #name #generics: #world #where_clause { #(#declared)* }
            #(#cfgs)* #allow
            impl #generics #bound for #candle::Tensor #where_clause { #original }
            #(#cfgs)* #allow
            const _: () = { #twin };
        }
    }

    fn trait_ident(&self) -> Ident {
        format_ident!("__FxDefaults_{}", self.item.ident)
    }

    /// What maps the signatures of the trait to a world.
    fn types(&self, target: Target) -> Types<'a> {
        let mut types = super::types_of(self.item, target, self.paths);
        types.keep_param(&this_ident());
        types
    }

    /// The signature of the hidden method, of either world as `types` says.
    fn outer(&self, method: &TraitItemFn, types: &Types<'_>, world: &dyn ToTokens) -> Signature {
        let mut sig = self.unmapped(method, world);
        map_whole_signature(&mut sig, &with_generics(types, &method.sig.generics));
        sig
    }

    /// The same with the types as they are written: a function of the type that has the trait.
    fn unmapped(&self, method: &TraitItemFn, world: &dyn ToTokens) -> Signature {
        let mut sig = method.sig.clone();
        sig.ident = call_ident(&method.sig.ident);
        rename(&mut sig, |position, _| format_ident!("__fx_{}", position));
        let (this, of) = (this_ident(), self.in_world(world));
        let mut lifetime = None;
        if let Some(FnArg::Receiver(receiver)) = sig.inputs.first() {
            let ty: Type = match &receiver.kind {
                ReceiverKind::Reference(_, written, mutability) => {
                    let own: Lifetime = parse_quote!('__fx_this);
                    if written.is_none() && Elided::named(&own, &mut sig.output) {
                        lifetime = Some(own);
                    }
                    let lifetime = written.as_ref().or(lifetime.as_ref());
                    parse_quote!(&#lifetime #mutability #this)
                }
                ReceiverKind::Typed(_, ty) => (**ty).clone(),
                _ => parse_quote!(#this),
            };
            sig.inputs[0] = parse_quote!(__fx_0: #ty);
        }
        RenameSelf(&this).visit_signature_mut(&mut sig);
        let lifetimes = sig.generics.lifetimes().count();
        sig.generics.params.insert(lifetimes, parse_quote!(#this: #of + ?::core::marker::Sized));
        if let Some(lifetime) = lifetime {
            sig.generics.params.insert(0, parse_quote!(#lifetime));
        }
        sig
    }

    /// `outer` as it calls the body, which is a method so that it can say `self`.
    fn implement(
        &self,
        method: &TraitItemFn,
        outer: Signature,
        inner: &Signature,
        block: Option<Block>,
        attrs: &[syn::Attribute],
        world: &dyn ToTokens,
    ) -> TokenStream {
        let (cfgs, of) = (cfgs(&method.attrs), self.in_world(world));
        let (this, body) = (format_ident!("__FxType"), format_ident!("__FxBody"));
        let (mut declared, mut written) = (inner.clone(), inner.clone());
        let name = format_ident!("__fx_body");
        rename(&mut declared, |position, _| format_ident!("__fx_{}", position));
        if let Some(FnArg::Receiver(receiver)) = declared.inputs.first_mut() {
            receiver.mutability = None;
        }
        (declared.ident, written.ident) = (name.clone(), name.clone());
        let (generics, arguments, where_clause) = self.item.generics.split_for_impl();
        let mut with_type: Generics = self.item.generics.clone();
        with_type.params.push(parse_quote!(#this: #of + ?::core::marker::Sized));
        let with_type = with_type.split_for_impl().0.to_token_stream();
        let passed = self::arguments(&outer, None);
        let (parameters, own) = (parameters(&method.sig.generics), this_ident());
        let turbofish = (!parameters.is_empty()).then(|| quote!(::<#(#parameters),*>));
        quote! {
            #(#cfgs)* #[track_caller] #outer {
                trait #body #generics: #of #where_clause { #[track_caller] #declared; }
                impl #with_type #body #arguments for #this #where_clause { #(#attrs)* #[track_caller] #written #block }
                <#own as #body #arguments>::#name #turbofish(#passed)
            }
        }
    }

    /// `Block<World>`.
    fn in_world(&self, world: &dyn ToTokens) -> TokenStream {
        let name = &self.item.ident;
        let (_, arguments, _) = self.item.generics.split_for_impl();
        let path: Path = parse_quote!(#name #arguments);
        crate::twin::in_world(&path, world.to_token_stream())
    }
}

/// The type that has the trait, where `Self` is that of tensors.
fn this_ident() -> Ident {
    format_ident!("__FxThis")
}

fn call_ident(method: &Ident) -> Ident {
    format_ident!("__fx_{}", method)
}

/// The same types, which know the type parameters of a method.
fn with_generics<'a>(types: &Types<'a>, generics: &Generics) -> Types<'a> {
    let mut types = types.with_locals([]);
    types.keep_generics(generics);
    types
}

/// The type parameters and constants, in order.
fn parameters(generics: &Generics) -> Vec<Ident> {
    let named = generics.params.iter().filter_map(|param| match param {
        syn::GenericParam::Type(param) => Some(param.ident.clone()),
        syn::GenericParam::Const(param) => Some(param.ident.clone()),
        syn::GenericParam::Lifetime(_) => None,
    });
    named.collect()
}

/// The variables of a signature, as arguments of a call.
fn arguments(sig: &Signature, this: Option<TokenStream>) -> TokenStream {
    let typed = sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(input) => Some(input.pat.to_token_stream()),
        FnArg::Receiver(_) => None,
    });
    let all = this.into_iter().chain(typed);
    quote!(#(#all),*)
}

/// `Self` is another type in a function that is no method.
struct RenameSelf<'a>(&'a Ident);

impl VisitMut for RenameSelf<'_> {
    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_mut::visit_path_mut(self, path);
        if let Some(head) = path.segments.first_mut().filter(|head| head.ident == "Self") {
            head.ident = self.0.clone();
        }
    }
}

/// Gives what a method lends without saying for how long the lifetime of its receiver.
struct Elided<'a> {
    own: &'a Lifetime,
    found: bool,
}

impl Elided<'_> {
    /// Whether there was such.
    fn named(own: &Lifetime, output: &mut ReturnType) -> bool {
        let mut elided = Elided { own, found: false };
        elided.visit_return_type_mut(output);
        elided.found
    }
}

impl VisitMut for Elided<'_> {
    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        if reference.lifetime.is_none() {
            reference.lifetime = Some(self.own.clone());
            self.found = true;
        }
        visit_mut::visit_type_reference_mut(self, reference);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "_" {
            *lifetime = self.own.clone();
            self.found = true;
        }
    }

    // What a closure lends is its own.
    fn visit_parenthesized_generic_arguments_mut(&mut self, _: &mut ParenthesizedGenericArguments) {}
}
