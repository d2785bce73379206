//! `Clone` of a mirror: as the original has it, as far as can be seen.
//!
//! A derive that stands below our attribute is seen, and copied. One above it is not, nor is an `impl Clone`: then the mirror can be
//! cloned all the same, each field by what it is (`fx-core`'s `trace/cloned.rs`). A generic type does not know what its fields
//! are, and is only cloned where the derive is seen.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Generics, ItemEnum, ItemStruct};

use super::fields::{Field, Fields, Style};
use super::{SCOPE_FIELD, mirror_ident};
use crate::attributes::{cfgs, derives};
use crate::paths::Paths;

/// How a mirror is cloned.
pub(super) enum Cloned {
    /// By this attribute.
    Derived(TokenStream),
    /// By this impl.
    Written(TokenStream),
}

impl Cloned {
    /// What stands on the mirror, and what beside it.
    pub(super) fn parts(self) -> (TokenStream, TokenStream) {
        match self {
            Cloned::Derived(attribute) => (attribute, TokenStream::new()),
            Cloned::Written(implementation) => (TokenStream::new(), implementation),
        }
    }
}

/// `Clone` for the mirror of a struct; `generics` are the mirror's.
pub(super) fn for_struct(item: &ItemStruct, fields: &Fields, generics: &Generics, paths: &Paths) -> Cloned {
    let scope_field = format_ident!("{}", SCOPE_FIELD);
    written(&item.ident, &item.attrs, [fields], generics, paths, |one| {
        let values = fields.list.iter().map(|field| {
            let (member, cfgs) = (&field.member, field.cfgs());
            let value = one(quote!(&self.#member));
            match fields.style {
                Style::Named => quote!(#(#cfgs)* #member: #value,),
                _ => quote!(#(#cfgs)* #value,),
            }
        });
        match fields.style {
            Style::Named | Style::Unit => {
                quote!(Self { #(#values)* #scope_field: ::core::clone::Clone::clone(&self.#scope_field) })
            }
            Style::Tuple => quote!({
                let Self(.., scope) = self;
                Self(#(#values)* ::core::clone::Clone::clone(scope))
            }),
        }
    })
}

/// `Clone` for the mirror of an enum.
pub(super) fn for_enum(item: &ItemEnum, variants: &[Fields], generics: &Generics, paths: &Paths) -> Cloned {
    written(&item.ident, &item.attrs, variants, generics, paths, |one| {
        let arms = item.variants.iter().zip(variants).map(|(variant, fields)| {
            let (cfgs, name) = (cfgs(&variant.attrs), &variant.ident);
            let pattern = fields.pattern_scoped(quote!(scope));
            let cloned = |field: &Field| {
                let binding = &field.binding;
                one(quote!(#binding))
            };
            let build = fields.write_scoped(cloned, quote!(::core::clone::Clone::clone(scope)));
            quote!(#(#cfgs)* Self::#name #pattern => Self::#name #build)
        });
        let subject = if variants.is_empty() { quote!(*self) } else { quote!(self) };
        quote!(match #subject { #(#arms),* })
    })
}

/// The impl; `body` is given how one field is cloned, by a reference to it.
fn written<'a>(
    name: &Ident,
    attributes: &[syn::Attribute],
    fields: impl IntoIterator<Item = &'a Fields>,
    generics: &Generics,
    paths: &Paths,
    body: impl FnOnce(&dyn Fn(TokenStream) -> TokenStream) -> TokenStream,
) -> Cloned {
    let (cloned, plain) = (derives(attributes, "Clone"), generics.type_params().next().is_none());
    let (uses, body, generics) = match (cloned, plain) {
        // Without type parameters, the derive asks for exactly what is needed.
        (true, true) => return Cloned::Derived(quote!(#[derive(::core::clone::Clone)])),
        // A derive would ask `M: Clone`, where `M::Symbolic: Clone` is needed.
        (true, false) => {
            let body = body(&|reference| quote!(::core::clone::Clone::clone(#reference)));
            (TokenStream::new(), body, clone_generics(generics, fields, paths))
        }
        (false, true) => {
            let [field, by, no] = ["Cloned", "ByClone", "NoClone"].map(|name| paths.cloned(name));
            let body = body(&|reference| quote!((&#field(#reference)).__fx_clone()));
            (quote!(use #by as _; use #no as _;), body, generics.clone())
        }
        (false, false) => return Cloned::Written(TokenStream::new()),
    };
    let (mirror, cfgs) = (mirror_ident(name), cfgs(attributes));
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let (allow, derived) = (crate::attributes::allow_generated(), crate::attributes::derived());
    Cloned::Written(quote! {
        #(#cfgs)* #derived #allow
        impl #impl_generics ::core::clone::Clone for #mirror #type_generics #where_clause {
            fn clone(&self) -> Self { #uses #body }
        }
    })
}

/// The generics of a `Clone` impl: the symbolic type of each field that depends on a parameter must be `Clone`.
fn clone_generics<'a>(generics: &Generics, fields: impl IntoIterator<Item = &'a Fields>, paths: &Paths) -> Generics {
    let mut generics = generics.clone();
    let params: Vec<Ident> = generics.type_params().map(|param| param.ident.clone()).collect();
    let where_clause = generics.make_where_clause();
    for field in fields.into_iter().flat_map(|fields| &fields.list) {
        if !params.iter().any(|param| field.mentions(param)) {
            continue;
        }
        let ty = field.symbolic_type(paths);
        where_clause.predicates.push(syn::parse_quote!(#ty: ::core::clone::Clone));
    }
    generics
}
