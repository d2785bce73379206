//! The options users write: in the attribute itself, on fields, and on methods of an impl.
//!
//! Attribute macros have no helper attributes, so `#[fx(…)]` must be taken off before the item goes back to rustc;
//! [`take_field_options`] and [`take_method_options`] do both at once.
//!
//! Invariant: an option that is unknown, or given twice, is an error that names those that are known.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::parse::Parser;
use syn::{Attribute, LitStr, Path, Token};

use crate::errors::{Errors, Message};
use crate::paths::Paths;

/// The options of `#[fx::constant]`: the names of the crate, `crate = some::path`, which all three attributes know.
pub(crate) fn constant_options(options: TokenStream, errors: &Errors) -> Paths {
    read_options("`#[fx::constant]`", options, &["crate"], &mut [], errors)
}

/// The options of `#[fx::module]` besides the names of the crate.
#[derive(Default, Clone, Copy)]
pub(crate) struct ModuleOptions {
    /// Data may be read while it is recorded.
    pub(crate) specialize: bool,
    /// The impl is of a trait that has the attribute too.
    pub(crate) mirrored: bool,
}

/// The options of `#[fx::module]`.
pub(crate) fn module_options(options: TokenStream, errors: &Errors) -> (Paths, ModuleOptions) {
    let mut read = ModuleOptions::default();
    let flags = &mut [("specialize", &mut read.specialize), ("mirrored", &mut read.mirrored)];
    let paths = read_options("`#[fx::module]`", options, &["crate", "specialize", "mirrored"], flags, errors);
    (paths, read)
}

/// The options of `#[fx::wrap]`: the names of the crate, and whether the function only computes its result.
pub(crate) fn wrap_options(options: TokenStream, errors: &Errors) -> (Paths, bool) {
    let mut pure = false;
    let paths = read_options("`#[fx::wrap]`", options, &["crate", "pure"], &mut [("pure", &mut pure)], errors);
    (paths, pure)
}

fn read_options(
    place: &'static str,
    options: TokenStream,
    known: &'static [&'static str],
    flags: &mut [(&'static str, &mut bool)],
    errors: &Errors,
) -> Paths {
    let mut root: Option<Path> = None;
    let parser = syn::meta::parser(|meta| {
        if let Some((_, flag)) = flags.iter_mut().find(|(name, _)| meta.path.is_ident(name)) {
            set(flag, &meta, errors);
            return Ok(());
        }
        if !meta.path.is_ident("crate") {
            unknown(&meta, place, known, errors);
            return skip_value(&meta);
        }
        if root.is_some() {
            errors.report(&meta.path, Message::DuplicateOption("crate".to_owned()));
        }
        root = Some(meta.value()?.call(Path::parse_mod_style)?);
        Ok(())
    });
    if let Err(error) = parser.parse2(options) {
        errors.syn(error);
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
    take(attributes, errors, |meta| {
        if meta.path.is_ident("constant") {
            set(&mut options.constant, &meta, errors);
        } else if meta.path.is_ident("leaf") {
            set(&mut options.leaf, &meta, errors);
        } else if meta.path.is_ident("rename") {
            if options.rename.is_some() {
                errors.report(&meta.path, Message::DuplicateOption("rename".to_owned()));
            }
            let name = meta.value()?.parse::<LitStr>()?;
            if name.value().is_empty() {
                errors.report(&name, Message::EmptyRename);
            }
            options.rename = Some(name.value());
            return Ok(());
        } else {
            unknown(&meta, "a field", &["constant", "leaf", "rename"], errors);
            return skip_value(&meta);
        }
        if options.constant && options.leaf {
            errors.report(&meta.path, Message::ConflictingOptions("constant", "leaf"));
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
    take(attributes, errors, |meta| {
        if meta.path.is_ident("skip") {
            set(&mut options.skip, &meta, errors);
        } else if meta.path.is_ident("include") {
            set(&mut options.include, &meta, errors);
        } else if meta.path.is_ident("specialize") {
            set(&mut options.specialize, &meta, errors);
        } else {
            unknown(&meta, "a method", &["skip", "include", "specialize"], errors);
            return skip_value(&meta);
        }
        if options.skip && options.include {
            errors.report(&meta.path, Message::ConflictingOptions("skip", "include"));
        }
        Ok(())
    });
    options
}

fn take(
    attributes: &mut Vec<Attribute>,
    errors: &Errors,
    mut read: impl FnMut(ParseNestedMeta<'_>) -> syn::Result<()>,
) {
    attributes.retain(|attribute| {
        if !attribute.path().is_ident("fx") {
            return true;
        }
        if let Err(error) = attribute.parse_nested_meta(&mut read) {
            errors.syn(error);
        }
        false
    });
}

fn set(flag: &mut bool, meta: &ParseNestedMeta<'_>, errors: &Errors) {
    if std::mem::replace(flag, true) {
        errors.report(&meta.path, Message::DuplicateOption(path_text(&meta.path)));
    }
}

fn unknown(meta: &ParseNestedMeta<'_>, place: &'static str, known: &'static [&'static str], errors: &Errors) {
    errors.report(&meta.path, Message::UnknownOption { place, found: path_text(&meta.path), known });
}

/// Steps over `= value` or `(…)`, so that the options after an unknown one are still read.
fn skip_value(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(Token![=]) {
        meta.value()?.parse::<syn::Expr>()?;
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
