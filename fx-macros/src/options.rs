//! The options users write: in the attribute itself, on fields, and on methods of an impl.
//!
//! Attribute macros have no helper attributes, so `#[fx(…)]` must be taken off before the item goes back to rustc;
//! [`take_field_options`] and [`take_method_options`] do both at once.
//!
//! Invariant: an option that is unknown, or given twice, is an error that names those that are known.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::parse::Parser;
use syn::visit_mut::VisitMut;
use syn::{Attribute, Expr, ExprLit, Item, Lit, Path, Token};

use crate::errors::{Errors, Message};
use crate::paths::Paths;

/// The options of `#[fx::constant]`: the names of the crate, `crate = some::path`, which all three attributes know.
pub(crate) fn constant_options(options: TokenStream, errors: &Errors) -> Paths {
    read_options("`#[fx::constant]`", options, &mut [], &mut [], errors)
}

/// The options of `#[fx::module]` besides the names of the crate.
#[derive(Default)]
pub(crate) struct ModuleOptions {
    /// Data may be read while it is recorded.
    pub(crate) specialize: bool,
    /// The impl is of a trait that has the attribute too.
    pub(crate) mirrored: bool,
    /// The traits among the bounds of the impl that have the attribute too.
    pub(crate) bounds: Vec<Path>,
    /// The parameter that the function is chosen by.
    pub(crate) by: Vec<Path>,
}

/// The options of `#[fx::module]`.
pub(crate) fn module_options(options: TokenStream, errors: &Errors) -> (Paths, ModuleOptions) {
    let mut read = ModuleOptions::default();
    let ModuleOptions { specialize, mirrored, bounds, by } = &mut read;
    let flags = &mut [("specialize", specialize), ("mirrored", mirrored)];
    let paths = read_options("`#[fx::module]`", options, flags, &mut [("bounds", bounds), ("by", by)], errors);
    (paths, read)
}

/// The options of `#[fx::wrap]`: the names of the crate, and whether the function only computes its result.
pub(crate) fn wrap_options(options: TokenStream, errors: &Errors) -> (Paths, bool) {
    let mut pure = false;
    let paths = read_options("`#[fx::wrap]`", options, &mut [("pure", &mut pure)], &mut [], errors);
    (paths, pure)
}

/// Reads `crate = …`, these flags and these lists of paths.
fn read_options(
    place: &'static str,
    options: TokenStream,
    flags: &mut [(&'static str, &mut bool)],
    lists: &mut [(&'static str, &mut Vec<Path>)],
    errors: &Errors,
) -> Paths {
    let others: Vec<&'static str> = std::iter::once("crate").chain(lists.iter().map(|(name, _)| *name)).collect();
    let known: Vec<&'static str> = others.iter().copied().chain(flags.iter().map(|(name, _)| *name)).collect();
    let mut root: Option<Path> = None;
    let parser = syn::meta::parser(|meta| {
        if let Some((name, paths)) = lists.iter_mut().find(|(name, _)| meta.path.is_ident(name)) {
            let content;
            syn::parenthesized!(content in meta.input);
            let read = content.parse_terminated(Path::parse_mod_style, Token![,])?;
            if !paths.is_empty() {
                errors.report(&meta.path, Message::DuplicateOption((*name).to_owned()));
            }
            paths.extend(read);
            return Ok(());
        }
        if !meta.path.is_ident("crate") {
            return read_flag(&meta, place, &others, flags, errors);
        }
        if root.is_some() {
            errors.report(&meta.path, Message::DuplicateOption("crate".to_owned()));
        }
        match meta.value().and_then(|value| value.call(Path::parse_mod_style)) {
            Ok(path) => root = Some(path),
            Err(_) => {
                errors.report(&meta.path, Message::CratePath);
                skip_to_comma(&meta)?;
            }
        }
        Ok(())
    });
    if let Err(error) = parser.parse2(options) {
        errors.report_at(error.span(), Message::OptionForm { place, known });
    }
    Paths::new(root)
}

/// How one field is mirrored.
#[derive(Default)]
pub(crate) struct FieldOptions {
    /// Plain data: the mirror holds a clone.
    pub(crate) constant: bool,
    /// A call of the field's value is one node of the graph.
    pub(crate) leaf: bool,
    /// The name in the graph, if not the field's own.
    pub(crate) rename: Option<String>,
}

/// Takes the `#[fx(…)]` attributes off a field and reads them.
pub(crate) fn take_field_options(attributes: &mut Vec<Attribute>, errors: &Errors) -> FieldOptions {
    let mut options = FieldOptions::default();
    let known = &["rename", "constant", "leaf"];
    take(attributes, "a field", known, errors, |meta| {
        if meta.path.is_ident("rename") {
            if options.rename.is_some() {
                errors.report(&meta.path, Message::DuplicateOption("rename".to_owned()));
            }
            options.rename = read_name(&meta, errors)?;
            return Ok(());
        }
        let flags = &mut [("constant", &mut options.constant), ("leaf", &mut options.leaf)];
        read_flag(&meta, "a field", &["rename"], flags, errors)?;
        if options.constant && options.leaf {
            errors.report(&meta.path, Message::ConflictingOptions("constant", "leaf"));
            (options.constant, options.leaf) = (false, false);
        }
        Ok(())
    });
    options
}

/// Whether a method gets a twin, where its author knows better than the macro.
#[derive(Default, Clone, Copy)]
pub(crate) struct MethodOptions {
    pub(crate) skip: bool,
    pub(crate) include: bool,
    /// Data may be read in it.
    pub(crate) specialize: bool,
}

/// Takes the `#[fx(…)]` attributes off a method and reads them.
pub(crate) fn take_method_options(attributes: &mut Vec<Attribute>, errors: &Errors) -> MethodOptions {
    let mut options = MethodOptions::default();
    let known = &["skip", "include", "specialize"];
    take(attributes, "a method", known, errors, |meta| {
        let MethodOptions { skip, include, specialize } = &mut options;
        let flags = &mut [("skip", skip), ("include", include), ("specialize", specialize)];
        read_flag(&meta, "a method", &[], flags, errors)?;
        if options.skip && options.include {
            errors.report(&meta.path, Message::ConflictingOptions("skip", "include"));
        }
        Ok(())
    });
    options
}

/// Takes away and reports the `#[fx(…)]` attributes that stand where none can; those of fields and methods are gone by now.
///
/// Bodies are left alone: items in them are looked at for themselves.
pub(crate) fn report_stray(item: &mut Item, errors: &Errors) {
    struct Stray<'a>(&'a Errors);
    impl VisitMut for Stray<'_> {
        fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
            attributes.retain(|attribute| {
                let stray = attribute.path().is_ident("fx");
                if stray {
                    self.0.report(attribute.path(), Message::StrayOption);
                }
                !stray
            });
        }
        fn visit_block_mut(&mut self, _: &mut syn::Block) {}
    }
    Stray(errors).visit_item_mut(item);
}

/// The tokens of an item that cannot be read, without `#[fx(…)]`, which rustc does not know.
///
/// What has none stays the token that it was: rustc says a thing once of the same tokens.
pub(crate) fn without_options(item: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in item {
        match token {
            TokenTree::Group(group) if is_option(&group) && kept.last().is_some_and(is_hash) => {
                kept.pop();
            }
            TokenTree::Group(group) if has_options(group.stream()) => {
                let mut inside = Group::new(group.delimiter(), without_options(group.stream()));
                inside.set_span(group.span());
                kept.push(inside.into());
            }
            other => kept.push(other),
        }
    }
    kept.into_iter().collect()
}

fn has_options(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => is_option(&group) || has_options(group.stream()),
        _ => false,
    })
}

/// `[fx(…)]`, but not `[fx::module]`.
fn is_option(group: &Group) -> bool {
    let mut tokens = group.stream().into_iter();
    let is_named_fx = matches!(tokens.next(), Some(TokenTree::Ident(name)) if name == "fx");
    let is_path = matches!(tokens.next(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    group.delimiter() == Delimiter::Bracket && is_named_fx && !is_path
}

fn is_hash(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == '#')
}

fn take(
    attributes: &mut Vec<Attribute>,
    place: &'static str,
    known: &[&'static str],
    errors: &Errors,
    mut read: impl FnMut(ParseNestedMeta<'_>) -> syn::Result<()>,
) {
    attributes.retain(|attribute| {
        if !attribute.path().is_ident("fx") {
            let inside = inside_cfg_attr(attribute);
            if let Some(ours) = &inside {
                errors.report(ours, Message::InsideCfgAttr);
            }
            return inside.is_none();
        }
        if let Err(error) = attribute.parse_nested_meta(&mut read) {
            errors.report_at(error.span(), Message::OptionForm { place, known: known.to_vec() });
        }
        false
    });
}

/// The `fx` of `#[cfg_attr(predicate, fx(constant))]`, which rustc has not looked into yet.
fn inside_cfg_attr(attribute: &Attribute) -> Option<Ident> {
    let list = attribute.meta.require_list().ok().filter(|list| list.path.is_ident("cfg_attr"))?;
    list.tokens.clone().into_iter().skip(1).find_map(|token| match token {
        TokenTree::Ident(name) if name == "fx" => Some(name),
        _ => None,
    })
}

/// Sets the flag of that name. What is no flag is unknown; `others` are known besides, and have been looked for.
fn read_flag(
    meta: &ParseNestedMeta<'_>,
    place: &'static str,
    others: &[&'static str],
    flags: &mut [(&'static str, &mut bool)],
    errors: &Errors,
) -> syn::Result<()> {
    let found = path_text(&meta.path);
    let Some((_, flag)) = flags.iter_mut().find(|(name, _)| meta.path.is_ident(name)) else {
        let known = others.iter().copied().chain(flags.iter().map(|(name, _)| *name)).collect();
        errors.report(&meta.path, Message::UnknownOption { place, found, known });
        return skip_value(meta);
    };
    if std::mem::replace(*flag, true) {
        errors.report(&meta.path, Message::DuplicateOption(found));
    } else if meta.input.peek(Token![=]) || meta.input.peek(syn::token::Paren) {
        errors.report(&meta.path, Message::FlagWithValue(found));
    }
    skip_value(meta)
}

/// The text of `rename = "…"`.
fn read_name(meta: &ParseNestedMeta<'_>, errors: &Errors) -> syn::Result<Option<String>> {
    if meta.input.peek(Token![=]) {
        let value = meta.value()?.parse::<Expr>()?;
        match &value {
            Expr::Lit(ExprLit { lit: Lit::Str(name), .. }) if !name.value().is_empty() => {
                return Ok(Some(name.value()));
            }
            _ => errors.report(&value, Message::EmptyRename),
        }
    } else {
        errors.report(&meta.path, Message::EmptyRename);
        skip_value(meta)?;
    }
    Ok(None)
}

/// Steps over what cannot be read, so that the options after it are.
fn skip_to_comma(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    while !meta.input.is_empty() && !meta.input.peek(Token![,]) {
        meta.input.parse::<TokenTree>()?;
    }
    Ok(())
}

/// Steps over `= value` or `(…)`, so that the options after an unknown one are still read.
fn skip_value(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(Token![=]) {
        meta.value()?.parse::<Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        let content;
        syn::parenthesized!(content in meta.input);
        content.parse::<TokenStream>()?;
    }
    Ok(())
}

fn path_text(path: &Path) -> String {
    path.segments.iter().map(|segment| segment.ident.unraw().to_string()).collect::<Vec<_>>().join("::")
}
