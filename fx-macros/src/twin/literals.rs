//! Literals and patterns of structs in a twin.
//!
//! `Self { .. }` is the mirror and only lacks the scope. Another struct's name means the original, whose fields are
//! tensors; aliases in the twin's scope lead from the name to the mirror, because neither a literal nor a pattern can
//! start with `<Qkv as Traceable>::Symbolic`.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Expr, ExprStruct, PatRest, PatStruct, Path, Type, TypePath, parse_quote};

use super::body::Body;
use super::conditions::Declared;
use crate::known;
use crate::mirror::SCOPE_FIELD;

/// The aliases a twin's scope declares.
#[derive(Default)]
pub(crate) struct Aliases {
    literals: Declared<String, TokenStream>,
    mirrors: Declared<String, TokenStream>,
}

impl Aliases {
    pub(crate) fn extend(&mut self, other: Aliases) {
        self.literals.extend(other.literals);
        self.mirrors.extend(other.mirrors);
    }

    /// All of them were met in code that is compiled only where this holds.
    pub(super) fn only_where(&mut self, holds: &TokenStream) {
        self.literals.only_where(holds);
        self.mirrors.only_where(holds);
    }

    pub(crate) fn declare(&self) -> TokenStream {
        let declared = self.literals.iter().chain(self.mirrors.iter()).map(|(name, ty, cfg)| {
            let name = format_ident!("{}", name);
            quote!(#cfg type #name = #ty;)
        });
        declared.collect()
    }
}

/// Rewrites a struct literal in place, or gives the expression that replaces it.
pub(super) fn rewrite_literal(literal: &mut ExprStruct, body: &mut Body<'_>) -> Option<Expr> {
    if literal.path.is_ident("Self") {
        if literal.dot2_token.is_none() {
            let (field, scope) = (format_ident!("{}", SCOPE_FIELD), body.made_scope());
            literal.fields.push(parse_quote!(#field: #scope));
        }
        return None;
    }
    if literal.qself.is_some() || !names_a_struct(&literal.path, body) {
        return None;
    }
    // What it takes the other fields from is a mirror, with its scope.
    if literal.dot2_token.is_some() {
        mirror_alias(&mut literal.path, body);
        return None;
    }
    let alias = alias("__FxFields", &literal.path);
    let original = path_type(std::mem::replace(&mut literal.path, format_ident!("{}", alias).into()));
    let construct = match ask(&original, body) {
        Some(known) => {
            let construct = body.paths.private("ConstructIn");
            quote!(#construct<#known>)
        }
        None => body.paths.private("Construct"),
    };
    let [make, fields] = ["construct", "Fields"].map(|name| known::function_of(&original, construct.clone(), name));
    body.aliases.literals.insert(alias, fields);
    Some(parse_quote!(#make(#literal)))
}

/// Rewrites a struct pattern in place.
pub(super) fn rewrite_pattern(pattern: &mut PatStruct, body: &mut Body<'_>) {
    let own = pattern.path.is_ident("Self");
    if !own {
        if pattern.qself.is_some() || !names_a_struct(&pattern.path, body) {
            return;
        }
        mirror_alias(&mut pattern.path, body);
    }
    open(pattern);
}

/// Leaves fields out of a pattern that names all.
pub(super) fn open(pattern: &mut PatStruct) {
    if pattern.rest.is_none() {
        if !pattern.fields.empty_or_trailing() {
            pattern.fields.push_punct(Default::default());
        }
        pattern.rest = Some(PatRest { attrs: Vec::new(), dot2_token: Default::default() });
    }
}

/// Puts an alias that leads to the mirror in place of a struct's name.
fn mirror_alias(path: &mut Path, body: &mut Body<'_>) {
    let alias = alias("__FxMirror", path);
    let original = std::mem::replace(path, format_ident!("{}", alias).into());
    insert_mirror(alias, original, body);
}

/// Has an alias lead to the mirror of a type.
fn insert_mirror(alias: String, original: Path, body: &mut Body<'_>) {
    let original = path_type(original);
    let traceable = known::trait_of(ask(&original, body), body.paths);
    body.aliases.mirrors.insert(alias, known::function_of(&original, traceable, "Symbolic"));
}

/// The constant that asks whether the type of a literal or pattern has a mirror, if the item has one.
fn ask<'a>(ty: &Type, body: &Body<'a>) -> Option<&'a Ident> {
    body.known.and_then(|known| known.ask(ty, |_| false))
}

fn path_type(path: Path) -> Type {
    Type::Path(TypePath { attrs: Vec::new(), qself: None, path })
}

/// Rewrites the path of a variant in a pattern, `cache::KvCache::Normal`: the enum becomes an alias of its mirror.
/// Whether it was one.
pub(super) fn rewrite_variant(path: &mut Path, body: &mut Body<'_>) -> bool {
    let count = path.segments.len();
    let upper_case = |index: usize| path.segments[index].ident.to_string().starts_with(char::is_uppercase);
    let is_variant = count > 2 && upper_case(count - 1) && upper_case(count - 2) && !upper_case(count - 3);
    if !is_variant || is_foreign(path) || path.segments.iter().any(|segment| !segment.arguments.is_none()) {
        return false;
    }
    let mut original = path.clone();
    let variant = original.segments.pop().expect("it has three");
    original.segments.pop_punct();
    let alias = alias("__FxMirror", &original);
    let name = format_ident!("{}", alias);
    *path = parse_quote!(#name::#variant);
    insert_mirror(alias, original, body);
    true
}

/// Whether a path leads into a crate whose types have no mirrors to match on.
fn is_foreign(path: &Path) -> bool {
    let foreign = ["std", "core", "alloc", "candle", "candle_core", "candle_nn", "nn"];
    path.leading_colon.is_some() || foreign.iter().any(|name| path.segments[0].ident == name)
}

/// Whether a path is a struct's. `Block::Big` is a variant and `std::ops::Range` nobody's mirror.
fn names_a_struct(path: &Path, body: &Body<'_>) -> bool {
    let mut names = path.segments.iter().rev().map(|segment| segment.ident.to_string());
    let upper_case = |name: &String| name.starts_with(|first: char| first.is_uppercase());
    let is_struct = names.next().as_ref().is_some_and(upper_case) && !names.next().as_ref().is_some_and(upper_case);
    let head = &path.segments[0].ident;
    let declared = body.imported.contains(&head.to_string()) || path.segments.len() == 1 && body.types.is_kept(head);
    is_struct
        && !declared
        && !is_foreign(path)
        // An alias has no type parameters in scope to name.
        && path.segments.iter().all(|segment| segment.arguments.is_none())
}

fn alias(prefix: &str, path: &Path) -> String {
    path.segments.iter().fold(prefix.to_owned(), |name, segment| format!("{name}_{}", segment.ident.unraw()))
}
