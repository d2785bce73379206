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
//! Invariant: a type that depends on the item's parameters, which no constant can name, is asked for `Traceable` itself.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Generics, Lifetime, Type};

use crate::attributes::allow_generated;
use crate::paths::Paths;

/// The name by which an item says whether its types are known, and the parameters that types may depend on.
pub(crate) struct Known {
    alias: Ident,
    params: Vec<String>,
}

impl Known {
    /// Of the item that `owner` names.
    pub(crate) fn new(owner: &Ident, generics: &Generics) -> Self {
        let types = generics.type_params().map(|param| param.ident.to_string());
        let consts = generics.const_params().map(|param| param.ident.to_string());
        Known { alias: format_ident!("__FxKnown_{}", owner), params: types.chain(consts).collect() }
    }

    /// A type of the item.
    pub(crate) fn of(&self, ty: &Type) -> KnownType {
        let mut closed = ty.clone();
        let mut close = Close { params: &self.params, open: false };
        close.visit_type_mut(&mut closed);
        let asked = (!close.open).then(|| (self.alias.clone(), closed));
        KnownType { ty: ty.clone(), asked }
    }

    /// The constant that asks for these types, each with what decides whether it is there; nothing if there are none.
    pub(crate) fn declare<'t>(
        &self,
        types: impl IntoIterator<Item = (Vec<&'t Attribute>, &'t KnownType)>,
        cfgs: &[&Attribute],
        paths: &Paths,
    ) -> TokenStream {
        let asks = types.into_iter().filter_map(|(cfgs, known)| {
            let (_, closed) = known.asked.as_ref()?;
            let path = function_of(closed, paths.traceable(), "symbolic");
            Some(quote!(#(#cfgs)* let _ = #path;))
        });
        let asks: Vec<TokenStream> = asks.collect();
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
    /// The name under which it was asked for, and as what; none if it depends on parameters.
    asked: Option<(Ident, Type)>,
}

impl KnownType {
    /// `<T as Traceable>::name`, spanned on the type, from its first token to its last.
    pub(crate) fn function(&self, name: &str, paths: &Paths) -> TokenStream {
        let of = match &self.asked {
            Some((alias, _)) => {
                let traceable = paths.private("TraceableIn");
                quote!(#traceable<#alias>)
            }
            None => paths.traceable(),
        };
        function_of(&self.ty, of, name)
    }
}

/// `<ty as of>::name`: whatever rustc says of it, it says of the whole type.
fn function_of(ty: &Type, of: TokenStream, name: &str) -> TokenStream {
    let tokens: Vec<TokenTree> = ty.to_token_stream().into_iter().collect();
    let first = tokens.first().map_or_else(Span::call_site, TokenTree::span);
    let last = match tokens.last() {
        Some(TokenTree::Group(group)) => group.span_close(),
        Some(token) => token.span(),
        None => first,
    };
    let of = of.into_iter().map(|mut token| {
        token.set_span(token.span().located_at(first));
        token
    });
    // The user's own spans at both ends: rustc says a thing once of one place, and the type itself is that place.
    let (of, name): (TokenStream, Ident) = (of.collect(), Ident::new(name, last));
    let (open, then) = (quote_spanned!(first=> <), quote_spanned!(first=> as #of>::));
    quote!(#open #ty #then #name)
}

/// Makes a type one that a constant can name, or finds that it cannot.
struct Close<'a> {
    params: &'a [String],
    open: bool,
}

impl VisitMut for Close<'_> {
    fn visit_ident_mut(&mut self, name: &mut Ident) {
        self.open |= name == "Self" || self.params.iter().any(|param| name == param);
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
