//! The parameters of a function whose arguments are values, taken one by one: as an owned value, which is lent as the
//! signature asks. `Option<&Tensor>` is taken as `Option<Tensor>` and passed with `as_ref()`.
//!
//! Invariant: what cannot be taken so (`impl Trait`, nested borrows) has no [`Parameter`].

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{FnArg, GenericArgument, Lifetime, Pat, Path, PathArguments, Type};

use super::types::Types;
use crate::paths::Paths;

/// A parameter that a value can be taken for.
pub(crate) struct Parameter {
    /// Holds the value.
    pub(crate) variable: Ident,
    pub(crate) name: String,
    /// The user's variable, if the parameter is one and cannot be changed through.
    pub(crate) written_as: Option<Ident>,
    /// The type to take in candle's world.
    owned: Type,
    /// The type to take in the symbolic world.
    pub(crate) symbolic: Type,
    /// The type as the user wrote it, for messages.
    pub(crate) written: String,
    /// Whether the value is lent, and not handed over.
    pub(crate) is_lent: bool,
    /// From the variable to what the function takes.
    pass: fn(TokenStream) -> TokenStream,
}

/// An owned type to take, and how the value is passed on.
struct Taken {
    ty: Type,
    /// From the variable that holds the value.
    pass: fn(TokenStream) -> TokenStream,
}

/// The parameters, if a value can be taken for each. `types` maps to the twin's world.
pub(crate) fn parameters<'a>(inputs: impl Iterator<Item = &'a FnArg>, types: &Types<'_>) -> Option<Vec<Parameter>> {
    inputs
        .enumerate()
        .map(|(position, input)| {
            let FnArg::Typed(input) = input else {
                return None;
            };
            let name = match &*input.pat {
                Pat::Ident(pat) => pat.ident.unraw().to_string(),
                _ => format!("arg{position}"),
            };
            let written_as = match &*input.pat {
                Pat::Ident(pat) if pat.by_ref.is_none() && !lends_mutably(&input.ty) => Some(pat.ident.clone()),
                _ => None,
            };
            let Taken { ty: owned, pass } = take(&input.ty)?;
            let mut symbolic = owned.clone();
            types.map(&mut symbolic);
            let (variable, written) = (format_ident!("__fx_{}", position), text(&input.ty));
            let is_lent = !is_owned(&input.ty);
            Some(Parameter { variable, name, written_as, owned, symbolic, written, is_lent, pass })
        })
        .collect()
}

impl Parameter {
    /// What the function is given, from the variable that holds the value.
    pub(crate) fn passed(&self) -> TokenStream {
        let variable = &self.variable;
        (self.pass)(quote!(#variable))
    }

    /// The argument as a graph holds it, in a twin. None if it is no plain variable.
    pub(crate) fn encoded(&self, paths: &Paths) -> Option<TokenStream> {
        let (passed, argument) = (paths.whole("Passed"), self.written_as.as_ref()?);
        Some(quote!((&#passed(&#argument)).__fx_encode()))
    }

    /// The value of argument `index` when a graph runs; `args` are all of them.
    pub(crate) fn taken_at_run_time(&self, args: TokenStream, index: usize, paths: &Paths) -> TokenStream {
        let (taken, owned, name) = (paths.whole("taken"), &self.owned, &self.name);
        quote!((&#taken::<#owned>(#args, #index, #name)?).__fx_take())
    }
}

/// Whether a type lends something to be changed.
fn lends_mutably(ty: &Type) -> bool {
    struct Find(bool);
    impl<'ast> Visit<'ast> for Find {
        fn visit_type_reference(&mut self, reference: &'ast syn::TypeReference) {
            self.0 |= reference.mutability.is_some();
            visit::visit_type_reference(self, reference);
        }
    }
    let mut find = Find(false);
    find.visit_type(ty);
    find.0
}

/// How a parameter of this type is taken, if it can be.
fn take(ty: &Type) -> Option<Taken> {
    match ty {
        Type::Group(group) => take(&group.elem),
        Type::Paren(paren) => take(&paren.elem),
        Type::Reference(reference) => match (&*reference.elem, reference.mutability.is_some()) {
            (Type::Slice(slice), mutable) => match &*slice.elem {
                Type::Reference(inner) if !mutable && is_owned(&inner.elem) => Some(Taken {
                    ty: vec_of(&inner.elem),
                    pass: |value| quote!(&#value.iter().collect::<::std::vec::Vec<_>>()),
                }),
                elem if is_owned(elem) => Some(Taken { ty: vec_of(elem), pass: if mutable { lend_mut } else { lend } }),
                _ => None,
            },
            (elem, false) if is_str(elem) => Some(Taken { ty: string(), pass: lend }),
            (elem, _) if is_unsized(elem) => None,
            (elem, mutable) if is_owned(elem) => {
                Some(Taken { ty: elem.clone(), pass: if mutable { lend_mut } else { lend } })
            }
            _ => None,
        },
        Type::Tuple(tuple) if tuple.elems.len() == 2 && tuple.elems.iter().all(|elem| shared(elem).is_some()) => {
            Some(Taken { ty: owned_pair(tuple), pass: |value| quote!((&#value.0, &#value.1)) })
        }
        Type::Path(path) if !is_owned(ty) => take_option(argument_of(&path.path, "Option")?),
        ty if is_owned(ty) => Some(Taken { ty: ty.clone(), pass: |value| value }),
        _ => None,
    }
}

/// The same for `Option<inner>`, where `inner` borrows.
fn take_option(inner: &Type) -> Option<Taken> {
    match inner {
        Type::Reference(reference) if is_unsized(&reference.elem) => None,
        Type::Reference(reference) => match (&*reference.elem, reference.mutability.is_some()) {
            (Type::Slice(slice), false) if is_owned(&slice.elem) => {
                Some(Taken { ty: option_of(vec_of(&slice.elem)), pass: |value| quote!(#value.as_deref()) })
            }
            (elem, false) if is_str(elem) => {
                Some(Taken { ty: option_of(string()), pass: |value| quote!(#value.as_deref()) })
            }
            (elem, mutable) if is_owned(elem) => Some(Taken {
                ty: option_of(elem.clone()),
                pass: if mutable { |value| quote!(#value.as_mut()) } else { |value| quote!(#value.as_ref()) },
            }),
            _ => None,
        },
        Type::Tuple(tuple) if tuple.elems.len() == 2 && tuple.elems.iter().all(|elem| shared(elem).is_some()) => {
            Some(Taken {
                ty: option_of(owned_pair(tuple)),
                pass: |value| quote!(#value.as_ref().map(|(__fx_a, __fx_b)| (__fx_a, __fx_b))),
            })
        }
        _ => None,
    }
}

fn lend(value: TokenStream) -> TokenStream {
    quote!(&#value)
}

fn lend_mut(value: TokenStream) -> TokenStream {
    quote!(&mut #value)
}

fn vec_of(ty: &Type) -> Type {
    syn::parse_quote!(::std::vec::Vec<#ty>)
}

fn option_of(ty: Type) -> Type {
    syn::parse_quote!(::core::option::Option<#ty>)
}

fn string() -> Type {
    syn::parse_quote!(::std::string::String)
}

fn owned_pair(tuple: &syn::TypeTuple) -> Type {
    let elems = tuple.elems.iter().filter_map(shared);
    syn::parse_quote!((#(#elems),*))
}

/// The `T` of `&T`, if it is owned.
fn shared(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Reference(reference) if reference.mutability.is_none() && is_owned(&reference.elem) => {
            Some(&reference.elem)
        }
        _ => None,
    }
}

fn is_str(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("str"))
}

/// The `T` of `Option<T>`.
fn argument_of<'a>(path: &'a Path, name: &str) -> Option<&'a Type> {
    let last = path.segments.last().filter(|last| last.ident == name)?;
    match &last.arguments {
        PathArguments::AngleBracketed(args) => args.args.iter().find_map(|arg| match arg {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        }),
        _ => None,
    }
}

/// Whether a value of the type can be taken as it is: it borrows nothing, is sized and has a name.
fn is_owned(ty: &Type) -> bool {
    struct Owned(bool);
    impl<'ast> Visit<'ast> for Owned {
        fn visit_type(&mut self, ty: &'ast Type) {
            match ty {
                Type::Path(_) | Type::Array(_) | Type::Tuple(_) | Type::Paren(_) | Type::Group(_) => {
                    visit::visit_type(self, ty);
                }
                _ => self.0 = false,
            }
        }
        fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
            self.0 &= lifetime.ident == "static" || lifetime.ident == "_";
        }
    }
    let mut owned = Owned(!is_str(ty));
    owned.visit_type(ty);
    owned.0
}

/// Whether it is one of the standard library's that exist only lent, by its name: nothing of the kind can be taken.
fn is_unsized(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| {
        ["Path", "OsStr", "CStr"].iter().any(|name| last.ident == name)
    }))
}

/// A type as a person writes it: `Option<&Tensor>`, not `Option < & Tensor >`.
fn text(ty: &Type) -> String {
    let mut text = String::new();
    write(ty.to_token_stream(), &mut text);
    text
}

fn write(tokens: TokenStream, text: &mut String) {
    use proc_macro2::{Delimiter, Spacing, TokenTree};
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::None => ("", ""),
                };
                text.push_str(open);
                write(group.stream(), text);
                text.push_str(close);
            }
            TokenTree::Punct(punct) => {
                let spaced = matches!(punct.as_char(), '=' | '+') || (punct.as_char() == '-');
                if spaced && !text.ends_with(' ') {
                    text.push(' ');
                }
                text.push(punct.as_char());
                let arrow_end = punct.as_char() == '>' && text.ends_with("->");
                let ends = punct.spacing() == Spacing::Alone;
                if arrow_end || (ends && matches!(punct.as_char(), ',' | ';' | '=' | '+')) {
                    text.push(' ');
                }
            }
            other => {
                let word = other.to_string();
                if text.ends_with(|last: char| last.is_alphanumeric() || last == '_') {
                    text.push(' ');
                }
                text.push_str(&word);
            }
        }
    }
}
