//! How a trace enters a model: `forward` with arguments taken by name.
//!
//! A parameter is taken as an owned value and lent as the signature asks: `Option<&Tensor>` is taken as
//! `Option<Tensor>` and passed with `as_ref()`. A signature that cannot be fed this way has no entry, and is still
//! called by the forwards that know it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{
    FnArg, GenericArgument, Generics, ItemImpl, Lifetime, Pat, Path, PathArguments, ReceiverKind, ReturnType,
    Signature, Type,
};

use super::ImplKind;
use super::types::Types;
use crate::paths::Paths;

/// The entry of one impl.
pub(super) struct Entry {
    kind: ImplKind,
    method: Ident,
    parameters: Vec<Parameter>,
}

struct Parameter {
    variable: Ident,
    name: String,
    /// The user's variable, if the parameter is one and cannot be changed through.
    written_as: Option<Ident>,
    /// The type to take in candle's world.
    owned: Type,
    /// The type as the user wrote it, for messages.
    written: String,
    taken: Taken,
}

/// An owned type to take, and how the value is passed on.
struct Taken {
    ty: Type,
    /// Whether the value is handed over, and not lent.
    moved: bool,
    /// From the variable that holds the value.
    pass: fn(TokenStream) -> TokenStream,
}

impl Entry {
    /// The entry that a method is, if it is one. `types` maps to the twin's world.
    pub(super) fn new(kind: ImplKind, sig: &Signature, types: &Types<'_>) -> Option<Self> {
        if !is_forward(kind, sig) || sig.generics.type_params().next().is_some() {
            return None;
        }
        let mut inputs = sig.inputs.iter();
        let by_reference = matches!(inputs.next(), Some(FnArg::Receiver(receiver))
            if matches!(receiver.kind, ReceiverKind::Reference(..)));
        if !by_reference {
            return None;
        }
        let parameters = inputs
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
                let mut taken = take(&input.ty)?;
                let owned = taken.ty.clone();
                types.map(&mut taken.ty);
                let (variable, written) = (format_ident!("__fx_{}", position), text(&input.ty));
                Some(Parameter { variable, name, written_as, owned, written, taken })
            })
            .collect::<Option<_>>()?;
        Some(Entry { kind, method: sig.ident.clone(), parameters })
    }

    /// Why a graph cannot call the method whole, on the original that it shares, with arguments that it can pass; as the
    /// rest of a sentence.
    pub(super) fn not_whole(&self, item: &ItemImpl, sig: &Signature) -> Option<&'static str> {
        let shared = matches!(sig.inputs.first(), Some(FnArg::Receiver(receiver))
            if matches!(&receiver.kind, ReceiverKind::Reference(_, _, mutability) if mutability.is_none()));
        if !shared {
            Some(
                "takes `&mut self`, and a graph cannot change the module: it may be run by several at once and gives the \
                 same each time",
            )
        } else if !self.parameters.iter().all(|parameter| parameter.written_as.is_some()) {
            Some("takes an argument by a pattern or to be changed, and a graph passes plain values by name")
        } else if has_lifetimes(&item.self_ty) {
            Some("is of a type that borrows, and a graph outlives what is borrowed")
        } else if returns_impl(sig) {
            Some("returns an `impl` type, which has no name that the graph's call could give back")
        } else {
            None
        }
    }

    /// What the twin does where the rules of the capture want the module whole; `returns` is the twin's result.
    pub(super) fn whole_statement(&self, returns: &ReturnType, span: Span, paths: &Paths) -> syn::Stmt {
        let kind = paths.private(self.kind_name());
        let [whole, passed] = ["whole", "Passed"].map(|name| paths.whole(name));
        let traits = ["RecordWhole", "RefuseWhole", "PassedToGraph", "NotPassed"].map(|name| paths.whole(name));
        let returns = match returns {
            ReturnType::Default => quote!(()),
            ReturnType::Type(_, ty) => quote!(#ty),
        };
        let arguments = self.parameters.iter().filter_map(|parameter| parameter.written_as.as_ref());
        // The user's own span, not that of the attribute: the node is said to be written where `forward` is.
        let stmt = quote_spanned! {span=>
            if let ::core::option::Option::Some(__fx_whole) = #whole::<Self, #kind, #returns>(&*self) {
                #(use #traits as _;)*
                return (&__fx_whole).__fx_record(::std::vec![#((&#passed(&#arguments)).__fx_encode()),*]);
            }
        };
        syn::parse_quote!(#stmt)
    }

    /// How the graph calls the method on the original, outside of the shadow world.
    pub(super) fn whole_method(
        &self,
        generics: &Generics,
        item: &ItemImpl,
        mirror: &Path,
        paths: &Paths,
    ) -> TokenStream {
        let (kind, trait_name, called) =
            (paths.private(self.kind_name()), paths.whole("WholeMethod"), paths.private("Called"));
        let [original, taken] = ["original", "taken"].map(|name| paths.whole(name));
        let traits = ["TakeValue", "TakeNone", "ResultKind", "OtherResultKind"].map(|name| paths.whole(name));
        let (own, candle, value) = (&item.self_ty, paths.candle(), paths.private("Value"));
        let result = paths.candle_result(value.clone());
        let (impl_generics, _, where_clause) = generics.split_for_impl();
        let (method, method_name) = (&self.method, self.method.unraw().to_string());
        let callee = match self.kind {
            ImplKind::Module => quote!(<#own as #candle::Module>),
            ImplKind::ModuleT => quote!(<#own as #candle::ModuleT>),
            ImplKind::Inherent | ImplKind::Other => quote!(<#own>),
        };
        let options = self.parameters.iter().skip(1).map(|parameter| &parameter.name);
        let takes = self.parameters.iter().enumerate().map(|(index, parameter)| {
            let Parameter { variable, name, owned, .. } = parameter;
            quote!(let mut #variable = (&#taken::<#owned>(args, #index, #name)?).__fx_take()?;)
        });
        let passed = self.parameters.iter().map(|parameter| {
            let variable = &parameter.variable;
            (parameter.taken.pass)(quote!(#variable))
        });
        quote! {
            impl #impl_generics #trait_name<#kind> for #mirror #where_clause {
                const CALLED: #called = #called { method: #method_name, options: &[#(#options),*] };
                fn run(original: &dyn ::core::any::Any, args: &[&#value]) -> #result {
                    #(use #traits as _;)*
                    let original = #original::<#own>(original)?;
                    #(#takes)*
                    match #callee::#method(original, #(#passed),*) {
                        result => (&result).__fx_result().value(result),
                    }
                }
            }
        }
    }

    fn kind_name(&self) -> &'static str {
        match self.kind {
            ImplKind::Module => "ViaModule",
            ImplKind::ModuleT => "ViaModuleT",
            ImplKind::Inherent | ImplKind::Other => "Inherent",
        }
    }

    pub(super) fn implement(&self, generics: &Generics, mirror: &Path, paths: &Paths) -> TokenStream {
        let (kind, callee) = match self.kind {
            ImplKind::Module => ("ViaModule", paths.symbolic("Module")),
            ImplKind::ModuleT => ("ViaModuleT", paths.symbolic("ModuleT")),
            ImplKind::Inherent | ImplKind::Other => ("Inherent", TokenStream::new()),
        };
        let callee = if callee.is_empty() { quote!(Self) } else { quote!(<Self as #callee>) };
        let (entry, kind, inputs) = (paths.private("Entry"), paths.private(kind), paths.public("Inputs"));
        let result = paths.candle_result(paths.private("Output"));
        let (impl_generics, _, where_clause) = generics.split_for_impl();
        let (method, method_name) = (&self.method, self.method.unraw().to_string());
        let takes = self.parameters.iter().map(|parameter| {
            let Parameter { variable, name, written, taken, .. } = parameter;
            let ty = &taken.ty;
            quote!(let mut #variable = inputs.take::<#ty>(#name, #written)?;)
        });
        let passed = self.parameters.iter().map(|parameter| {
            let variable = &parameter.variable;
            (parameter.taken.pass)(quote!(#variable))
        });
        // What the call has changed in what it was lent becomes state of the graph.
        let lent = self.parameters.iter().filter(|parameter| !parameter.taken.moved);
        let lent = lent.map(|Parameter { variable, name, .. }| quote!(inputs.lent(#name, &#variable);));
        quote! {
            impl #impl_generics #entry<#kind> for #mirror #where_clause {
                const METHOD: &'static str = #method_name;
                fn call(&mut self, inputs: &mut #inputs<'_>) -> #result {
                    #(#takes)*
                    let __fx_output = inputs.finish(#callee::#method(self, #(#passed),*))?;
                    #(#lent)*
                    ::core::result::Result::Ok(__fx_output)
                }
            }
        }
    }
}

/// Whether a method is what `layer.forward(…)` calls.
pub(super) fn is_forward(kind: ImplKind, sig: &Signature) -> bool {
    match kind {
        ImplKind::Inherent | ImplKind::Module => sig.ident == "forward",
        ImplKind::ModuleT => sig.ident == "forward_t",
        ImplKind::Other => false,
    }
}

/// What the twin does where the rules of the capture want whole what cannot be.
pub(super) fn not_whole_statement(sig: &Signature, reason: &str, paths: &Paths) -> syn::Stmt {
    let (not_whole, method) = (paths.whole("not_whole"), sig.ident.unraw().to_string());
    let stmt = quote_spanned!(sig.ident.span()=> #not_whole::<Self>(&self, #method, #reason););
    syn::parse_quote!(#stmt)
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

/// Whether a type names a lifetime other than `'static`.
fn has_lifetimes(ty: &Type) -> bool {
    struct Find(bool);
    impl<'ast> Visit<'ast> for Find {
        fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
            self.0 |= lifetime.ident != "static";
        }
    }
    let mut find = Find(false);
    find.visit_type(ty);
    find.0
}

/// Whether the result's type has no name.
fn returns_impl(sig: &Signature) -> bool {
    struct Find(bool);
    impl<'ast> Visit<'ast> for Find {
        fn visit_type_impl_trait(&mut self, _: &'ast syn::TypeImplTrait) {
            self.0 = true;
        }
    }
    let mut find = Find(false);
    find.visit_return_type(&sig.output);
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
                    moved: false,
                    ty: vec_of(&inner.elem),
                    pass: |value| quote!(&#value.iter().collect::<::std::vec::Vec<_>>()),
                }),
                elem if is_owned(elem) => {
                    Some(Taken { moved: false, ty: vec_of(elem), pass: if mutable { lend_mut } else { lend } })
                }
                _ => None,
            },
            (elem, false) if is_str(elem) => Some(Taken { moved: false, ty: string(), pass: lend }),
            (elem, mutable) if is_owned(elem) => {
                Some(Taken { moved: false, ty: elem.clone(), pass: if mutable { lend_mut } else { lend } })
            }
            _ => None,
        },
        Type::Tuple(tuple) if tuple.elems.len() == 2 && tuple.elems.iter().all(|elem| shared(elem).is_some()) => {
            Some(Taken { moved: false, ty: owned_pair(tuple), pass: |value| quote!((&#value.0, &#value.1)) })
        }
        Type::Path(path) if !is_owned(ty) => take_option(argument_of(&path.path, "Option")?),
        ty if is_owned(ty) => Some(Taken { ty: ty.clone(), moved: true, pass: |value| value }),
        _ => None,
    }
}

/// The same for `Option<inner>`, where `inner` borrows.
fn take_option(inner: &Type) -> Option<Taken> {
    match inner {
        Type::Reference(reference) => match (&*reference.elem, reference.mutability.is_some()) {
            (Type::Slice(slice), false) if is_owned(&slice.elem) => Some(Taken {
                moved: false,
                ty: option_of(vec_of(&slice.elem)),
                pass: |value| quote!(#value.as_deref()),
            }),
            (elem, false) if is_str(elem) => {
                Some(Taken { moved: false, ty: option_of(string()), pass: |value| quote!(#value.as_deref()) })
            }
            (elem, mutable) if is_owned(elem) => Some(Taken {
                moved: false,
                ty: option_of(elem.clone()),
                pass: if mutable { |value| quote!(#value.as_mut()) } else { |value| quote!(#value.as_ref()) },
            }),
            _ => None,
        },
        Type::Tuple(tuple) if tuple.elems.len() == 2 && tuple.elems.iter().all(|elem| shared(elem).is_some()) => {
            Some(Taken {
                moved: false,
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

/// A type as a person writes it: `Option<&Tensor>`, not `Option < & Tensor >`.
pub(crate) fn text(ty: &Type) -> String {
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
