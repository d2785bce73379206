//! The mirror of a type: the same shape, with proxies where the original has tensors.
//!
//! `fields.rs` reads a struct's or variant's fields, `structs.rs` and `enums.rs` write the items, `construct.rs` lets
//! twins build a mirrored struct as the original is written, `variants.rs` a variant, `clone.rs` lets them copy one, `output.rs` lets a forward
//! return one, `held.rs` tells what one holds.
//!
//! Invariant: the mirror of `X` is `__FxX`, in the same module, as visible as `X`. Impls are separate items and find
//! it by that name alone.

mod clone;
mod construct;
mod enums;
mod fields;
mod held;
mod output;
mod owned;
mod structs;
mod variants;

use proc_macro2::Ident;
use quote::{format_ident, quote};
use syn::visit::{self, Visit};
use syn::{GenericArgument, Generics, Lifetime, PathArguments, PathSegment, Type, parse_quote};

use crate::paths::Paths;
use crate::twin::types::CLOSURES;

pub(crate) use construct::tuple_ident;
pub(crate) use enums::expand_enum;
pub(crate) use owned::lifts;
pub(crate) use structs::expand_struct;
pub(crate) use variants::{named_variant_ident, variants_ident};

/// The field that tells a mirror where it is in the model.
pub(crate) const SCOPE_FIELD: &str = "__fx_scope";

/// The name of the mirror of `name`.
pub(crate) fn mirror_ident(name: &Ident) -> Ident {
    format_ident!("__Fx{}", name)
}

/// The same, where closures that fields hold outlive everything: only such can be in a graph.
///
/// What must hold of a type holds wherever the type is written, so impls need not say it.
pub(crate) fn lasting_closures<'a>(mut generics: Generics, fields: impl IntoIterator<Item = &'a Type>) -> Generics {
    struct Borrowed(Vec<Lifetime>);
    impl<'ast> Visit<'ast> for Borrowed {
        fn visit_path_segment(&mut self, segment: &'ast PathSegment) {
            if let (true, PathArguments::AngleBracketed(args)) =
                (CLOSURES.iter().any(|name| segment.ident == name), &segment.arguments)
            {
                let named = args.args.iter().filter_map(|arg| match arg {
                    GenericArgument::Lifetime(lifetime) if lifetime.ident != "static" => Some(lifetime.clone()),
                    _ => None,
                });
                self.0.extend(named);
            }
            visit::visit_path_segment(self, segment);
        }
    }
    let mut borrowed = Borrowed(Vec::new());
    fields.into_iter().for_each(|ty| borrowed.visit_type(ty));
    for lifetime in borrowed.0 {
        generics.make_where_clause().predicates.push(parse_quote!(#lifetime: 'static));
    }
    generics
}

/// The user's generics, with every type parameter traceable.
///
/// All of them, also those that only occur in a `PhantomData`: an impl of the type is another item, must ask for the
/// same, and does not see the fields. A type without lifetimes can be told at run time, if its parameters can.
pub(crate) fn traceable_generics(generics: &Generics, paths: &Paths) -> Generics {
    let mut generics = generics.clone();
    let params: Vec<Ident> = generics.type_params().map(|param| param.ident.clone()).collect();
    let traceable = paths.traceable();
    if !params.is_empty() {
        let lasting = (generics.lifetimes().next().is_none()).then(|| quote!(+ 'static));
        let where_clause = generics.make_where_clause();
        for param in params {
            where_clause.predicates.push(parse_quote!(#param: #traceable #lasting));
        }
    }
    generics
}
