//! A free function that means one thing for tensors and another for proxies, chosen by its arguments.
//!
//! ```text
//! trait __FxFn_f: World { fn __fx_call(x: &Self, …) -> Result<Self>; }
//! impl __FxFn_f for Tensor { the user's body }
//! impl __FxFn_f for Proxy  { a twin, or a recorded call }
//! fn f<T: __FxFn_f>(x: &T, …) -> Result<T>
//! ```
//!
//! So the same call is right in either world and in any file. This file writes all but the proxy's impl.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{FnArg, GenericParam, Generics, ItemFn, Pat, Signature, Type, TypeParamBound, parse_quote};

use crate::attributes::{allow_generated, cfgs, for_body, for_name, for_twin};
use crate::errors::{Errors, Message};
use crate::known::Known;
use crate::paths::Paths;
use crate::twin::is_module_bound;
use crate::twin::select::{inputs_mention_tensor, special_keyword, type_mentions_tensor};
use crate::twin::shadow::{SHADOWED, SHADOWED_WITH_TYPE};
use crate::twin::types::{Target, Types, is_container, is_plain};

pub(crate) struct Dispatch<'a> {
    item: &'a ItemFn,
    paths: &'a Paths,
    /// `__FxFn_f`.
    pub(crate) trait_name: Ident,
    /// The argument that the function is chosen by, with its type, if it takes no tensors.
    chooser: Option<(usize, Type)>,
    /// Where the types of its signature are asked for.
    pub(crate) known: Known,
    /// The traits in its signature that are one for both worlds.
    both_worlds: Vec<syn::Path>,
}

impl<'a> Dispatch<'a> {
    /// `None` if no argument holds a tensor: then there is nothing to choose by.
    pub(crate) fn new(item: &'a ItemFn, paths: &'a Paths, errors: &Errors) -> Option<Self> {
        if !inputs_mention_tensor(&item.sig) {
            return None;
        }
        let name = item.sig.ident.to_string();
        let keyword = special_keyword(&item.sig).or(item.sig.constness.map(|_| "const"));
        if let Some(keyword) = keyword {
            errors.report(&item.sig.ident, Message::SpecialFunction { name, keyword });
        } else if let Some(bound) = module_bound(&item.sig) {
            errors.report(bound, Message::GenericOverModule(name));
        }
        let known = Known::named(&item.sig.ident);
        Some(Dispatch {
            item,
            paths,
            trait_name: format_ident!("__FxFn_{}", item.sig.ident),
            chooser: None,
            known,
            both_worlds: Vec::new(),
        })
    }

    /// The same of a function that takes no tensors but returns some, and takes a type that may hold them:
    /// `fn attention(qkv: &Qkv) -> Result<Tensor>`. It is chosen by that argument; where `named`, whatever it returns.
    pub(crate) fn by_type(item: &'a ItemFn, named: bool, paths: &'a Paths) -> Option<Self> {
        let returns_tensor = matches!(&item.sig.output, syn::ReturnType::Type(_, ty) if type_mentions_tensor(ty));
        if !(returns_tensor || named)
            || special_keyword(&item.sig).is_some()
            || item.sig.constness.is_some()
            || is_generic(&item.sig)
        {
            return None;
        }
        let chooser = item.sig.inputs.iter().enumerate().find_map(|(position, input)| match input {
            FnArg::Typed(input) => Some((position, holder(&input.ty)?.clone())),
            FnArg::Receiver(_) => None,
        });
        let trait_name = format_ident!("__FxFn_{}", item.sig.ident);
        let known = Known::named(&item.sig.ident);
        Some(Dispatch { item, paths, trait_name, chooser: Some(chooser?), known, both_worlds: Vec::new() })
    }

    /// Has these traits of its signature be those of either world.
    pub(crate) fn both_worlds(&mut self, traits: &[syn::Path]) {
        self.both_worlds = traits.to_vec();
    }

    /// What maps its signature to a world.
    pub(crate) fn types(&self, target: Target) -> Types<'_> {
        let mut types = Types::new(target, self.paths).asking(&self.known);
        types.keep_generics(&self.item.sig.generics);
        self.both_worlds.iter().for_each(|of| types.both_worlds(of));
        types
    }

    /// Has the function be chosen by the parameter of this name.
    pub(crate) fn choose(&mut self, parameter: &syn::Path, errors: &Errors) {
        let found = self.item.sig.inputs.iter().enumerate().find_map(|(position, input)| match input {
            FnArg::Typed(input) => {
                let named = matches!(&*input.pat, Pat::Ident(pat) if parameter.is_ident(&pat.ident));
                Some((position, holder(&input.ty)?.clone())).filter(|_| named)
            }
            FnArg::Receiver(_) => None,
        });
        match found {
            Some(chooser) => self.chooser = Some(chooser),
            None => errors.report(parameter, Message::NotChosenBy(parameter.to_token_stream().to_string())),
        }
    }

    /// The trait, its impl for tensors, the public function, and what else carries its name.
    pub(crate) fn write(&self) -> TokenStream {
        let (declaration, original, public) = (self.declaration(), self.original(), self.public());
        let mut shadowed = SHADOWED.iter().chain(SHADOWED_WITH_TYPE);
        let companion = shadowed.any(|name| self.item.sig.ident == name).then(|| self.companion());
        quote!(#declaration #original #public #companion)
    }

    /// The impl for proxies, of a body and its signature in the shadow world.
    pub(crate) fn proxy_impl(&self, mut sig: Signature, block: impl ToTokens) -> TokenStream {
        let (name, tensor) = (&self.trait_name, self.paths.symbolic("Tensor"));
        let attrs = for_twin(&self.item.attrs);
        sig.ident = call_ident();
        quote!(impl #name for #tensor { #(#attrs)* #sig #block })
    }

    pub(crate) fn declaration(&self) -> TokenStream {
        let (name, vis, cfgs) = (&self.trait_name, &self.item.vis, cfgs(&self.item.attrs));
        let (world, allow) = (self.paths.private("World"), allow_generated());
        let mut sig = self.signature(format_ident!("Self"));
        sig.ident = call_ident();
        rename(&mut sig, |position, _| format_ident!("__fx_{}", position));
        let known = self.known.declare_asked(&cfgs, self.paths);
        quote! {
            #known
            #(#cfgs)* #[doc(hidden)] #allow
            #vis trait #name: #world { #[track_caller] #sig; }
        }
    }

    /// The user's body, for candle's tensor.
    pub(crate) fn original(&self) -> TokenStream {
        let (name, block, candle) = (&self.trait_name, &self.item.block, self.paths.candle());
        let (cfgs, mut sig) = (cfgs(&self.item.attrs), self.item.sig.clone());
        sig.ident = call_ident();
        let attrs = for_body(&self.item.attrs);
        quote!(#(#cfgs)* impl #name for #candle::Tensor { #(#attrs)* #sig #block })
    }

    /// The function people call. Its documentation and attributes are the user's.
    fn public(&self) -> TokenStream {
        let (vis, attrs) = (&self.item.vis, for_name(&self.item.attrs));
        let tracked = attrs.iter().any(|attribute| attribute.path().is_ident("track_caller"));
        let track_caller = (!tracked).then(|| quote!(#[track_caller]));
        let (sig, call) = self.forwarding(self.item.sig.ident.clone());
        quote! {
            #(#attrs)*
            #track_caller
            #[allow(private_bounds, reason = "generated by candle-fx")]
            #vis #sig { #call }
        }
    }

    /// A *type* of the function's name, by which twins tell the user's `silu` from candle's (see `twin/shadow.rs`).
    fn companion(&self) -> TokenStream {
        let (name, vis, cfgs, allow) =
            (&self.item.sig.ident, &self.item.vis, cfgs(&self.item.attrs), allow_generated());
        let (sig, call) = self.forwarding(call_ident());
        let checked = checked(self.forwarding(format_ident!("__fx_checked")).0);
        quote! {
            #(#cfgs)* #[doc(hidden)] #allow
            #vis struct #name {}
            #(#cfgs)* #allow
            impl #name {
                #[track_caller] pub #sig { #call }
                #[track_caller] pub #checked { #call }
            }
        }
    }

    /// A generic signature named `name`, and the call it forwards to.
    pub(crate) fn forwarding(&self, name: Ident) -> (Signature, TokenStream) {
        let world = format_ident!("TensorOrProxy");
        let trait_name = &self.trait_name;
        let mut sig = self.signature(world.clone());
        sig.ident = name;
        rename(&mut sig, |position, written| written.cloned().unwrap_or_else(|| format_ident!("__fx_{}", position)));
        let mut arguments: Vec<TokenStream> = sig.inputs.iter().filter_map(variable).collect();
        if let Some(argument) = self.chooser.as_ref().and_then(|(position, _)| arguments.get_mut(*position)) {
            *argument = self.passed_on(argument);
        }
        let parameters = sig.generics.params.iter().filter_map(|param| match param {
            GenericParam::Type(param) => Some(param.ident.clone()),
            GenericParam::Const(param) => Some(param.ident.clone()),
            GenericParam::Lifetime(_) => None,
        });
        let parameters: Vec<Ident> = parameters.collect();
        let turbofish = (!parameters.is_empty()).then(|| quote!(::<#(#parameters),*>));
        let method = call_ident();
        let call = quote!(<#world as #trait_name>::#method #turbofish(#(#arguments),*));
        sig.generics.params.push(parse_quote!(#world: #trait_name));
        if let Some((position, ty)) = &self.chooser {
            self.choose_by(&mut sig, *position, ty, &world);
        }
        if sig.generics.lt_token.is_none() {
            sig.generics.lt_token = Some(Default::default());
            sig.generics.gt_token = Some(Default::default());
        }
        (sig, call)
    }

    /// The argument that the function is chosen by, as its body takes it: what is lent is passed on as rustc would coerce it.
    fn passed_on(&self, argument: &TokenStream) -> TokenStream {
        let input = self.chooser.as_ref().and_then(|(position, _)| self.item.sig.inputs.iter().nth(*position));
        let lent = match input {
            Some(FnArg::Typed(input)) => match &*input.ty {
                Type::Reference(reference) => reference,
                _ => return argument.clone(),
            },
            _ => return argument.clone(),
        };
        let (of, lent) = match lent.mutability {
            Some(_) => (self.paths.private("InWorldMut"), quote!(lent_mut)),
            None => (self.paths.private("InWorld"), quote!(lent)),
        };
        quote!(#of::#lent(#argument))
    }

    /// Lets the type of an argument say which world is meant.
    fn choose_by(&self, sig: &mut Signature, position: usize, ty: &Type, world: &Ident) {
        let (mut in_world, world_trait) = (self.paths.private("InWorld"), self.paths.private("World"));
        let holder = format_ident!("Holder");
        let mut held = quote!(#holder);
        if let Some(FnArg::Typed(input)) = sig.inputs.iter_mut().nth(position) {
            match &mut *input.ty {
                Type::Reference(reference) => {
                    held = quote!(<#holder as #in_world>::Lent);
                    if reference.mutability.is_some() {
                        in_world = self.paths.private("InWorldMut");
                    }
                    *reference.elem = parse_quote!(#holder);
                }
                other => *other = parse_quote!(#holder),
            }
        }
        sig.generics.params.push(parse_quote!(#holder: #in_world<World = #world>));
        // Asked for by the declaration.
        let (known, yes) = (self.known.ask(ty, |_| false), self.paths.private("Known"));
        let known = known.map_or_else(|| quote!(#yes<true>), ToTokens::to_token_stream);
        let predicates = &mut sig.generics.make_where_clause().predicates;
        predicates.push(parse_quote!(#world: #world_trait<Of<#ty, #known> = #held>));
    }

    /// The user's signature with `tensor` for `Tensor`.
    fn signature(&self, tensor: Ident) -> Signature {
        let mut sig = self.item.sig.clone();
        map_whole_signature(&mut sig, &self.types(Target::Either(tensor)));
        sig
    }
}

/// The type of an argument that may hold tensors: one of the user's, not plain data by its name.
fn holder(ty: &Type) -> Option<&Type> {
    let ty = match ty {
        Type::Reference(reference) => &*reference.elem,
        ty => ty,
    };
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|_| path.qself.is_none() && !is_plain(ty))?;
    let name = last.ident.to_string();
    let plain = ["Config", "Cfg", "Params", "Args", "Options", "VarBuilder"].iter().any(|end| name.ends_with(end));
    (last.arguments.is_none() && !plain && !is_container(&name)).then_some(ty)
}

/// The same signature with the function itself as the first parameter, which a call of candle's function is checked by.
/// The bound tells rustc which instance of the function is meant.
fn checked(mut sig: Signature) -> Signature {
    let mut named = NamedParams::default();
    sig.inputs.iter_mut().for_each(|input| visit_mut::visit_fn_arg_mut(&mut named, input));
    let types = sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(input) => Some(&input.ty),
        FnArg::Receiver(_) => None,
    });
    let output = &sig.output;
    let function: GenericParam = parse_quote!(__FxFunction: ::core::ops::Fn(#(#types),*) #output);
    sig.inputs.insert(0, parse_quote!(_: __FxFunction));
    sig.generics.params.extend(named.0);
    sig.generics.params.push(function);
    sig
}

/// Gives the types of `impl Trait` arguments names.
#[derive(Default)]
struct NamedParams(Vec<GenericParam>);

impl VisitMut for NamedParams {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        if let syn::Type::ImplTrait(unnamed) = ty {
            let (name, bounds) = (format_ident!("__FxParam{}", self.0.len()), &unnamed.bounds);
            self.0.push(parse_quote!(#name: #bounds));
            *ty = parse_quote!(#name);
        } else {
            visit_mut::visit_type_mut(self, ty);
        }
    }
}

/// The method of the dispatch trait.
pub(crate) fn call_ident() -> Ident {
    Ident::new("__fx_call", Span::call_site())
}

/// Maps the types of a signature, those in its bounds included.
pub(crate) fn map_whole_signature(sig: &mut Signature, types: &Types<'_>) {
    crate::twin::map_signature(sig, types);
    map_bounds(&mut sig.generics, types);
}

fn map_bounds(generics: &mut Generics, types: &Types<'_>) {
    for param in generics.type_params_mut() {
        param.bounds.iter_mut().for_each(|bound| types.map_bound(bound));
    }
    for predicate in generics.where_clause.iter_mut().flat_map(|clause| &mut clause.predicates) {
        if let syn::WherePredicate::Type(predicate) = predicate {
            types.map(&mut predicate.bounded_ty);
            predicate.bounds.iter_mut().for_each(|bound| types.map_bound(bound));
        }
    }
}

/// Gives every parameter a plain name; the closure sees the position and the user's name, if there is one.
pub(crate) fn rename(sig: &mut Signature, mut name: impl FnMut(usize, Option<&Ident>) -> Ident) {
    for (position, input) in sig.inputs.iter_mut().enumerate() {
        if let FnArg::Typed(input) = input {
            let written = match &*input.pat {
                Pat::Ident(pat) => Some(&pat.ident),
                _ => None,
            };
            let name = name(position, written);
            *input.pat = parse_quote!(#name);
        }
    }
}

fn variable(input: &FnArg) -> Option<TokenStream> {
    match input {
        FnArg::Typed(input) => Some(input.pat.to_token_stream()),
        FnArg::Receiver(_) => None,
    }
}

/// A bound by candle's `Module` anywhere in a signature.
pub(crate) fn module_bound(sig: &Signature) -> Option<TypeParamBound> {
    struct Find(Option<TypeParamBound>);
    impl<'ast> Visit<'ast> for Find {
        fn visit_type_param_bound(&mut self, bound: &'ast TypeParamBound) {
            if is_module_bound(bound) {
                self.0.get_or_insert_with(|| bound.clone());
            }
            visit::visit_type_param_bound(self, bound);
        }
    }
    let mut find = Find(None);
    find.visit_signature(sig);
    find.0
}

/// Whether a signature has type parameters or `impl Trait` arguments.
pub(crate) fn is_generic(sig: &Signature) -> bool {
    struct Find(bool);
    impl<'ast> Visit<'ast> for Find {
        fn visit_type_impl_trait(&mut self, _: &'ast syn::TypeImplTrait) {
            self.0 = true;
        }
    }
    let mut find = Find(sig.generics.type_params().next().is_some() || sig.generics.const_params().next().is_some());
    find.visit_signature(sig);
    find.0
}
