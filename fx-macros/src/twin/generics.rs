//! The type parameters of a twin: each has a mirror, and where the original is bound by a trait, the mirror is by what that
//! trait is in the shadow world.
//!
//! Invariant: a bound is asked of a mirror only where every mirror of what meets it meets it too, or the user says so.

use quote::ToTokens;
use syn::{Generics, ItemImpl, Path, Signature, TypeParamBound, parse_quote};

use super::in_world;
use crate::mirror::traceable_generics;
use crate::paths::Paths;

/// Whether a bound is candle's `Module` or `ModuleT`.
pub(crate) fn is_module_bound(bound: &TypeParamBound) -> bool {
    matches!(bound, TypeParamBound::Trait(bound) if is_module_bound_path(&bound.path))
}

fn is_module_bound_path(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| last.ident == "Module" || last.ident == "ModuleT")
}

/// Whether a bound is one that plain data alone meets, which is its own mirror.
pub(super) fn is_plain_bound(bound: &TypeParamBound) -> bool {
    const PLAIN: &[&str] = &["Copy", "WithDType", "Dim"];
    matches!(bound, TypeParamBound::Trait(bound)
        if bound.path.segments.last().is_some_and(|last| PLAIN.iter().any(|name| last.ident == name)))
}

/// Whether a bound is one that mirrors meet where their originals do.
fn is_copied(bound: &TypeParamBound) -> bool {
    const COPIED: &[&str] = &["Clone", "PartialEq", "Default"];
    matches!(bound, TypeParamBound::Trait(bound) if COPIED.iter().any(|name| bound.path.is_ident(name)))
}

/// Whether a bound is one of these traits.
fn is_among(bound: &TypeParamBound, traits: &[Path]) -> bool {
    let text = |path: &Path| path.to_token_stream().to_string();
    matches!(bound, TypeParamBound::Trait(bound) if traits.iter().any(|path| text(path) == text(&bound.path)))
}

/// The same generics with the bounds that a `where` clause puts on type parameters beside the parameters.
pub(super) fn with_bounds_inside(generics: &Generics) -> Generics {
    let mut inside = generics.clone();
    let Some(clause) = inside.where_clause.take() else {
        return inside;
    };
    for predicate in clause.predicates {
        if let syn::WherePredicate::Type(bounds) = &predicate
            && bounds.lifetimes.is_none()
            && let syn::Type::Path(bounded) = &bounds.bounded_ty
            && let Some(param) = inside.type_params_mut().find(|param| bounded.path.is_ident(&param.ident))
        {
            param.bounds.extend(bounds.bounds.clone());
        } else {
            inside.make_where_clause().predicates.push(predicate);
        }
    }
    inside
}

/// The generics of a twin impl: the user's, with each type parameter traceable, and a layer in the shadow world
/// where it is one in candle's; so with the `mirrored` traits of the user's.
pub(super) fn twin_generics(generics: &Generics, mirrored: &[Path], paths: &Paths) -> Generics {
    let mut twin = traceable_generics(&with_bounds_inside(generics), paths);
    let traceable = paths.traceable();
    let mut symbolic_bounds: Vec<syn::WherePredicate> = Vec::new();
    for param in twin.type_params_mut() {
        let name = param.ident.clone();
        for bound in &mut param.bounds {
            if is_among(bound, mirrored) {
                let TypeParamBound::Trait(bound) = bound else {
                    continue;
                };
                let symbolic = in_world(&bound.path, paths.symbolic("Tensor"));
                symbolic_bounds.push(parse_quote!(<#name as #traceable>::Symbolic: #symbolic));
                continue;
            }
            if is_copied(bound) {
                symbolic_bounds.push(parse_quote!(<#name as #traceable>::Symbolic: #bound));
            }
            if !is_module_bound(bound) {
                continue;
            }
            let TypeParamBound::Trait(bound) = bound else {
                continue;
            };
            let last = bound.path.segments.last().expect("a path has a segment").ident.to_string();
            let symbolic = paths.symbolic(&last);
            symbolic_bounds.push(parse_quote!(<#name as #traceable>::Symbolic: #symbolic));
            // The user's `Module` may be shadowed in this scope; the mirror's own bound is candle's.
            let candle = paths.candle();
            let last = &bound.path.segments.last().expect("a path has a segment").ident;
            bound.path = parse_quote!(#candle::#last);
        }
    }
    if !symbolic_bounds.is_empty() {
        twin.make_where_clause().predicates.extend(symbolic_bounds);
    }
    twin
}

/// The traits that parameters of the impl are bound by, where a path says which: of a mirror's type, unlike of a parameter
/// itself, rustc finds the methods of a trait only if it is imported.
pub(super) fn bound_traits<'a>(item: &'a ItemImpl, signatures: impl Iterator<Item = &'a Signature>) -> Vec<Path> {
    let generics = std::iter::once(&item.generics).chain(signatures.map(|sig| &sig.generics));
    let mut found: Vec<Path> = Vec::new();
    for generics in generics.map(with_bounds_inside) {
        let own = generics.type_params().flat_map(|param| param.bounds.clone());
        let clauses = generics.where_clause.iter().flat_map(|clause| clause.predicates.iter());
        let others = clauses.filter_map(|predicate| match predicate {
            syn::WherePredicate::Type(predicate) => Some(predicate.bounds.clone()),
            _ => None,
        });
        for bound in own.chain(others.flatten()) {
            let TypeParamBound::Trait(bound) = bound else { continue };
            let mut path = bound.path;
            path.segments.iter_mut().for_each(|segment| segment.arguments = syn::PathArguments::None);
            let called = path.segments.last().is_some_and(|last| last.ident.to_string().starts_with("Fn"));
            let text = |path: &Path| path.to_token_stream().to_string();
            let known = is_module_bound_path(&path) || found.iter().any(|found| text(found) == text(&path));
            if path.segments.len() > 1 && !called && !known {
                found.push(path);
            }
        }
    }
    found
}
