//! The mirror of a struct.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Generics, ItemStruct};

use super::fields::{Fields, Style};
use super::{SCOPE_FIELD, construct, held, lasting_closures, mirror_ident, output, owned, traceable_generics};
use crate::attributes::{allow_generated, cfgs, derives};
use crate::errors::Errors;
use crate::paths::Paths;

/// What stands beside an annotated struct. Takes the `#[fx(…)]` attributes off its fields.
pub(crate) fn expand_struct(item: &mut ItemStruct, paths: &Paths, errors: &Errors) -> TokenStream {
    let fields = Fields::take(&mut item.fields, errors);
    let (name, vis, cfgs) = (&item.ident, &item.vis, cfgs(&item.attrs));
    let mirror = mirror_ident(name);
    let generics =
        lasting_closures(traceable_generics(&item.generics, paths), fields.list.iter().map(|field| &field.ty));
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let (traceable, scope) = (paths.traceable(), paths.scope());
    let scope_field = format_ident!("{}", SCOPE_FIELD);

    let declared = fields.declare(paths);
    let body = match fields.style {
        Style::Named | Style::Unit => quote!(#where_clause { #declared #scope_field: #scope }),
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

    let allow = allow_generated();
    let cloned = derives(&item.attrs, "Clone");
    let derive = (cloned && is_plain(&generics)).then(|| quote!(#[derive(::core::clone::Clone)]));
    let clone = (cloned && !is_plain(&generics)).then(|| clone_impl(item, &fields, &generics, paths));
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
    quote! {
        #(#cfgs)* #[doc(hidden)] #allow #derive
        #vis struct #mirror #generics #body
        #clone
        #(#cfgs)* #[automatically_derived]
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

/// Without type parameters, the derive asks for exactly what is needed.
pub(super) fn is_plain(generics: &Generics) -> bool {
    generics.type_params().next().is_none()
}

/// `Clone` for a generic mirror: a derive would ask `M: Clone`, where `M::Symbolic: Clone` is needed.
fn clone_impl(item: &ItemStruct, fields: &Fields, generics: &Generics, paths: &Paths) -> TokenStream {
    let (mirror, cfgs) = (mirror_ident(&item.ident), cfgs(&item.attrs));
    let generics = clone_generics(generics, [fields], paths);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let scope_field = format_ident!("{}", SCOPE_FIELD);
    let values = fields.list.iter().map(|field| {
        let (member, cfgs) = (&field.member, field.cfgs());
        match fields.style {
            Style::Named => quote!(#(#cfgs)* #member: ::core::clone::Clone::clone(&self.#member),),
            _ => quote!(#(#cfgs)* ::core::clone::Clone::clone(&self.#member),),
        }
    });
    let build = match fields.style {
        Style::Named | Style::Unit => {
            quote!(Self { #(#values)* #scope_field: ::core::clone::Clone::clone(&self.#scope_field) })
        }
        Style::Tuple => quote!({
            let Self(.., scope) = self;
            Self(#(#values)* ::core::clone::Clone::clone(scope))
        }),
    };
    quote! {
        #(#cfgs)* #[automatically_derived]
        impl #impl_generics ::core::clone::Clone for #mirror #type_generics #where_clause {
            fn clone(&self) -> Self { #build }
        }
    }
}

/// The generics of a `Clone` impl: the symbolic type of each field that depends on a parameter must be `Clone`.
pub(super) fn clone_generics<'a>(
    generics: &Generics,
    fields: impl IntoIterator<Item = &'a Fields>,
    paths: &Paths,
) -> Generics {
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
