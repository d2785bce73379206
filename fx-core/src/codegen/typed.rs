//! Arguments of a user's function, in the form of its parameters' types as the user wrote them.
//!
//! Invariant: a type that is not one of Rust's own or candle's gets the argument as it is; the compiler then says what is
//! wrong with it.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{GenericArgument, PathArguments, Type};

use crate::ir::Argument;
use crate::ops::kind::Kind;

use super::call::Calls;
use super::literal::literal;

impl Calls<'_> {
    /// An argument as a parameter of this type takes it.
    pub(super) fn typed(&self, argument: &Argument, ty: &Type) -> TokenStream {
        if let Type::Reference(reference) = ty {
            return self.reference(argument, &reference.elem);
        }
        match (name_and_item(ty), argument) {
            (Some(("Option", _)), Argument::None) => quote!(None),
            (Some(("Option", Some(item))), argument) => {
                let inner = self.typed(argument, item);
                quote!(Some(#inner))
            }
            (_, Argument::Node(id)) => {
                let owned = self.owned(*id);
                quote!(#owned.clone())
            }
            (Some(("Vec", Some(item))), Argument::List(items)) => {
                let items = self.each(items, item);
                quote!(vec![#(#items),*])
            }
            (Some(("String", _)), Argument::Str(text)) => {
                let text = &**text;
                quote!(#text.to_string())
            }
            (Some(("Shape", _)), argument) => {
                let dims = plain(argument, Kind::Shape);
                quote!(candle_core::Shape::from(#dims))
            }
            (Some(("Device", _)), Argument::Device(_)) => match self.device() {
                Some(device) => quote!(#device.clone()),
                None => owned_device(argument),
            },
            (Some(("f32", _)), Argument::Int(_) | Argument::Float(_)) => plain(argument, Kind::Single),
            (Some(("f64", _)), Argument::Int(_) | Argument::Float(_)) => plain(argument, Kind::Float),
            (_, Argument::Tuple(items)) => match ty {
                Type::Tuple(tuple) if tuple.elems.len() == items.len() => {
                    let items = items.iter().zip(&tuple.elems).map(|(item, ty)| self.typed(item, ty));
                    quote!((#(#items,)*))
                }
                _ => plain(argument, Kind::Any),
            },
            (_, Argument::List(items)) => match ty {
                Type::Array(array) => {
                    let items = self.each(items, &array.elem);
                    quote!([#(#items),*])
                }
                _ => plain(argument, Kind::Any),
            },
            (_, argument) => plain(argument, Kind::Any),
        }
    }

    /// An argument as a reference to this type.
    fn reference(&self, argument: &Argument, ty: &Type) -> TokenStream {
        match (ty, argument) {
            (_, Argument::Node(id)) => self.borrowed(*id),
            (Type::Slice(slice), Argument::List(items)) => {
                // Of one tensor no slice need be made.
                if let ([Argument::Node(id)], Type::Path(_)) = (&**items, &*slice.elem) {
                    let one = self.borrowed(*id);
                    return quote!(std::slice::from_ref(#one));
                }
                let items = self.each(items, &slice.elem);
                quote!(&[#(#items),*])
            }
            (Type::Path(path), Argument::Str(text)) if path.path.is_ident("str") => {
                let text = &**text;
                quote!(#text)
            }
            (_, Argument::Device(_)) => self.device().unwrap_or_else(|| plain(argument, Kind::Device)),
            (ty, argument) => {
                let owned = self.typed(argument, ty);
                quote!(&#owned)
            }
        }
    }

    fn each<'a>(&'a self, items: &'a [Argument], ty: &'a Type) -> impl Iterator<Item = TokenStream> + 'a {
        items.iter().map(move |item| self.typed(item, ty))
    }
}

fn plain(argument: &Argument, kind: Kind) -> TokenStream {
    match argument.to_value() {
        Some(value) => literal(&value, kind, None),
        None => super::size::symbolic_literal(argument, kind, None),
    }
}

fn owned_device(argument: &Argument) -> TokenStream {
    let borrowed = plain(argument, Kind::Device);
    // Written as a reference everywhere else.
    let mut tokens = borrowed.into_iter();
    tokens.next();
    tokens.collect()
}

/// The last part of a path and its first generic argument: `Option` and `usize`.
fn name_and_item(ty: &Type) -> Option<(&str, Option<&Type>)> {
    const KNOWN: [&str; 7] = ["Option", "Vec", "String", "Device", "Shape", "f32", "f64"];
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let name = KNOWN.into_iter().find(|name| last.ident == name)?;
    let item = match &last.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
            Some(GenericArgument::Type(ty)) => Some(ty),
            _ => None,
        },
        _ => None,
    };
    Some((name, item))
}
