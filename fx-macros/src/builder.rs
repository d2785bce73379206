//! `#[fx::module]` on a function that builds a part of a model of closures: `fn block(dim: usize, vb: VarBuilder) ->
//! Result<Func>`. It is chosen by its `VarBuilder`, as other functions are by their tensors:
//!
//! ```text
//! trait __FxFn_f: World { type Output; fn __fx_call(dim: usize, vb: Self) -> Self::Output; }
//! impl<'w> __FxFn_f for candle's VarBuilder<'w>      { type Output = Result<Func<'w>>; the user's body }
//! impl     __FxFn_f for symbolic::VarBuilder<'static> { type Output = …; a twin }
//! fn f<RealOrSymbolic: __FxFn_f>(dim: usize, vb: RealOrSymbolic) -> RealOrSymbolic::Output
//! ```
//!
//! One that takes neither weights nor tensors has nothing to be chosen by. Its twin stands beside it as `__FxTwin_f`, which
//! twins of the same module find (`twin/fallbacks.rs`).
//!
//! `impl Module` has no name that an associated type could have, so such a function returns a `Func` that calls it. It
//! borrows nothing, unless a lifetime is named in it (`impl Module + 'a`).
//!
//! Invariant: with candle's weights the user's body runs; only the twin of it is changed.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::visit_mut::{self, VisitMut};
use syn::{
    FnArg, GenericArgument, GenericParam, ItemFn, Lifetime, Pat, PathArguments, ReturnType, Signature, Type,
    TypeImplTrait, TypeParamBound, TypePath, parse_quote,
};

use crate::attributes::{allow_generated, cfgs, for_body, for_name, for_twin};
use crate::dispatch::{call_ident, map_whole_signature, module_bound, rename};
use crate::errors::{Errors, Message};
use crate::paths::Paths;
use crate::twin::body::Body;
use crate::twin::fallbacks::twin_ident;
use crate::twin::names::Names;
use crate::twin::select::{inputs_mention_tensor, special_keyword, takes_weights};
use crate::twin::shadow;
use crate::twin::types::{CLOSURES, Target, Types, is_result, is_weights};

/// Whether a function builds a part of a model: it takes weights, or returns a closure and takes nothing to be chosen by.
pub(crate) fn is_builder(sig: &Signature) -> bool {
    takes_weights(sig) || (!inputs_mention_tensor(sig) && returns_closure(sig))
}

/// The function and its twin.
pub(crate) fn expand(item: &ItemFn, paths: &Paths, errors: &Errors) -> TokenStream {
    let name = item.sig.ident.to_string();
    if let Some(keyword) = special_keyword(&item.sig).or(item.sig.constness.map(|_| "const")) {
        errors.report(&item.sig.ident, Message::SpecialFunction { name, keyword });
        return quote!(#item);
    }
    let given = Signature { output: ReturnType::Default, ..item.sig.clone() };
    if let Some(bound) = module_bound(&given) {
        errors.report(bound, Message::GenericOverModule(name));
        return quote!(#item);
    }
    if returns_other_impl(&item.sig) {
        errors.report(&item.sig.output, Message::ReturnsImpl(name));
        return quote!(#item);
    }
    let builder = Builder { item, paths, lifetime: weights_lifetime(&item.sig) };
    if takes_weights(&item.sig) {
        let (declaration, original, public) = (builder.declaration(), builder.original(), builder.public());
        let twin = builder.twin();
        quote!(#declaration #original #public #twin)
    } else {
        let twin = builder.twin();
        quote!(#item #twin)
    }
}

struct Builder<'a> {
    item: &'a ItemFn,
    paths: &'a Paths,
    /// The lifetime of the weights.
    lifetime: Lifetime,
}

impl Builder<'_> {
    fn trait_name(&self) -> Ident {
        format_ident!("__FxFn_{}", self.item.sig.ident)
    }

    /// The signature with `weights` for the `VarBuilder`, without the lifetime of that.
    fn either(&self, weights: Ident) -> Signature {
        let mut sig = self.item.sig.clone();
        let mut types = Types::new(Target::Either(weights), self.paths).of_builder();
        types.keep_generics(&sig.generics);
        sig.output = ReturnType::Default;
        map_whole_signature(&mut sig, &types);
        self.drop_lifetime(&mut sig);
        sig
    }

    fn drop_lifetime(&self, sig: &mut Signature) {
        let params = std::mem::take(&mut sig.generics.params);
        sig.generics.params = params
            .into_iter()
            .filter(|param| !matches!(param, GenericParam::Lifetime(param) if param.lifetime == self.lifetime))
            .collect();
    }

    fn declaration(&self) -> TokenStream {
        let (name, vis, cfgs, allow) = (self.trait_name(), &self.item.vis, cfgs(&self.item.attrs), allow_generated());
        let world = self.paths.private("World");
        let mut sig = self.either(format_ident!("Self"));
        sig.ident = call_ident();
        sig.output = parse_quote!(-> Self::Output);
        rename(&mut sig, |position, _| format_ident!("__fx_{}", position));
        quote! {
            #(#cfgs)* #[doc(hidden)] #allow
            #vis trait #name: #world { type Output; #sig; }
        }
    }

    /// The function people call. Its documentation and attributes are the user's.
    fn public(&self) -> TokenStream {
        let (vis, attrs, name, weights) =
            (&self.item.vis, for_name(&self.item.attrs), self.trait_name(), format_ident!("RealOrSymbolic"));
        let mut sig = self.either(weights.clone());
        rename(&mut sig, |position, written| written.cloned().unwrap_or_else(|| format_ident!("__fx_{}", position)));
        let (arguments, parameters) = (variables(&sig), parameters(&sig));
        let turbofish = (!parameters.is_empty()).then(|| quote!(::<#(#parameters),*>));
        let method = call_ident();
        sig.generics.params.push(parse_quote!(#weights: #name));
        sig.generics.lt_token = Some(Default::default());
        sig.generics.gt_token = Some(Default::default());
        sig.output = parse_quote!(-> <#weights as #name>::Output);
        quote! {
            #(#attrs)*
            #[allow(private_bounds, private_interfaces, reason = "generated by candle-fx")]
            #vis #sig { <#weights as #name>::#method #turbofish(#(#arguments),*) }
        }
    }

    /// The user's body, for candle's weights.
    fn original(&self) -> TokenStream {
        let (name, block, candle_nn) = (self.trait_name(), &self.item.block, self.paths.private("candle_nn"));
        let (cfgs, lifetime, method) = (cfgs(&self.item.attrs), &self.lifetime, call_ident());
        let attrs = for_body(&self.item.attrs);
        let (mut output, mut sig) = (written(&self.item.sig.output), self.item.sig.clone());
        Outlive(lifetime).visit_type_mut(&mut output);
        OwnWeights.visit_signature_mut(&mut sig);
        self.drop_lifetime(&mut sig);
        sig.ident = method.clone();
        sig.output = parse_quote!(-> Self::Output);
        let (output, body) = match closure_of(&self.item.sig.output) {
            None => (quote!(#output), quote!(#block)),
            Some(closure) => {
                // The user's function as it is: what it returns keeps its name only in there.
                let mut inner = self.item.sig.clone();
                inner.ident = format_ident!("__fx_original");
                inner.inputs.iter_mut().for_each(|input| Outlive(lifetime).visit_fn_arg_mut(input));
                if !inner.generics.lifetimes().any(|param| param.lifetime == *lifetime) {
                    inner.generics.params.insert(0, parse_quote!(#lifetime));
                }
                capture_named(&mut inner, closure.borrows);
                rename(&mut sig, |position, _| format_ident!("__fx_{}", position));
                let (arguments, kind) = (variables(&sig), closure.name());
                let of = self.paths.callee(closure.of_module());
                let result = closure.wrap(quote!(__fx_original(#(#arguments),*)), &of);
                let outlives = if closure.borrows { lifetime.clone() } else { parse_quote!('static) };
                Named(quote!(#candle_nn::#kind<#outlives>)).visit_type_mut(&mut output);
                (quote!(#output), quote!({ #inner #block #result }))
            }
        };
        quote! {
            #(#cfgs)*
            impl<#lifetime> #name for #candle_nn::VarBuilder<#lifetime> {
                type Output = #output;
                #(#attrs)* #sig #body
            }
        }
    }

    /// The twin, in the shadow world: an impl for its weights, or a function beside the user's.
    fn twin(&self) -> TokenStream {
        let (item, paths) = (self.item, self.paths);
        let by_weights = takes_weights(&item.sig);
        let (mut sig, mut block) = (item.sig.clone(), (*item.block).clone());
        let mut types = Types::new(Target::Twin, paths).of_builder();
        types.keep_generics(&sig.generics);
        Outlive(&parse_quote!('static)).visit_return_type_mut(&mut sig.output);
        self.drop_lifetime(&mut sig);
        Static(&self.lifetime).visit_signature_mut(&mut sig);
        Static(&self.lifetime).visit_block_mut(&mut block);
        let mut body = Body::new(&types, &item.sig, &item.block, &[], paths).of_builder(&item.sig, &item.block);
        body.visit_block_mut(&mut block);
        map_whole_signature(&mut sig, &types);

        let mut used = Names::default();
        used.signature(&sig);
        used.block(&block);
        let imports = shadow::imports(&used, true, paths);
        let (cfgs, allow, attrs) = (cfgs(&item.attrs), allow_generated(), for_twin(&item.attrs));
        let name = item.sig.ident.unraw().to_string();
        let builds = weights_variable(&item.sig).map(|weights| {
            let guard = Ident::new("__fx_builds", Span::mixed_site());
            quote!(let #guard = #weights.builds(#name);)
        });
        let mut output = written(&sig.output);
        let result = match closure_of(&item.sig.output) {
            None => quote!(#builds #block),
            Some(closure) => {
                let mut inner = sig.clone();
                inner.ident = format_ident!("__fx_twin");
                capture_named(&mut inner, false);
                // The mapped signature: its closures are those of the shadow world.
                rename(&mut sig, |position, written| {
                    written.cloned().unwrap_or_else(|| format_ident!("__fx_{}", position))
                });
                let (arguments, kind) = (variables(&sig), closure.name().to_string());
                let symbolic = paths.symbolic(&kind);
                let result = closure.wrap(quote!(__fx_twin(#(#arguments),*)), &quote!(#symbolic::of));
                Named(quote!(#symbolic<'static>)).visit_type_mut(&mut output);
                quote!(#inner #block #builds #result)
            }
        };
        let (aliases, fallbacks) = (body.aliases.declare(), body.fallbacks);
        let twin = if by_weights {
            let (trait_name, weights) = (self.trait_name(), paths.symbolic("VarBuilder"));
            sig.ident = call_ident();
            sig.output = parse_quote!(-> Self::Output);
            let twin = quote! {
                #imports
                #aliases
                impl #trait_name for #weights<'static> {
                    type Output = #output;
                    #(#attrs)* #sig { #result }
                }
            };
            let twin = fallbacks.around(twin, paths);
            quote!(const _: () = { #twin };)
        } else {
            let vis = &item.vis;
            sig.ident = twin_ident(&item.sig.ident);
            sig.output = parse_quote!(-> #output);
            let body = fallbacks.around_body(quote!(#imports #aliases #result), paths);
            quote! {
                #[doc(hidden)] #(#attrs)*
                #vis #sig { #body }
            }
        };
        quote! {
            #(#cfgs)* #allow
            #twin
        }
    }
}

/// The type a function returns.
fn written(output: &ReturnType) -> Type {
    match output {
        ReturnType::Default => parse_quote!(()),
        ReturnType::Type(_, ty) => (**ty).clone(),
    }
}

/// The lifetime of the weights that a signature names, or one of our own.
fn weights_lifetime(sig: &Signature) -> Lifetime {
    struct Find(Option<Lifetime>);
    impl<'ast> syn::visit::Visit<'ast> for Find {
        fn visit_type_path(&mut self, ty: &'ast TypePath) {
            if is_weights(&ty.path)
                && let Some(PathArguments::AngleBracketed(args)) = ty.path.segments.last().map(|last| &last.arguments)
                && let Some(GenericArgument::Lifetime(lifetime)) = args.args.first()
                && !["_", "static"].iter().any(|plain| lifetime.ident == plain)
            {
                self.0.get_or_insert_with(|| lifetime.clone());
            }
            syn::visit::visit_type_path(self, ty);
        }
    }
    let mut find = Find(None);
    sig.inputs.iter().for_each(|input| syn::visit::Visit::visit_fn_arg(&mut find, input));
    find.0.unwrap_or_else(|| Lifetime::new("'__fx_weights", Span::call_site()))
}

/// The variable of the first parameter that is weights.
pub(crate) fn weights_variable(sig: &Signature) -> Option<Ident> {
    sig.inputs.iter().find_map(|input| match input {
        FnArg::Typed(input) if takes(&input.ty) => match &*input.pat {
            Pat::Ident(pat) => Some(pat.ident.clone()),
            _ => None,
        },
        _ => None,
    })
}

/// Whether a parameter of the type takes weights, owned or lent.
fn takes(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => takes(&reference.elem),
        Type::Path(path) => path.qself.is_none() && is_weights(&path.path),
        _ => false,
    }
}

fn variables(sig: &Signature) -> Vec<TokenStream> {
    let typed = sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(input) => Some(input.pat.to_token_stream()),
        FnArg::Receiver(_) => None,
    });
    typed.collect()
}

fn parameters(sig: &Signature) -> Vec<Ident> {
    let named = sig.generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(param) => Some(param.ident.clone()),
        GenericParam::Const(param) => Some(param.ident.clone()),
        GenericParam::Lifetime(_) => None,
    });
    named.collect()
}

/// Whether a function returns a closure: `Func`, `FuncT`, or `impl Module`.
fn returns_closure(sig: &Signature) -> bool {
    struct Find(bool);
    impl<'ast> syn::visit::Visit<'ast> for Find {
        fn visit_type_path(&mut self, ty: &'ast TypePath) {
            let last = ty.path.segments.last().map(|last| last.ident.to_string());
            self.0 |= last.is_some_and(|last| CLOSURES.contains(&last.as_str()));
            syn::visit::visit_type_path(self, ty);
        }
        fn visit_type_impl_trait(&mut self, ty: &'ast TypeImplTrait) {
            self.0 |= Closure::of(ty).is_some();
        }
    }
    let mut find = Find(false);
    syn::visit::Visit::visit_return_type(&mut find, &sig.output);
    find.0
}

/// What stands for an `impl Module` or `impl ModuleT`.
#[derive(Clone, Copy)]
struct Closure {
    training: bool,
    /// Whether it says that it borrows.
    borrows: bool,
    in_result: bool,
}

impl Closure {
    fn of(ty: &TypeImplTrait) -> Option<Self> {
        let name = ty.bounds.iter().find_map(|bound| match bound {
            TypeParamBound::Trait(bound) => bound.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        })?;
        let training = name == "ModuleT";
        let borrows = ty.bounds.iter().any(|bound| {
            matches!(bound, TypeParamBound::Lifetime(lifetime) if lifetime.ident != "static")
                || matches!(bound, TypeParamBound::PreciseCapture(capture) if capture.to_token_stream().to_string().contains('\''))
        });
        (training || name == "Module").then_some(Closure { training, borrows, in_result: false })
    }

    fn name(self) -> Ident {
        format_ident!("{}", CLOSURES[usize::from(self.training)])
    }

    fn of_module(self) -> &'static str {
        if self.training { "func_t_of" } else { "func_of" }
    }

    /// The closure that calls what `call` returns, by the function `of`.
    fn wrap(self, call: TokenStream, of: &TokenStream) -> TokenStream {
        if self.in_result {
            quote!(match #call {
                ::core::result::Result::Ok(module) => ::core::result::Result::Ok(#of(module)),
                ::core::result::Result::Err(error) => ::core::result::Result::Err(error),
            })
        } else {
            quote!(#of(#call))
        }
    }
}

/// The closure that a function returns as `impl Module` or `Result<impl Module>`.
fn closure_of(output: &ReturnType) -> Option<Closure> {
    let ReturnType::Type(_, ty) = output else { return None };
    match &**ty {
        Type::ImplTrait(ty) => Closure::of(ty),
        Type::Path(path) => {
            let last = path.path.segments.last().filter(|last| is_result(&last.ident))?;
            let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
            match args.args.first()? {
                GenericArgument::Type(Type::ImplTrait(ty)) => {
                    Closure::of(ty).map(|closure| Closure { in_result: true, ..closure })
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Says that the `impl` type which a function returns borrows nothing, or nothing but what is named: what it becomes a
/// closure of would have to borrow the rest, too.
fn capture_named(sig: &mut Signature, borrows: bool) {
    let params = sig.generics.params.iter().filter_map(|param| match param {
        GenericParam::Lifetime(param) => borrows.then(|| param.lifetime.to_token_stream()),
        GenericParam::Type(param) => Some(param.ident.to_token_stream()),
        GenericParam::Const(param) => Some(param.ident.to_token_stream()),
    });
    let params = quote!(use<#(#params),*>);
    struct Capture(TokenStream);
    impl VisitMut for Capture {
        fn visit_type_mut(&mut self, ty: &mut Type) {
            match ty {
                Type::ImplTrait(unnamed) => {
                    let says = |bound: &TypeParamBound| {
                        matches!(bound, TypeParamBound::PreciseCapture(_) | TypeParamBound::Verbatim(_))
                    };
                    if !unnamed.bounds.iter().any(says) {
                        let params = &self.0;
                        *ty = Type::Verbatim(quote!(#unnamed + #params));
                    }
                }
                other => visit_mut::visit_type_mut(self, other),
            }
        }
    }
    Capture(params).visit_return_type_mut(&mut sig.output);
}

/// Whether a function returns an `impl` type that no closure can stand for.
fn returns_other_impl(sig: &Signature) -> bool {
    crate::twin::select::returns_impl(sig) && closure_of(&sig.output).is_none()
}

/// Puts a lifetime where one of candle's types lacks it, or has an elided one.
struct Outlive<'a>(&'a Lifetime);

impl VisitMut for Outlive<'_> {
    fn visit_type_path_mut(&mut self, ty: &mut TypePath) {
        visit_mut::visit_type_path_mut(self, ty);
        let Some(last) = ty.path.segments.last_mut() else { return };
        let borrows = last.ident == "VarBuilder" || CLOSURES.iter().any(|name| last.ident == name);
        if borrows && last.arguments.is_none() {
            let lifetime = self.0;
            last.arguments = PathArguments::AngleBracketed(parse_quote!(<#lifetime>));
        }
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "_" {
            *lifetime = self.0.clone();
        }
    }
}

/// Makes the lifetime of the weights `'static`, as it is in the shadow world.
struct Static<'a>(&'a Lifetime);

impl VisitMut for Static<'_> {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime == self.0 {
            *lifetime = Lifetime::new("'static", lifetime.span());
        }
    }
}

/// `Self` for `VarBuilder<'a>` in the parameters of an impl for it.
struct OwnWeights;

impl VisitMut for OwnWeights {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        match ty {
            Type::Path(path) if path.qself.is_none() && is_weights(&path.path) => *ty = parse_quote!(Self),
            other => visit_mut::visit_type_mut(self, other),
        }
    }
}

/// Puts a type that has a name in place of one that has none.
struct Named(TokenStream);

impl VisitMut for Named {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        match ty {
            Type::ImplTrait(_) => *ty = Type::Verbatim(self.0.clone()),
            other => visit_mut::visit_type_mut(self, other),
        }
    }
}
