//! How a trace enters a model: `forward` with arguments taken by name.
//!
//! A signature that cannot be fed with values that are taken one by one (`parameters.rs`) has no entry, and is still called
//! by the forwards that know it.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::visit::Visit;
use syn::{FnArg, Generics, ItemImpl, Lifetime, Path, ReceiverKind, ReturnType, Signature, Type};

use super::ImplKind;
use super::parameters::{Parameter, parameters};
use super::select::returns_impl;
use super::types::Types;
use crate::known::{ends, located};
use crate::paths::Paths;

/// The entry of one impl.
pub(super) struct Entry {
    kind: ImplKind,
    method: Ident,
    parameters: Vec<Parameter>,
    /// The type of the result, as written.
    returns: TokenStream,
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
        let parameters = parameters(inputs, types)?;
        let returns = match &sig.output {
            ReturnType::Type(_, ty) => ty.to_token_stream(),
            ReturnType::Default => sig.ident.to_token_stream(),
        };
        Some(Entry { kind, method: sig.ident.clone(), parameters, returns })
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
    pub(super) fn whole_statement(&self, sig: &Signature, returns: &ReturnType, paths: &Paths) -> syn::Stmt {
        let (this, span) = (this(sig), sig.ident.span());
        let kind = paths.private(self.kind_name());
        let whole = paths.whole("whole");
        let traits = ["RecordWhole", "RefuseWhole", "PassedToGraph", "NotPassed"].map(|name| paths.whole(name));
        let returns = match returns {
            ReturnType::Default => quote!(()),
            ReturnType::Type(_, ty) => quote!(#ty),
        };
        let arguments = self.parameters.iter().filter_map(|parameter| parameter.encoded(paths));
        // The user's own span, not that of the attribute: the node is said to be written where `forward` is.
        let stmt = quote_spanned! {span=>
            if let ::core::option::Option::Some(__fx_whole) = #whole::<Self, #kind, #returns>(&*#this) {
                #(use #traits as _;)*
                return (&__fx_whole).__fx_record(::std::vec![#(#arguments),*]);
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
        let original = paths.whole("original");
        let traits = ["TakeValue", "TakeNone", "ResultKind", "OtherResultKind"].map(|name| paths.whole(name));
        let (own, candle, value) = (&item.self_ty, paths.candle(), paths.private("Value"));
        let result = paths.candle_result(value.clone());
        let (impl_generics, _, where_clause) = generics.split_for_impl();
        let (method, method_name) = (&self.method, self.method.unraw().to_string());
        let callee = match self.kind {
            ImplKind::Module => quote!(<#own as #candle::Module>),
            ImplKind::ModuleT => quote!(<#own as #candle::ModuleT>),
            ImplKind::Inherent | ImplKind::Other | ImplKind::Mirrored | ImplKind::Standard => quote!(<#own>),
        };
        let options = self.parameters.iter().skip(1).map(|parameter| &parameter.name);
        let takes = self.parameters.iter().enumerate().map(|(index, parameter)| {
            let (variable, take) = (&parameter.variable, parameter.taken_at_run_time(quote!(args), index, paths));
            quote!(let mut #variable = #take?;)
        });
        let passed = self.parameters.iter().map(Parameter::passed);
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
            ImplKind::Inherent | ImplKind::Other | ImplKind::Mirrored | ImplKind::Standard => "Inherent",
        }
    }

    pub(super) fn implement(&self, generics: &Generics, mirror: &Path, paths: &Paths) -> TokenStream {
        let (kind, callee) = match self.kind {
            ImplKind::Module => ("ViaModule", paths.symbolic("Module")),
            ImplKind::ModuleT => ("ViaModuleT", paths.symbolic("ModuleT")),
            ImplKind::Inherent | ImplKind::Other | ImplKind::Mirrored | ImplKind::Standard => {
                ("Inherent", TokenStream::new())
            }
        };
        let callee = if callee.is_empty() { quote!(Self) } else { quote!(<Self as #callee>) };
        let (entry, kind, inputs) = (paths.private("Entry"), paths.private(kind), paths.public("Inputs"));
        let result = paths.candle_result(paths.private("Output"));
        let (impl_generics, _, where_clause) = generics.split_for_impl();
        let (method, method_name) = (&self.method, self.method.unraw().to_string());
        let takes = self.parameters.iter().map(|parameter| {
            let Parameter { variable, name, written, symbolic: ty, .. } = parameter;
            quote!(let mut #variable = inputs.take::<#ty>(#name, #written)?;)
        });
        let passed = self.parameters.iter().map(Parameter::passed);
        // What a graph cannot return is said of the type that the user wrote.
        let at = ends(self.returns.clone()).0;
        let returned = located(quote!(#callee::#method(self, #(#passed),*)), at);
        let finish = located(quote!(inputs.finish(#returned)), at);
        // What the call has changed in what it was lent becomes state of the graph.
        let lent = self.parameters.iter().filter(|parameter| parameter.is_lent);
        let lent = lent.map(|Parameter { variable, name, .. }| quote!(inputs.lent(#name, &#variable);));
        quote! {
            impl #impl_generics #entry<#kind> for #mirror #where_clause {
                const METHOD: &'static str = #method_name;
                fn call(&mut self, inputs: &mut #inputs<'_>) -> #result {
                    #(#takes)*
                    let __fx_output = #finish?;
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
        ImplKind::Other | ImplKind::Mirrored | ImplKind::Standard => false,
    }
}

/// What the twin does where the rules of the capture want whole what cannot be.
pub(super) fn not_whole_statement(sig: &Signature, reason: &str, paths: &Paths) -> syn::Stmt {
    let (not_whole, method, this) = (paths.whole("not_whole"), sig.ident.unraw().to_string(), this(sig));
    let stmt = quote_spanned!(sig.ident.span()=> #not_whole::<Self>(&#this, #method, #reason););
    syn::parse_quote!(#stmt)
}

/// The `self` of a method, as its author wrote it: one that came out of a macro is found by no other.
pub(super) fn this(sig: &Signature) -> syn::Token![self] {
    match sig.inputs.first() {
        Some(FnArg::Receiver(receiver)) => receiver.self_token,
        _ => Default::default(),
    }
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
