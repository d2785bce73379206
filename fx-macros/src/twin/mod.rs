//! The twin of an impl: the same methods on the mirror, compiled in the shadow world.
//!
//! `select.rs` says which methods, `types.rs` which types their signatures have, `body.rs` (with `calls.rs`, `compare.rs`,
//! `literals.rs` and `variants.rs`) what changes in their bodies, `shadow.rs` which names are in scope, `entry.rs` how a trace enters, with
//! arguments as `parameters.rs` takes them.
//!
//! Invariant: a twin's tokens are the user's, spans included. What is added around them never binds a name the
//! user could have written.

mod associated;
pub(crate) mod body;
mod calls;
mod compare;
mod conditions;
mod decisions;
pub(crate) mod data;
pub(crate) mod entry;
pub(crate) mod fallbacks;
mod layers;
pub(crate) mod literals;
pub(crate) mod names;
pub(crate) mod parameters;
pub(crate) mod select;
pub(crate) mod shadow;
pub(crate) mod types;
mod variants;
mod weights;

use proc_macro2::{Delimiter, Group, Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::visit_mut::VisitMut;
use syn::{
    FnArg, Generics, ImplItem, ImplItemFn, ItemImpl, Path, ReturnType, Signature, Type, TypeParamBound, TypePath,
    Visibility, parse_quote,
};

use crate::attributes::{allow_generated, cfgs, for_twin};
use crate::errors::{Errors, Message};
use crate::known::{self, Known};
use crate::mirror::{mirror_ident, traceable_generics};
use crate::options::{MethodOptions, ModuleOptions, take_method_options};
use crate::paths::Paths;
use crate::traits;
use body::Body;
use fallbacks::Fallbacks;
use names::Names;
use types::{Target, Types};

/// What an impl is of, as far as twins differ by it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImplKind {
    Inherent,
    Module,
    ModuleT,
    /// A trait of the user's: its methods become inherent methods of the mirror.
    Other,
    /// A trait of the user's that is one for both worlds (`traits.rs`): the mirror implements it.
    Mirrored,
}

/// An annotated impl with what it gets besides, and what stands beside it. Takes the `#[fx(…)]` attributes off its methods.
pub(crate) fn expand_impl(
    item: &mut ItemImpl,
    of: ModuleOptions,
    paths: &Paths,
    errors: &Errors,
) -> (ItemImpl, TokenStream) {
    let options: Vec<MethodOptions> = item.items.iter_mut().map(|item| method_options(item, errors)).collect();
    if let Some(unsafety) = &item.unsafety {
        errors.report(unsafety, Message::UnsafeImpl);
    }
    let of_tensor = of.mirrored && matches!(&*item.self_ty, Type::Path(ty) if types::is_tensor(&ty.path));
    let of_any = |own: &Ident| item.generics.type_params().any(|param| param.ident == *own);
    let named = mirror_path(&item.self_ty).filter(|(mirror, own)| !of_any(own) && !is_standard(mirror, own));
    let Some((mirror, own)) = named else {
        errors.report(&item.self_ty, Message::SelfType);
        return (item.clone(), TokenStream::new());
    };
    let proxy = paths.symbolic("Tensor");
    let mirror = if of_tensor { parse_quote!(#proxy) } else { mirror };
    let kind = if of.mirrored { ImplKind::Mirrored } else { impl_kind(item) };
    let select::Selected { methods: selected, traced } = select::methods(item, &options, &own, of.mirrored, errors);
    if selected.is_empty() {
        return (item.clone(), TokenStream::new());
    }
    if !of.specialize {
        traced.iter().for_each(|method| data::report_reads(&method.block, errors));
    }

    let unique = unique_name(item, &mirror, &selected[0].sig);
    let known = Known::named(&unique);
    let mut aliases = literals::Aliases::default();
    let mut fallbacks = Fallbacks::default();
    let mut used = Names::default();
    let mut twins = Vec::new();
    let mut entries = Vec::new();
    let selected_names: Vec<Ident> = selected.iter().map(|method| method.sig.ident.clone()).collect();
    for method in &selected {
        let mut types = types_for(item, &method.sig, &of.bounds, paths).asking(&known);
        known.under(&self::cfgs(&method.attrs));
        let takes_weights = select::takes_weights(&method.sig);
        let builds = takes_weights && kind != ImplKind::Mirrored;
        if builds {
            types = types.of_builder();
        }
        let mut twin = (*method).clone();
        map_signature(&mut twin.sig, &types);
        if takes_weights && !builds {
            // The trait asks for it; mirrors are made by tracers.
            twin.block = not_made(&method.sig.ident, paths);
            twin.attrs = for_twin(&method.attrs);
            twin.vis = Visibility::Inherited;
            used.signature(&twin.sig);
            twins.push(twin);
            continue;
        }
        let mut body = Body::new(&types, &method.sig, &method.block, &selected_names, paths).of_impl(item);
        if builds {
            body = body.of_builder(&method.sig, &method.block);
        }
        body.visit_block_mut(&mut twin.block);
        if let Some(holds) = conditions::of(&method.attrs) {
            body.only_where(&holds);
        }
        aliases.extend(body.aliases);
        fallbacks.extend(body.fallbacks);
        used.signature(&twin.sig);
        used.block(&twin.block);
        let mut first = Vec::new();
        if builds && let Some(weights) = crate::builder::weights_variable(&method.sig) {
            let (guard, name) = (Ident::new("__fx_builds", proc_macro2::Span::mixed_site()), own.unraw().to_string());
            first.push(parse_quote!(let #guard = #weights.builds(#name);));
        }
        if let Some(entry) = entry::Entry::new(kind, &method.sig, &types) {
            let reason = entry.not_whole(item, &method.sig);
            first.push(match reason {
                None => entry.whole_statement(&method.sig, &twin.sig.output, paths),
                Some(reason) => entry::not_whole_statement(&method.sig, reason, paths),
            });
            entries.push((entry, reason.is_none(), cfgs(&method.attrs)));
        } else if entry::is_forward(kind, &method.sig) && select::is_module_call(&method.sig) {
            let reason = "takes arguments that a graph cannot pass: they are generic, or borrow in a way of their own";
            first.push(entry::not_whole_statement(&method.sig, reason, paths));
        }
        if select::is_module_call(&method.sig) && !of_tensor {
            first.push(enter_statement(&method.sig, paths));
        }
        twin.block.stmts.splice(0..0, first);
        twin.attrs = for_twin(&method.attrs);
        match kind {
            // The user's own span, where rustc says that there are two.
            ImplKind::Other => twin.vis = Visibility::Public(syn::Token![pub](method.sig.fn_token.span)),
            ImplKind::Mirrored => twin.vis = Visibility::Inherited,
            _ => {}
        }
        twins.push(twin);
    }
    let associated = associated::functions(item, &selected_names, &own, &mirror, &mut used, paths, errors);
    let constants = constants(item, &used, kind);

    let generics = twin_generics(&item.generics, &of.bounds, paths);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let of_trait = match kind {
        ImplKind::Inherent | ImplKind::Other => None,
        ImplKind::Module => Some(paths.symbolic("Module")),
        ImplKind::ModuleT => Some(paths.symbolic("ModuleT")),
        ImplKind::Mirrored => item.trait_.as_ref().map(|(path, _)| in_world(path, paths.symbolic("Tensor"))),
    }
    .map(|path| quote!(#path for));
    // The mirror is where the type is, and an import of the type does not bring it. A parameter of the impl has to occur in
    // the type itself.
    let by_type = match kind {
        ImplKind::Mirrored => !of_tensor && item.generics.params.is_empty(),
        ImplKind::Module | ImplKind::ModuleT => item.generics.params.is_empty() && mirror.get_ident().is_some(),
        ImplKind::Inherent | ImplKind::Other => false,
    };
    let of_traceable = by_type.then(|| known::trait_of(known.ask(&item.self_ty, |_| false), paths));
    let (mut of_mirror, mut in_whole) = <(Fallbacks, Fallbacks)>::default();
    let of_type = match &of_traceable {
        Some(traceable) => {
            let mut ty = (*item.self_ty).clone();
            types::Unshadow(paths).visit_type_mut(&mut ty);
            let of_type = known::function_of(&ty, traceable.clone(), "Symbolic");
            if mirror.get_ident().is_some() {
                let here = match kind {
                    ImplKind::Module => mirror_here(&ty, &of_type, "Module", paths),
                    ImplKind::ModuleT => mirror_here(&ty, &of_type, "ModuleT", paths),
                    _ => of_type.clone(),
                };
                of_mirror = Fallbacks::of_mirror(mirror_ident(&own), here);
                in_whole = Fallbacks::of_mirror(mirror_ident(&own), of_type);
                mirror.to_token_stream()
            } else {
                of_type
            }
        }
        None => mirror.to_token_stream(),
    };
    let (cfgs, allow) = (cfgs(&item.attrs), allow_generated());
    let builder = kind != ImplKind::Mirrored && selected.iter().any(|method| select::takes_weights(&method.sig));
    let (imports, aliases) = (shadow::imports(&used, builder, paths), aliases.declare());
    let whole_methods = entries.iter().filter(|(_, whole, _)| *whole).map(|(entry, _, method_attrs)| {
        let implementation = entry.whole_method(&generics, item, &mirror, paths);
        let implementation = in_whole.around(implementation, paths);
        quote!(#(#cfgs)* #(#method_attrs)* #allow const _: () = { #implementation };)
    });
    let whole_methods: Vec<TokenStream> = whole_methods.collect();
    let entries = entries.iter().map(|(entry, _, method_attrs)| {
        let implementation = entry.implement(&generics, &mirror, paths);
        quote!(#(#method_attrs)* #implementation)
    });
    let (outside, inside) = (&associated.outside, &associated.inside);
    let objects =
        item.items.iter().all(|member| matches!(member, ImplItem::Fn(method) if traits::can_be_dyn(&method.sig)));
    let object_of = of_traceable.filter(|_| objects && kind == ImplKind::Mirrored);
    let known = known.declare_asked(&cfgs, paths);
    let annotated = (!of_tensor && !by_type && item.generics.params.is_empty()).then(|| {
        let checked = annotated(item, paths);
        quote!(#(#cfgs)* const _: () = { #checked };)
    });
    let object_held = object_of.as_ref().map(|traceable| object_held(item, traceable, paths));
    // What rustc says of the whole impl, such as that a method is missing, it then says of both alike, and once.
    let impl_token = &item.impl_token;
    let mut members = Group::new(Delimiter::Brace, quote!(#(#constants)* #(#twins)* #object_held));
    members.set_span(item.brace_token.span.join());
    let twin = quote! {
        #imports
        #aliases
        #impl_token #impl_generics #of_trait #of_type #where_clause #members
        #(#entries)*
        #inside
    };
    fallbacks.extend(of_mirror);
    let twin = fallbacks.around(twin, paths);
    let expansion = quote! {
        #known
        #(#whole_methods)*
        #outside
        #(#cfgs)* #allow
        const _: () = { #twin };
        #annotated
    };
    let mut written = item.clone();
    if let Some(items) = associated.items {
        written.items = items;
    }
    if let Some(traceable) = &object_of {
        written.items.extend(object_methods(item, traceable, paths));
    }
    (written, expansion)
}

/// The mirror of a type as the type leads to it, if the impl stands in the type's module. In another it is refused where it is used:
/// of a type that is known by what it is mirrored to, rustc would not know in the crates that use this one what it is.
fn mirror_here(ty: &Type, symbolic: &TokenStream, of_trait: &str, paths: &Paths) -> TokenStream {
    let [mirror, known, known_in, is_same] =
        ["Mirror", "Known", "TraceableIn", "is_same_module"].map(|name| paths.private(name));
    let (start, _) = known::ends(ty.to_token_stream());
    let name = ty.to_token_stream();
    let message = format!(
        "this is not the module of `{name}`, and an import does not bring its mirror: write its path, as in \
         `impl {of_trait} for layers::{name}`, or move the impl beside it"
    );
    let holds = quote!(#is_same(<#symbolic as #mirror>::MODULE, ::core::module_path!()));
    let here = known::located(quote!(::core::assert!(#holds, #message)), start);
    known::function_of(ty, quote!(#known_in<#known<{ #here; true }>>), "Symbolic")
}

/// A name for what is generated beside the impl: a type has a method of a name once, in its own impls or in one of a trait's.
fn unique_name(item: &ItemImpl, mirror: &Path, sig: &Signature) -> String {
    let of_trait = item.trait_.as_ref().and_then(|(path, _)| path.segments.last());
    let words = |segment: &syn::PathSegment| {
        let text = segment.to_token_stream().to_string().replace("r#", "");
        text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect::<String>()
    };
    let own = mirror.segments.last().map(words).unwrap_or_default();
    let own = own.trim_start_matches("__Fx");
    format!("{own}_{}{}", of_trait.map_or(String::new(), |of| format!("{}_", words(of))), sig.ident.unraw())
}

/// What rustc explains if the type has no attribute, besides the mirror that it does not find.
fn annotated(item: &ItemImpl, paths: &Paths) -> TokenStream {
    let (ty, traceable) = (&item.self_ty, paths.traceable());
    quote! {
        const fn annotated<T: #traceable>() {}
        annotated::<#ty>();
    }
}

/// `Block<Proxy>` for the trait `Block`.
fn in_world(path: &Path, proxy: TokenStream) -> TokenStream {
    let mut path = path.clone();
    if let Some(last) = path.segments.last_mut() {
        let written = match &last.arguments {
            syn::PathArguments::AngleBracketed(arguments) => arguments.args.to_token_stream(),
            _ => TokenStream::new(),
        };
        let comma = (!written.is_empty()).then(|| quote!(,));
        last.arguments = syn::PathArguments::AngleBracketed(parse_quote!(<#written #comma #proxy>));
    }
    quote!(#path)
}

/// The method by which the mirror of an object says what it holds.
fn object_held(item: &ItemImpl, traceable: &TokenStream, paths: &Paths) -> TokenStream {
    let (name, of_type) = (traits::held_method(), known::function_of(&item.self_ty, traceable.clone(), "held"));
    let (held, holding) = (paths.private("Held"), paths.private("Holding"));
    quote! {
        fn #name(&self, holding: &mut #holding) -> #held { #of_type(self, holding) }
    }
}

/// The methods by which an object of the trait finds its mirror and lends its parts.
fn object_methods(item: &ItemImpl, traceable: &TokenStream, paths: &Paths) -> [ImplItem; 2] {
    let (name, scope) = (traits::mirror_method(), paths.scope());
    let [symbolic, lend] = ["symbolic", "part"].map(|name| known::function_of(&item.self_ty, traceable.clone(), name));
    let (part_method, part) = (traits::part_method(), paths.private("Part"));
    let object = item.trait_.as_ref().map(|(path, _)| in_world(path, paths.symbolic("Tensor")));
    let mirror = parse_quote! {
        #[doc(hidden)]
        fn #name(&self, scope: &#scope) -> ::core::option::Option<::std::boxed::Box<dyn #object>> {
            ::core::option::Option::Some(::std::boxed::Box::new(#symbolic(self, scope)))
        }
    };
    let part = parse_quote! {
        #[doc(hidden)]
        fn #part_method(&self, step: usize) -> ::core::option::Option<#part<'_>> { #lend(self, step) }
    };
    [mirror, part]
}

/// The body of a constructor in the impl of a trait for both worlds.
fn not_made(name: &Ident, paths: &Paths) -> syn::Block {
    let (not_made, name) = (paths.private("not_made"), name.to_string());
    parse_quote!({ #not_made(#name) })
}

/// Nodes that the method records are recorded in its module.
fn enter_statement(sig: &Signature, paths: &Paths) -> syn::Stmt {
    let enter = paths.whole("enter");
    let entered = Ident::new("__fx_entered", proc_macro2::Span::mixed_site());
    let this = entry::this(sig);
    parse_quote!(let #entered = #enter(&*#this);)
}

fn method_options(item: &mut ImplItem, errors: &Errors) -> MethodOptions {
    match item {
        ImplItem::Fn(method) => take_method_options(&mut method.attrs, errors),
        _ => MethodOptions::default(),
    }
}

/// `__FxBlock<M>` for `Block<M>`, and the name `Block`.
fn mirror_path(self_ty: &Type) -> Option<(Path, Ident)> {
    let mut mirror = self_type(self_ty)?.path.clone();
    let last = mirror.segments.last_mut()?;
    let own = last.ident.clone();
    last.ident = mirror_ident(&own);
    Some((mirror, own))
}

/// Whether a type is one of the standard library that holds others, `Box<Block>` or `Vec<Block>`.
fn is_standard(mirror: &Path, own: &Ident) -> bool {
    let holds = mirror.segments.last().is_some_and(|last| !last.arguments.is_none());
    holds && types::is_container(&own.to_string())
}

/// The type that an impl is of, if it is named.
fn self_type(ty: &Type) -> Option<&TypePath> {
    match ty {
        Type::Path(ty) if ty.qself.is_none() => Some(ty),
        Type::Group(group) => self_type(&group.elem),
        Type::Paren(paren) => self_type(&paren.elem),
        _ => None,
    }
}

fn impl_kind(item: &ItemImpl) -> ImplKind {
    let Some((path, _)) = &item.trait_ else {
        return ImplKind::Inherent;
    };
    // A trait of that name with other methods is the user's, or a mistake, of which rustc speaks where it is made.
    let is_tensor = |ty: &Type| matches!(ty, Type::Path(ty) if types::is_tensor(&ty.path));
    let lent_a_tensor = |sig: &Signature| match sig.inputs.iter().nth(1) {
        Some(FnArg::Typed(input)) => !is_tensor(&input.ty),
        _ => false,
    };
    let returns_a_result = |sig: &Signature| match &sig.output {
        ReturnType::Type(_, ty) => !is_tensor(ty),
        ReturnType::Default => false,
    };
    let has_only = |name: &str, arguments: usize| {
        item.items.iter().all(|member| match member {
            ImplItem::Fn(ImplItemFn { sig, .. }) => {
                let is_named = sig.ident == name && sig.inputs.len() == 1 + arguments;
                is_named && lent_a_tensor(sig) && returns_a_result(sig)
            }
            _ => false,
        })
    };
    match path.segments.last() {
        Some(segment) if segment.ident == "Module" && has_only("forward", 1) => ImplKind::Module,
        Some(segment) if segment.ident == "ModuleT" && has_only("forward_t", 2) => ImplKind::ModuleT,
        _ => ImplKind::Other,
    }
}

fn types_for<'a>(item: &ItemImpl, sig: &Signature, mirrored: &[Path], paths: &'a Paths) -> Types<'a> {
    let mut types = Types::new(Target::Twin, paths);
    for param in with_bounds_inside(&item.generics).type_params() {
        if param.bounds.iter().any(|bound| is_module_bound(bound) || is_among(bound, mirrored)) {
            types.mirror_param(&param.ident);
        } else {
            types.keep_param(&param.ident);
        }
    }
    types.keep_generics(&sig.generics);
    for param in item.generics.const_params() {
        types.keep_param(&param.ident);
    }
    if let Type::Path(ty) = &*item.self_ty
        && ty.path.segments.len() == 1
    {
        types.own(&ty.path.segments[0]);
    }
    for associated in &item.items {
        if let ImplItem::Type(associated) = associated {
            types.associated(&associated.ident, &associated.ty);
        }
    }
    types
}

pub(crate) fn map_signature(sig: &mut Signature, types: &Types<'_>) {
    for input in &mut sig.inputs {
        if let FnArg::Typed(input) = input {
            // One that may not be there is not asked for beside the others.
            let certain = input.attrs.iter().all(|attribute| !attribute.path().is_ident("cfg"));
            if certain { types.map(&mut input.ty) } else { types.with_locals([]).map(&mut input.ty) }
        }
    }
    if let ReturnType::Type(_, ty) = &mut sig.output {
        types.map(ty);
    }
}

/// Whether a bound is candle's `Module` or `ModuleT`.
pub(crate) fn is_module_bound(bound: &TypeParamBound) -> bool {
    matches!(bound, TypeParamBound::Trait(bound)
        if bound.path.segments.last().is_some_and(|last| last.ident == "Module" || last.ident == "ModuleT"))
}

/// Whether a bound is one of these traits.
fn is_among(bound: &TypeParamBound, traits: &[Path]) -> bool {
    let text = |path: &Path| path.to_token_stream().to_string();
    matches!(bound, TypeParamBound::Trait(bound) if traits.iter().any(|path| text(path) == text(&bound.path)))
}

/// The same generics with the bounds that a `where` clause puts on type parameters beside the parameters.
fn with_bounds_inside(generics: &Generics) -> Generics {
    let mut inside = generics.clone();
    let Some(clause) = inside.where_clause.take() else {
        return inside;
    };
    for predicate in clause.predicates {
        if let syn::WherePredicate::Type(bounds) = &predicate
            && bounds.lifetimes.is_none()
            && let syn::Type::Path(bounded) = &bounds.bounded_ty
            && let Some(param) = inside.type_params_mut().find(|param| bounded.path.is_ident(&param.ident))
        {
            param.bounds.extend(bounds.bounds.clone());
        } else {
            inside.make_where_clause().predicates.push(predicate);
        }
    }
    inside
}

/// The generics of a twin impl: the user's, with each type parameter traceable, and a layer in the shadow world
/// where it is one in candle's; so with the `mirrored` traits of the user's.
fn twin_generics(generics: &Generics, mirrored: &[Path], paths: &Paths) -> Generics {
    let mut twin = traceable_generics(&with_bounds_inside(generics), paths);
    let traceable = paths.traceable();
    let mut symbolic_bounds: Vec<syn::WherePredicate> = Vec::new();
    for param in twin.type_params_mut() {
        let name = param.ident.clone();
        for bound in &mut param.bounds {
            if is_among(bound, mirrored) {
                let TypeParamBound::Trait(bound) = bound else {
                    continue;
                };
                let symbolic = in_world(&bound.path, paths.symbolic("Tensor"));
                symbolic_bounds.push(parse_quote!(<#name as #traceable>::Symbolic: #symbolic));
                continue;
            }
            if !is_module_bound(bound) {
                continue;
            }
            let TypeParamBound::Trait(bound) = bound else {
                continue;
            };
            let last = bound.path.segments.last().expect("a path has a segment").ident.to_string();
            let symbolic = paths.symbolic(&last);
            symbolic_bounds.push(parse_quote!(<#name as #traceable>::Symbolic: #symbolic));
            // The user's `Module` may be shadowed in this scope; the mirror's own bound is candle's.
            let candle = paths.candle();
            let last = &bound.path.segments.last().expect("a path has a segment").ident;
            bound.path = parse_quote!(#candle::#last);
        }
    }
    if !symbolic_bounds.is_empty() {
        twin.make_where_clause().predicates.extend(symbolic_bounds);
    }
    twin
}

/// The associated constants that twins use as `Self::NAME`, and those which these use.
fn constants(item: &ItemImpl, used: &Names, kind: ImplKind) -> Vec<syn::ImplItemConst> {
    // `Module` and `ModuleT` have none.
    let mut wanted: Vec<String> = used.own.iter().cloned().collect();
    let mut found: Vec<&syn::ImplItemConst> = Vec::new();
    while let Some(name) = wanted.pop() {
        for candidate in &item.items {
            let ImplItem::Const(constant) = candidate else {
                continue;
            };
            if constant.ident == name && !found.iter().any(|known| known.ident == constant.ident) {
                let mut names = Names::default();
                names.expr(&constant.expr);
                wanted.extend(names.own);
                found.push(constant);
            }
        }
    }
    let in_order = item.items.iter().filter_map(|candidate| match candidate {
        ImplItem::Const(constant) if found.iter().any(|known| known.ident == constant.ident) => Some(constant),
        _ => None,
    });
    in_order
        .map(|constant| {
            let mut constant = constant.clone();
            constant.attrs = for_twin(&constant.attrs);
            match kind {
                ImplKind::Other => constant.vis = Visibility::Public(Default::default()),
                ImplKind::Mirrored => constant.vis = Visibility::Inherited,
                _ => {}
            }
            constant
        })
        .collect()
}

/// A method that is in the impl and gets a twin.
pub(crate) type Method<'a> = &'a ImplItemFn;
