//! `#[fx::constant]`: a type that holds no tensors is its own mirror.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Field, Fields, Ident, Item, ItemEnum, ItemStruct, Member, parse_quote};

use crate::attributes::{allow_generated, cfgs, derived, derives, report_on_parts, report_others};
use crate::errors::{Errors, Message};
use crate::mirror::mirror_ident;
use crate::module::kind;
use crate::options::{constant_options, report_stray, without_options};
use crate::twin::select::names_tensor;

/// Expands `#[fx::constant(options)] item`.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let errors = Errors::new();
    let paths = constant_options(options, &errors);
    let mut parsed = match syn::parse2::<Item>(item.clone()) {
        Ok(parsed) => parsed,
        Err(error) => {
            errors.syn(error);
            return errors.finish(TokenStream::new(), without_options(item));
        }
    };
    report_others(&parsed, "constant", &errors);
    report_on_parts(&mut parsed, &errors);
    if matches!(parsed, Item::Struct(_) | Item::Enum(_)) {
        report_stray(&mut parsed, &errors);
    }
    let (attrs, vis, name, generics) = match &parsed {
        Item::Struct(ItemStruct { attrs, vis, ident, generics, .. })
        | Item::Enum(ItemEnum { attrs, vis, ident, generics, .. }) => (attrs, vis, ident, generics),
        other => {
            let goes_on = "a struct or an enum";
            errors.report(other, Message::WrongItem { attribute: "constant", goes_on, found: kind(other) });
            return errors.finish(TokenStream::new(), without_options(item));
        }
    };
    for field in fields(&parsed) {
        if names_tensor(&field.ty) {
            errors.report(&field.ty, Message::TensorInConstant(name.unraw().to_string()));
        }
    }
    // `impl Clone` by hand is as good, but it is another item, which an attribute cannot see; `Copy` needs it anyway.
    let cfg_attr = attrs.iter().any(|attribute| attribute.path().is_ident("cfg_attr"));
    if !derives(attrs, "Clone") && !cfg_attr {
        errors.report(name, Message::NoClone(name.unraw().to_string()));
    }

    // With type parameters it is `Clone` only if they are.
    let mut cloned = generics.clone();
    let (_, type_generics, _) = generics.split_for_impl();
    if generics.type_params().next().is_some() {
        cloned.make_where_clause().predicates.push(parse_quote!(#name #type_generics: ::core::clone::Clone));
    }
    let (impl_generics, _, where_clause) = cloned.split_for_impl();
    let (traceable, scope, construct) = (paths.traceable(), paths.scope(), paths.private("Construct"));
    let (to_output, builder) = (paths.private("ToOutput"), paths.private("OutputBuilder"));
    let output = paths.candle_result(paths.private("Output"));
    let (held, holding) = (paths.private("Held"), paths.private("Holding"));
    let [described, text, opaque] = ["Described", "HeldText", "HeldOpaque"].map(|name| paths.held(name));
    let (cfgs, allow, derived) = (cfgs(attrs), allow_generated(), derived());
    let (mirror, type_name) = (mirror_ident(name), name.unraw().to_string());
    let parts = parts(&parsed, &held, &described);
    let alias_generics = without_bounds(generics);
    // What can be a key in the user's maps is one in their mirrors.
    let key = (generics.params.is_empty() && ["Eq", "Hash", "Debug"].iter().all(|of| derives(attrs, of))).then(|| {
        let map_key = paths.private("MapKey");
        quote! {
            #(#cfgs)* #derived
            impl #map_key for #name {
                fn segment(&self) -> ::std::string::String { ::std::format!("{self:?}") }
            }
        }
    });
    let original = parsed.to_token_stream();
    // Spanned on the name, so that a missing `Clone` that only rustc can see is reported there.
    let clone = quote_spanned!(name.span()=> ::core::clone::Clone::clone(self));
    let generated = quote! {
        #original
        #(#cfgs)* #[doc(hidden)] #allow
        #vis type #mirror #alias_generics = #name #type_generics;
        #(#cfgs)* #derived
        impl #impl_generics #traceable for #name #type_generics #where_clause {
            type Symbolic = Self;
            fn symbolic(&self, _: &#scope) -> Self { #clone }
            fn held(mirror: &Self, _: &mut #holding) -> #held {
                use #opaque as _;
                use #text as _;
                match (&#described(mirror)).__fx_held() {
                    #held::Opaque => { #parts }
                    told => told,
                }
            }
        }
        #(#cfgs)* #derived
        impl #impl_generics #construct for #name #type_generics #where_clause {
            type Fields = Self;
            fn construct(fields: Self) -> Self { fields }
        }
        #(#cfgs)* #derived
        impl #impl_generics #to_output for #name #type_generics #where_clause {
            fn to_output(&self, out: &mut #builder) -> #output {
                ::core::result::Result::Err(out.not_a_value(#type_name))
            }
        }
        #key
    };
    errors.finish(generated, original)
}

/// What a type without a debug form holds, field by field.
fn parts(item: &Item, held: &TokenStream, described: &TokenStream) -> TokenStream {
    let names = |fields: &Fields| -> Vec<(Member, Ident)> {
        fields.members().enumerate().map(|(i, member)| (member, format_ident!("__fx_{i}"))).collect()
    };
    let told = |named: &[(Member, Ident)]| {
        let each = named.iter().map(|(member, binding)| {
            let name = member.to_token_stream().to_string();
            quote!((#name, (&#described(#binding)).__fx_held()))
        });
        quote!(::std::vec![#(#each),*])
    };
    let pattern = |named: &[(Member, Ident)]| {
        let each = named.iter().map(|(member, binding)| quote!(#member: #binding));
        quote!({ #(#each),* })
    };
    match item {
        Item::Struct(item) if item.fields.iter().all(|field| cfgs(&field.attrs).is_empty()) => {
            let (named, text) = (names(&item.fields), item.ident.unraw().to_string());
            let (pattern, told) = (pattern(&named), told(&named));
            quote!(let Self #pattern = mirror; #held::structure(#text, #told))
        }
        Item::Enum(item) if !item.variants.is_empty() && fields_of(item).all(|field| cfgs(&field.attrs).is_empty()) => {
            let arms = item.variants.iter().map(|variant| {
                let (cfgs, name, named) = (cfgs(&variant.attrs), &variant.ident, names(&variant.fields));
                let (text, pattern, told) =
                    (format!("{}::{}", item.ident.unraw(), name.unraw()), pattern(&named), told(&named));
                quote!(#(#cfgs)* Self::#name #pattern => #held::variant(#text, #told),)
            });
            quote!(match mirror { #(#arms)* })
        }
        _ => quote!(#held::Opaque),
    }
}

fn fields_of(item: &ItemEnum) -> impl Iterator<Item = &Field> {
    item.variants.iter().flat_map(|variant| &variant.fields)
}

fn fields(item: &Item) -> Vec<&Field> {
    match item {
        Item::Struct(item) => item.fields.iter().collect(),
        Item::Enum(item) => fields_of(item).collect(),
        _ => Vec::new(),
    }
}

/// `<'a, T, const N: usize>`: what an alias declares, where bounds have no effect.
fn without_bounds(generics: &syn::Generics) -> TokenStream {
    let params = generics.params.iter().map(|param| match param {
        syn::GenericParam::Lifetime(param) => param.lifetime.to_token_stream(),
        syn::GenericParam::Type(param) => param.ident.to_token_stream(),
        syn::GenericParam::Const(param) => {
            let (name, ty) = (format_ident!("{}", param.ident), &param.ty);
            quote!(const #name: #ty)
        }
    });
    if generics.params.is_empty() { TokenStream::new() } else { quote!(<#(#params),*>) }
}
