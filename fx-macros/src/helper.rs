//! `#[fx::module]` on a free function without tensor arguments, `causal_mask(len, &device)`.
//!
//! It does what it did. While a model is captured at several sizes it also notes what it was called with and what it
//! returned, so that a call of it can stand in the graph in place of the tensor.
//!
//! Invariant: what cannot be noted (arguments that are no plain data, generic functions) stays as it is.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::{FnArg, GenericArgument, ItemFn, Pat, PathArguments, ReturnType, Type};

use crate::attributes::{allow_generated, cfgs};
use crate::dispatch::is_generic;
use crate::paths::Paths;
use crate::twin::select::{special_keyword, type_mentions_tensor};
use crate::whole::op_ident;
use crate::wrap::description;

/// The function, which notes its calls if they can be noted.
pub(crate) fn expand(item: &ItemFn, paths: &Paths) -> TokenStream {
    let Some(names) = parameters(item) else { return quote!(#item) };
    let returns_tensors = matches!(&item.sig.output, ReturnType::Type(_, ty) if type_mentions_tensor(ty));
    let is_special = special_keyword(&item.sig).is_some() || item.sig.constness.is_some();
    if !returns_tensors || is_special || is_generic(&item.sig) {
        return quote!(#item);
    }
    let (attrs, vis, ident) = (&item.attrs, &item.vis, &item.sig.ident);
    let mut public = item.sig.clone();
    crate::dispatch::rename(&mut public, |position, _| names[position].clone());
    let mut original = item.clone();
    original
        .attrs
        .retain(|attribute| ["allow", "expect", "warn", "deny"].iter().any(|name| attribute.path().is_ident(name)));
    original.vis = syn::Visibility::Inherited;
    original.sig.ident = format_ident!("__fx_original");

    let (helper, record, op) = (paths.private("helper"), paths.private("Record"), op_ident(ident));
    let hidden = |name: &str| Ident::new(name, Span::mixed_site());
    let (arguments, result) = (hidden("__fx_arguments"), hidden("__fx_result"));
    let (cfgs, allow) = (cfgs(&item.attrs), allow_generated());
    let described = description(item, &quote!(#ident), paths, true);
    quote! {
        #(#attrs)*
        #vis #public {
            #original
            let #arguments = #helper::arguments(|| ::std::vec![#(#record::record(&#names)),*]);
            let #result = __fx_original(#(#names),*);
            if #arguments.is_some() {
                use #helper::{NoteNoResult as _, NoteResult as _};
                #helper::note(&#op, #arguments, (&#helper::Returned(&#result)).__fx_value());
            }
            #result
        }
        #(#cfgs)* #[doc(hidden)] #allow
        #described
    }
}

/// The names of the parameters, if all of them are plain data that a graph can hold.
fn parameters(item: &ItemFn) -> Option<Vec<Ident>> {
    let each = item.sig.inputs.iter().map(|input| match input {
        FnArg::Typed(input) if is_data(&input.ty) => match &*input.pat {
            Pat::Ident(pat) if pat.subpat.is_none() && pat.by_ref.is_none() => Some(pat.ident.clone()),
            _ => None,
        },
        _ => None,
    });
    each.collect()
}

/// The types that a graph holds and gives back.
const DATA: &[&str] = &[
    "usize", "isize", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64", "bool", "DType", "Device",
    "String",
];

fn is_data(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) if reference.mutability.is_none() => {
            matches!(&*reference.elem, Type::Path(path) if path.path.is_ident("str"))
                || matches!(&*reference.elem, Type::Slice(slice) if is_data(&slice.elem))
                || matches!(&*reference.elem, Type::Path(_)) && is_data(&reference.elem)
        }
        Type::Tuple(tuple) => (1..=4).contains(&tuple.elems.len()) && tuple.elems.iter().all(is_data),
        Type::Array(array) => is_data(&array.elem),
        Type::Path(path) if path.qself.is_none() => {
            path.path.segments.last().is_some_and(|last| match &last.arguments {
                PathArguments::None => DATA.iter().any(|name| last.ident == name),
                PathArguments::AngleBracketed(arguments) => {
                    (last.ident == "Option" || last.ident == "Vec")
                        && arguments.args.iter().all(
                            |argument| matches!(argument, GenericArgument::Type(ty @ Type::Path(_)) if is_data(ty)),
                        )
                }
                PathArguments::Parenthesized(_) => false,
            })
        }
        _ => false,
    }
}
