//! The twin of an impl: the same methods on the mirror, compiled in the shadow world.
//!
//! `select.rs` says which methods, `types.rs` which types their signatures have, `body.rs` (with `calls.rs`, `compare.rs`,
//! `decisions.rs`, `rounding.rs`, `literals.rs` and `variants.rs`) what changes in their bodies, `conditions.rs` where that is compiled, `shadow.rs` which names
//! are in scope, `entry.rs` how a trace enters, with arguments as `parameters.rs` takes them.
//!
//! Invariant: a twin's tokens are the user's, spans included. What is added around them never binds a name the
//! user could have written.

mod arguments;
mod associated;
mod bindings;
pub(crate) mod body;
mod calls;
mod compare;
mod conditions;
mod decisions;
pub(crate) mod data;
pub(crate) mod entry;
pub(crate) mod fallbacks;
mod generics;
mod kind;
mod layers;
pub(crate) mod literals;
pub(crate) mod names;
pub(crate) mod parameters;
mod rounding;
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
    FnArg, ImplItem, ImplItemFn, ItemImpl, Path, ReturnType, Signature, Type, TypeParamBound, TypePath, Visibility,
    parse_quote,
};

use crate::attributes::{allow_generated, cfgs, for_twin};
use crate::dispatch::map_whole_signature;
use crate::errors::{Errors, Message};
use crate::known::{self, Known};
use crate::mirror::mirror_ident;
use crate::options::{MethodOptions, ModuleOptions, take_method_options};
use crate::paths::Paths;
use crate::traits;
use body::Body;
use fallbacks::Fallbacks;
pub(crate) use generics::is_module_bound;
use generics::{bound_traits, is_plain_bound, twin_generics, with_bounds_inside};
use kind::{ImplKind, impl_kind};
use names::Names;
use types::{Target, Types};

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
    let select::Selected { methods: selected, traced } = select::methods(item, &options, &own, kind.is_whole(), errors);
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
        let mut types = types_for(item, &method.sig, &of, paths).asking(&known);
        known.under(&self::cfgs(&method.attrs));
        let takes_weights = select::takes_weights(&method.sig);
        let builds = takes_weights && !kind.is_whole();
        if builds {
            types = types.of_builder();
        }
        let mut twin = (*method).clone();
        map_whole_signature(&mut twin.sig, &types);
        // What records is no constant.
        twin.sig.constness = None;
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
            kind if kind.is_whole() => twin.vis = Visibility::Inherited,
            _ => {}
        }
        twins.push(twin);
    }
    let owner = associated::Owner { own: &own, mirror: &mirror, bounds: &of.bounds };
    let associated = associated::functions(item, &selected_names, owner, &mut used, paths, errors);
    let constants = constants(item, &used, kind);

    let generics = twin_generics(&item.generics, &of.bounds, paths);
    let header = types_for(item, &selected[0].sig, &of, paths).asking(&known);
    let associated_types = item.items.iter().filter_map(|member| match member {
        ImplItem::Type(member) if kind == ImplKind::Standard => {
            let mut member = member.clone();
            header.map(&mut member.ty);
            member.attrs = for_twin(&member.attrs);
            Some(member)
        }
        _ => None,
    });
    let associated_types: Vec<syn::ImplItemType> = associated_types.collect();
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let of_trait = match kind {
        ImplKind::Inherent | ImplKind::Other => None,
        ImplKind::Module => Some(paths.symbolic("Module")),
        ImplKind::ModuleT => Some(paths.symbolic("ModuleT")),
        ImplKind::Mirrored => item.trait_.as_ref().map(|(path, _)| in_world(path, paths.symbolic("Tensor"))),
        ImplKind::Standard => item.trait_.as_ref().map(|(path, _)| {
            let mut bound: TypeParamBound = parse_quote!(#path);
            header.map_bound(&mut bound);
            bound.to_token_stream()
        }),
    }
    .map(|path| quote!(#path for));
    // The mirror is where the type is, and an import of the type does not bring it. A parameter of the impl has to occur in
    // the type itself.
    let by_type = match kind {
        ImplKind::Module | ImplKind::ModuleT => item.generics.params.is_empty() && mirror.get_ident().is_some(),
        _ => kind.is_whole() && !of_tensor && item.generics.params.is_empty(),
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
    let builder = !kind.is_whole() && selected.iter().any(|method| select::takes_weights(&method.sig));
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
    let bounds = bound_traits(item, selected.iter().map(|method| &method.sig));
    // What rustc says of the whole impl, such as that a method is missing, it then says of both alike, and once.
    let impl_token = &item.impl_token;
    let members = quote!(#(#associated_types)* #(#constants)* #(#twins)* #object_held);
    let mut members = Group::new(Delimiter::Brace, members);
    members.set_span(item.brace_token.span.join());
    let twin = quote! {
        #imports
        #aliases
        #(#allow use #bounds as _;)*
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
pub(crate) fn in_world(path: &Path, proxy: TokenStream) -> TokenStream {
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
pub(crate) fn not_made(name: &Ident, paths: &Paths) -> syn::Block {
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

fn types_for<'a>(item: &ItemImpl, sig: &Signature, of: &ModuleOptions, paths: &'a Paths) -> Types<'a> {
    let mut types = Types::new(Target::Twin, paths);
    of.bounds.iter().for_each(|bound| types.both_worlds(bound));
    if let (true, Some((path, _))) = (of.mirrored, &item.trait_) {
        types.both_worlds(path);
    }
    // What is of a parameter's type in the original is of its mirror's in the mirror.
    for param in with_bounds_inside(&item.generics).type_params() {
        match param.bounds.iter().any(is_plain_bound) {
            true => types.keep_param(&param.ident),
            false => types.mirror_param(&param.ident),
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
                kind if kind.is_whole() => constant.vis = Visibility::Inherited,
                _ => {}
            }
            constant
        })
        .collect()
}

/// A method that is in the impl and gets a twin.
pub(crate) type Method<'a> = &'a ImplItemFn;
