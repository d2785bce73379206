//! Which types of an item must have mirrors: asked in one place, so that rustc says once what cannot be mirrored.
//!
//! ```text
//! type __FxKnown_Model = Known<{ let _ = <Rope as Traceable>::symbolic; true }>;
//! struct __FxModel { rope: <Rope as TraceableIn<__FxKnown_Model>>::Symbolic }
//! ```
//!
//! Where `Rope` has no mirror, the constant is an error, and so is, without another word, all that follows from it
//! (`fx-core`'s `trace/known.rs`).
//!
//! A type that depends on the item's parameters, which no constant can name, is asked about part by part, `(M, Rope)` for `Rope`.
//!
//! Invariant: where nothing can be asked about, or need be, the type is asked for `Traceable` itself.

use std::cell::RefCell;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{IdentFragment, ToTokens, format_ident, quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, GenericArgument, Generics, Lifetime, PathArguments, Type};

use crate::attributes::allow_generated;
use crate::paths::Paths;
use crate::twin::types::{holds_mirrors, is_plain, is_tensor};

/// The name by which an item says whether its types are known, and the parameters that types may depend on.
pub(crate) struct Known {
    alias: Ident,
    params: Vec<String>,
    /// What the item's signatures have asked for, each with what decides whether it is there.
    asked: RefCell<Vec<(String, TokenStream, Type)>>,
    /// What decides whether the signature is there that asks now.
    cfgs: RefCell<TokenStream>,
    /// A statement that asks instead, where more is needed of the types than a mirror.
    instead: RefCell<Option<TokenStream>>,
}

impl Known {
    /// Of the item that `owner` names.
    pub(crate) fn new(owner: &Ident, generics: &Generics) -> Self {
        let types = generics.type_params().map(|param| param.ident.to_string());
        let consts = generics.const_params().map(|param| param.ident.to_string());
        Known { params: types.chain(consts).collect(), ..Known::named(&owner) }
    }

    /// Of an item that has signatures: the parameters are those of each.
    pub(crate) fn named(owner: &dyn IdentFragment) -> Self {
        let alias = format_ident!("__FxKnown_{}", owner);
        Known {
            alias,
            params: Vec::new(),
            asked: RefCell::default(),
            cfgs: RefCell::default(),
            instead: RefCell::default(),
        }
    }

    /// A type of the item.
    pub(crate) fn of(&self, ty: &Type) -> KnownType {
        let mut parts = Vec::new();
        parts_of(ty, &|name| self.params.iter().any(|param| param == name), &mut parts);
        let asked = (!parts.is_empty()).then(|| (self.alias.clone(), parts));
        KnownType { ty: ty.clone(), asked }
    }

    /// From here on, signatures are asking that these attributes decide about.
    pub(crate) fn under(&self, cfgs: &[&Attribute]) {
        *self.cfgs.borrow_mut() = quote!(#(#cfgs)*);
    }

    /// Asks for a type of a signature; none if it depends on what `depends` names.
    pub(crate) fn ask(&self, ty: &Type, depends: impl Fn(&str) -> bool) -> Option<&Ident> {
        let (mut parts, cfgs) = (Vec::new(), self.cfgs.borrow().clone());
        parts_of(ty, &depends, &mut parts);
        let mut asked = self.asked.borrow_mut();
        let asks = !parts.is_empty();
        for part in parts {
            let text = quote!(#cfgs #part).to_string();
            if !asked.iter().any(|(known, ..)| *known == text) {
                asked.push((text, cfgs.clone(), part));
            }
        }
        asks.then_some(&self.alias)
    }

    /// Has this statement ask for what signatures ask for.
    pub(crate) fn ask_by(&self, statement: TokenStream) {
        *self.instead.borrow_mut() = Some(statement);
    }

    /// The constant that asks for all that signatures have asked for.
    pub(crate) fn declare_asked(&self, cfgs: &[&Attribute], paths: &Paths) -> TokenStream {
        let asked = self.asked.borrow();
        if let (Some(instead), false) = (&*self.instead.borrow(), asked.is_empty()) {
            return self.alias(vec![instead.clone()], cfgs, paths);
        }
        let asks = asked.iter().map(|(_, cfgs, closed)| {
            let path = function_of(closed, paths.traceable(), "symbolic");
            quote!(#cfgs let _ = #path;)
        });
        self.alias(asks.collect(), cfgs, paths)
    }

    /// The constant that asks for these types, each with what decides whether it is there; nothing if there are none.
    pub(crate) fn declare<'t>(
        &self,
        types: impl IntoIterator<Item = (Vec<&'t Attribute>, &'t KnownType)>,
        cfgs: &[&Attribute],
        paths: &Paths,
    ) -> TokenStream {
        let asks = types.into_iter().flat_map(|(cfgs, known)| {
            let parts = known.asked.iter().flat_map(|(_, parts)| parts);
            parts.map(move |part| {
                let path = function_of(part, paths.traceable(), "symbolic");
                quote!(#(#cfgs)* let _ = #path;)
            })
        });
        self.alias(asks.collect(), cfgs, paths)
    }

    fn alias(&self, asks: Vec<TokenStream>, cfgs: &[&Attribute], paths: &Paths) -> TokenStream {
        if asks.is_empty() {
            return TokenStream::new();
        }
        let (alias, known, allow) = (&self.alias, paths.private("Known"), allow_generated());
        quote! {
            #(#cfgs)* #[doc(hidden)] #allow
            type #alias = #known<{ #(#asks)* true }>;
        }
    }
}

/// A type that must have a mirror, and how the item asks for it.
pub(crate) struct KnownType {
    pub(crate) ty: Type,
    /// The name under which it was asked for, and as what.
    asked: Option<(Ident, Vec<Type>)>,
}

impl KnownType {
    /// `<T as Traceable>::name`, spanned on the type, from its first token to its last.
    pub(crate) fn function(&self, name: &str, paths: &Paths) -> TokenStream {
        function_of(&self.ty, trait_of(self.asked.as_ref().map(|(alias, _)| alias), paths), name)
    }
}

/// The trait by which an item asks for the mirror of a type.
pub(crate) fn trait_of(asked: Option<&Ident>, paths: &Paths) -> TokenStream {
    match asked {
        Some(alias) => {
            let traceable = paths.private("TraceableIn");
            quote!(#traceable<#alias>)
        }
        None => paths.traceable(),
    }
}

/// `<world as World>::Of<ty, …>`.
pub(crate) fn in_world(name: &Ident, ty: &Type, asked: Option<&Ident>, paths: &Paths) -> TokenStream {
    let (world, known) = (paths.private("World"), paths.private("Known"));
    let known = asked.map_or_else(|| quote!(#known<true>), ToTokens::to_token_stream);
    quote_spanned!(ends(ty.to_token_stream()).0=> <#name as #world>::Of<#ty, #known>)
}

/// Where the first token is, and the last.
pub(crate) fn ends(tokens: TokenStream) -> (Span, Span) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let first = tokens.first().map_or_else(Span::call_site, TokenTree::span);
    let last = match tokens.last() {
        Some(TokenTree::Group(group)) => group.span_close(),
        Some(token) => token.span(),
        None => first,
    };
    (first, last)
}

/// `<ty as of>::name`: whatever rustc says of it, it says of the whole type.
pub(crate) fn function_of(ty: &Type, of: TokenStream, name: &str) -> TokenStream {
    let (first, last) = ends(ty.to_token_stream());
    // The user's own spans at both ends: rustc says a thing once of one place, and the type itself is that place.
    let (of, name) = (located(of, first), Ident::new(name, last));
    let (open, then) = (quote_spanned!(first=> <), quote_spanned!(first=> as #of>::));
    quote!(#open #ty #then #name)
}

/// The same tokens, which rustc shows at another place.
pub(crate) fn located(tokens: TokenStream, at: Span) -> TokenStream {
    let each = tokens.into_iter().map(|mut token| {
        token.set_span(token.span().located_at(at));
        token
    });
    each.collect()
}

/// What is to be asked about so that a type is known: itself, or of one that depends on parameters what it holds.
fn parts_of(ty: &Type, depends: &dyn Fn(&str) -> bool, parts: &mut Vec<Type>) {
    // Everybody knows these. If they are not meant, that is found out where they are used.
    if is_plain(ty) || matches!(ty, Type::Path(path) if is_tensor(&path.path)) {
        return;
    }
    if let Some(closed) = close(ty, depends) {
        parts.push(closed);
        return;
    }
    match ty {
        Type::Reference(ty) => parts_of(&ty.elem, depends, parts),
        Type::Array(ty) => parts_of(&ty.elem, depends, parts),
        Type::Tuple(ty) => ty.elems.iter().for_each(|ty| parts_of(ty, depends, parts)),
        Type::Group(ty) => parts_of(&ty.elem, depends, parts),
        Type::Paren(ty) => parts_of(&ty.elem, depends, parts),
        Type::Path(path) if path.qself.is_none() => {
            let last = path.path.segments.last().filter(|last| holds_mirrors(&last.ident.to_string()));
            if let Some(PathArguments::AngleBracketed(arguments)) = last.map(|last| &last.arguments)
                && let Some(GenericArgument::Type(held)) = arguments.args.last()
            {
                parts_of(held, depends, parts);
            }
        }
        _ => {}
    }
}

/// The type as a constant can name it, if it can.
pub(crate) fn close(ty: &Type, depends: &dyn Fn(&str) -> bool) -> Option<Type> {
    let (mut ty, mut close) = (ty.clone(), Close { depends, open: false });
    close.visit_type_mut(&mut ty);
    (!close.open).then_some(ty)
}

struct Close<'a> {
    depends: &'a dyn Fn(&str) -> bool,
    open: bool,
}

impl VisitMut for Close<'_> {
    fn visit_ident_mut(&mut self, name: &mut Ident) {
        let name = name.to_string();
        self.open |= name == "Self" || (self.depends)(&name);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident != "static" {
            *lifetime = Lifetime::new("'_", lifetime.span());
        }
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        self.open |= matches!(ty, Type::ImplTrait(_) | Type::Macro(_) | Type::Infer(_) | Type::Verbatim(_));
        visit_mut::visit_type_mut(self, ty);
    }

    /// `for<'a> Fn(&'a Tensor)` would lose its `'a`.
    fn visit_bound_lifetimes_mut(&mut self, _: &mut syn::BoundLifetimes) {
        self.open = true;
    }
}
