//! The mirror of an enum, variant by variant.
//!
//! Names in the graph: the one field of `Big(Linear)` has the enum's own scope, because the variant is a choice and
//! not a level of the model's tree; of several unnamed fields each is a child `0`, `1`, …; named fields are children
//! by their names, as in a struct. `#[fx(rename = "…")]` on a variant's field makes a child of that name.
//!
//! Invariant: every variant of a mirror has a scope last, also one without fields; twins leave it out of patterns.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ItemEnum;

use super::fields::{Field, Fields, Style};
use super::{SCOPE_FIELD, clone, held, lasting_closures, mirror_ident, output, owned, traceable_generics, variants};
use crate::attributes::{allow_generated, cfgs, derived};
use crate::errors::Errors;
use crate::known::Known;
use crate::paths::Paths;

/// What stands beside an annotated enum. Takes the `#[fx(…)]` attributes off its fields.
pub(crate) fn expand_enum(item: &mut ItemEnum, paths: &Paths, errors: &Errors) -> TokenStream {
    let known = Known::new(&item.ident, &item.generics);
    let variants: Vec<Fields> =
        item.variants.iter_mut().map(|variant| Fields::take(&mut variant.fields, &known, errors)).collect();
    let (name, vis, item_cfgs) = (&item.ident, &item.vis, cfgs(&item.attrs));
    let mirror = mirror_ident(name);
    let held = variants.iter().flat_map(|fields| &fields.list).map(Field::ty);
    let generics = lasting_closures(traceable_generics(&item.generics, paths), held);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let (traceable, scope) = (paths.traceable(), paths.scope());

    let declared = item.variants.iter().zip(&variants).map(|(variant, fields)| {
        let (cfgs, name) = (cfgs(&variant.attrs), &variant.ident);
        let body = fields.write_scoped(|field| field.symbolic_type(paths), scope.clone());
        quote!(#(#cfgs)* #name #body)
    });
    let module_scope = owned::module_scope(name, paths);
    let arms = item.variants.iter().zip(&variants).map(|(variant, fields)| {
        let (cfgs, name, pattern) = (cfgs(&variant.attrs), &variant.ident, fields.pattern());
        let mut step = 0..;
        let value = |field: &Field| {
            let (binding, scope) = (&field.binding, field_scope(field, fields, step.next().unwrap_or_default()));
            field.mirror_value(quote!(#binding), scope, paths)
        };
        let build = fields.write_scoped(value, quote!(__fx_scope));
        quote!(#(#cfgs)* Self::#name #pattern => #mirror::#name #build)
    });
    // An empty enum has no arms, and a reference to it is not empty.
    let subject = if variants.is_empty() { quote!(*self) } else { quote!(self) };

    let (allow, derived) = (allow_generated(), derived());
    let (derive, clone) = clone::for_enum(item, &variants, &generics, paths).parts();
    let output = output::for_enum(item, &variants, &generics, paths);
    let parts = item.variants.iter().zip(&variants).map(|(variant, fields)| {
        let (cfgs, name, pattern) = (cfgs(&variant.attrs), &variant.ident, fields.pattern());
        let part = owned::part(
            fields,
            |field| {
                let binding = &field.binding;
                quote!(#binding)
            },
            paths,
        );
        quote!(#(#cfgs)* Self::#name #pattern => #part)
    });
    let methods = owned::methods(quote!(match #subject { #(#parts),* }), &generics, paths);
    let lifts_impl = owned::lifts_impl(name, &generics, paths);
    let held = held::for_enum(item, &variants, paths);
    let places = item.variants.iter().zip(&variants).map(|(variant, fields)| {
        let (cfgs, name) = (cfgs(&variant.attrs), &variant.ident);
        let pattern = match fields.style {
            Style::Named => {
                let scope_field = format_ident!("{}", SCOPE_FIELD);
                quote!({ #scope_field: scope, .. })
            }
            Style::Tuple | Style::Unit => quote!((.., scope)),
        };
        quote!(#(#cfgs)* Self::#name #pattern => scope)
    });
    let made = variants::variants_ident(name);
    let made = quote!(#made #type_generics);
    let place = quote!(match #subject { #(#places),* });
    let mirror_impl = owned::mirror_impl(name, &generics, place, Some(made), paths);
    let declared_variants = variants::declare(item, &variants, &generics, paths);
    // A field of a variant that is not there is not there either.
    let asks = item.variants.iter().zip(&variants).flat_map(|(variant, fields)| {
        let asks = fields.list.iter().filter_map(Field::asks);
        asks.map(|(own, known)| (cfgs(&variant.attrs).into_iter().chain(own).collect(), known))
    });
    let known = known.declare(asks, &item_cfgs, paths);
    quote! {
        #known
        #(#item_cfgs)* #[doc(hidden)] #allow #derive
        #vis enum #mirror #generics #where_clause { #(#declared),* }
        #clone
        #(#item_cfgs)* #derived
        impl #impl_generics #traceable for #name #type_generics #where_clause {
            type Symbolic = #mirror #type_generics;
            fn symbolic(&self, scope: &#scope) -> Self::Symbolic {
                let __fx_scope = #module_scope;
                match #subject { #(#arms),* }
            }
            #held
            #methods
        }
        #(#item_cfgs)* #mirror_impl
        #lifts_impl
        #declared_variants
        #output
    }
}

fn field_scope(field: &Field, fields: &Fields, step: usize) -> TokenStream {
    if fields.style == Style::Tuple && fields.list.len() == 1 && !field.renamed() {
        return quote!(&scope.step(#step));
    }
    let name = field.scope_name();
    quote!(&scope.part(#name, #step))
}
