//! The names of the runtime crate that expansions may use, as absolute paths.
//!
//! Invariant: no other file of this crate writes `::fx`. What is named here is the whole contract with `fx-core`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// Where the runtime crate is: `::fx`, or what `crate = …` says.
#[derive(Clone)]
pub(crate) struct Paths {
    root: TokenStream,
}

impl Paths {
    pub(crate) fn new(root: Option<syn::Path>) -> Self {
        Paths { root: root.map_or_else(|| quote!(::fx), |path| quote!(#path)) }
    }

    /// The trait of everything that can be mirrored.
    pub(crate) fn traceable(&self) -> TokenStream {
        self.public("Traceable")
    }

    /// The place of a value in the model's tree of names.
    pub(crate) fn scope(&self) -> TokenStream {
        self.public("Scope")
    }

    /// A name of the shadow world, where `Tensor` is a proxy.
    pub(crate) fn symbolic(&self, name: &str) -> TokenStream {
        let (root, name) = (&self.root, ident(name));
        quote!(#root::symbolic::#name)
    }

    /// The types named like candle's functions, found when the user has no function of that name.
    pub(crate) fn bare(&self) -> TokenStream {
        let root = &self.root;
        quote!(#root::symbolic::bare)
    }

    /// A name that only expansions use.
    pub(crate) fn private(&self, name: &str) -> TokenStream {
        let (root, name) = (&self.root, ident(name));
        quote!(#root::__private::#name)
    }

    /// A name of the module about entering modules and calling them whole.
    pub(crate) fn whole(&self, name: &str) -> TokenStream {
        let (module, name) = (self.private("whole"), ident(name));
        quote!(#module::#name)
    }

    /// A name of the module about copies of mirrors.
    pub(crate) fn cloned(&self, name: &str) -> TokenStream {
        let (module, name) = (self.private("cloned"), ident(name));
        quote!(#module::#name)
    }

    /// A name of the module about what mirrors hold.
    pub(crate) fn held(&self, name: &str) -> TokenStream {
        let (module, name) = (self.private("held"), ident(name));
        quote!(#module::#name)
    }

    /// A name of the module about functions that build models.
    pub(crate) fn callee(&self, name: &str) -> TokenStream {
        let (module, name) = (self.private("callee"), ident(name));
        quote!(#module::#name)
    }

    /// candle's own crate, whatever the user calls it.
    pub(crate) fn candle(&self) -> TokenStream {
        self.private("candle_core")
    }

    pub(crate) fn candle_result(&self, of: TokenStream) -> TokenStream {
        let candle = self.candle();
        quote!(#candle::Result<#of>)
    }

    pub(crate) fn public(&self, name: &str) -> TokenStream {
        let (root, name) = (&self.root, ident(name));
        quote!(#root::#name)
    }
}

fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}
