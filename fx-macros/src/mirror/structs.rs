//! The mirror of a struct.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ItemStruct;

use super::fields::{Field, Fields, Style};
use super::{SCOPE_FIELD, clone, construct, held, lasting_closures, mirror_ident, output, owned, traceable_generics};
use crate::attributes::{allow_generated, cfgs, derived};
use crate::errors::Errors;
use crate::known::Known;
use crate::paths::Paths;

/// What stands beside an annotated struct. Takes the `#[fx(…)]` attributes off its fields.
pub(crate) fn expand_struct(item: &mut ItemStruct, paths: &Paths, errors: &Errors) -> TokenStream {
    let known = Known::new(&item.ident, &item.generics);
    let fields = Fields::take(&mut item.fields, &known, errors);
    let (name, vis, cfgs) = (&item.ident, &item.vis, cfgs(&item.attrs));
    let mirror = mirror_ident(name);
    let generics = lasting_closures(traceable_generics(&item.generics, paths), fields.list.iter().map(Field::ty));
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let (traceable, scope) = (paths.traceable(), paths.scope());
    let scope_field = format_ident!("{}", SCOPE_FIELD);

    let declared = fields.declare(paths);
    let body = match fields.style {
        Style::Named | Style::Unit => quote!(#where_clause { #declared pub #scope_field: #scope }),
        // The scope comes last, so that positions are the original's; twins leave it out of patterns (`twin/body.rs`).
        Style::Tuple => quote!((#declared pub #scope) #where_clause;),
    };
    let values = fields.list.iter().enumerate().map(|(step, field)| {
        let (member, cfgs, name) = (&field.member, field.cfgs(), field.scope_name());
        let value = field.mirror_value(quote!(&self.#member), quote!(&scope.part(#name, #step)), paths);
        match fields.style {
            Style::Named => quote!(#(#cfgs)* #member: #value,),
            _ => quote!(#(#cfgs)* #value,),
        }
    });
    let module_scope = owned::module_scope(name, paths);
    let build = match fields.style {
        Style::Named | Style::Unit => {
            quote!(#mirror { #(#values)* #scope_field: #module_scope })
        }
        Style::Tuple => quote!(#mirror(#(#values)* #module_scope)),
    };

    let (allow, derived) = (allow_generated(), derived());
    let (derive, clone) = clone::for_struct(item, &fields, &generics, paths).parts();
    let construct = construct::for_struct(item, &fields, &generics, paths);
    let output = output::for_struct(item, &fields, &generics, paths);
    let part = owned::part(
        &fields,
        |field| {
            let member = &field.member;
            quote!(&self.#member)
        },
        paths,
    );
    let methods = owned::methods(part, &generics, paths);
    let held = held::for_struct(name, &fields, paths);
    let where_it_is = match fields.style {
        Style::Named | Style::Unit => quote!(&self.#scope_field),
        Style::Tuple => quote!({
            let Self(.., scope) = self;
            scope
        }),
    };
    let lifts_impl = owned::lifts_impl(name, &generics, paths);
    let mirror_impl = owned::mirror_impl(name, &generics, where_it_is, None, paths);
    let known = known.declare(fields.list.iter().filter_map(Field::asks), &cfgs, paths);
    quote! {
        #known
        #(#cfgs)* #[doc(hidden)] #allow #derive
        #vis struct #mirror #generics #body
        #clone
        #(#cfgs)* #derived
        impl #impl_generics #traceable for #name #type_generics #where_clause {
            type Symbolic = #mirror #type_generics;
            fn symbolic(&self, scope: &#scope) -> Self::Symbolic { #build }
            #held
            #methods
        }
        #(#cfgs)* #mirror_impl
        #lifts_impl
        #construct
        #output
    }
}
