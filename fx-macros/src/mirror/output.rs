//! A mirrored type as the result of a forward: its fields become the fields of the graph's output.
//!
//! A field need not be a value (a layer, a span). Which it is, only rustc knows: `Field(&…)` chooses between two
//! traits by autoref, and the one for other types fails when it runs instead of when it is compiled.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Generics, ItemEnum, ItemStruct};

use super::fields::{Field, Fields};
use super::mirror_ident;
use crate::attributes::{cfgs, derived};
use crate::paths::Paths;

pub(super) fn for_struct(item: &ItemStruct, fields: &Fields, generics: &Generics, paths: &Paths) -> TokenStream {
    let name = item.ident.unraw().to_string();
    let body = structure(&name, fields, paths, |field| {
        let member = &field.member;
        quote!(&self.#member)
    });
    to_output(&item.ident, &cfgs(&item.attrs), generics, paths, body)
}

pub(super) fn for_enum(item: &ItemEnum, variants: &[Fields], generics: &Generics, paths: &Paths) -> TokenStream {
    let arms = item.variants.iter().zip(variants).map(|(variant, fields)| {
        let (cfgs, variant_name, pattern) = (cfgs(&variant.attrs), &variant.ident, fields.pattern_scoped(quote!(_)));
        let name = format!("{}::{}", item.ident.unraw(), variant.ident.unraw());
        let body = structure(&name, fields, paths, |field| {
            let binding = &field.binding;
            quote!(#binding)
        });
        quote!(#(#cfgs)* Self::#variant_name #pattern => { #body })
    });
    let subject = if variants.is_empty() { quote!(*self) } else { quote!(self) };
    to_output(&item.ident, &cfgs(&item.attrs), generics, paths, quote!(match #subject { #(#arms)* }))
}

/// `Ok(out.structure("Qkv", vec![("q", …), …]))`; `reference` gives a reference to a field.
fn structure(name: &str, fields: &Fields, paths: &Paths, reference: impl Fn(&Field) -> TokenStream) -> TokenStream {
    let field_type = paths.private("Field");
    let pushes = fields.list.iter().map(|field| {
        let (cfgs, text, reference) = (field.cfgs(), field.text(), reference(field));
        quote!(#(#cfgs)* fields.push((#text, (&&#field_type(#reference)).field(out)?));)
    });
    quote! {
        let mut fields = ::std::vec::Vec::new();
        #(#pushes)*
        ::core::result::Result::Ok(out.structure(#name, fields))
    }
}

fn to_output(
    name: &proc_macro2::Ident,
    cfgs: &[&syn::Attribute],
    generics: &Generics,
    paths: &Paths,
    body: TokenStream,
) -> TokenStream {
    let mirror = mirror_ident(name);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let (to_output, builder, output_mod) =
        (paths.private("ToOutput"), paths.private("OutputBuilder"), paths.private("output"));
    let output = paths.candle_result(paths.private("Output"));
    let (value, other, derived) = (format_ident!("ValueField"), format_ident!("OtherField"), derived());
    quote! {
        #(#cfgs)* #derived
        impl #impl_generics #to_output for #mirror #type_generics #where_clause {
            fn to_output(&self, out: &mut #builder) -> #output {
                use #output_mod::{#other as _, #value as _};
                #body
            }
        }
    }
}
