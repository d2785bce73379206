//! `#[fx::module]`: finds out what kind of item it is on.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::Item;
use syn::ext::IdentExt;

use crate::attributes::{report_on_parts, report_others, without_expectations};
use crate::errors::{Errors, Message};
use crate::options::{module_options, report_stray, without_options};
use crate::{function, mirror, traits, twin};

/// Expands `#[fx::module(options)] item`.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let errors = Errors::new();
    let (paths, mut options) = module_options(options, &errors);
    let mut parsed = match syn::parse2::<Item>(item.clone()) {
        Ok(parsed) => parsed,
        Err(error) => {
            errors.syn(error);
            return errors.finish(TokenStream::new(), without_options(item));
        }
    };
    let of_trait = matches!(&parsed, Item::Impl(item) if item.trait_.is_some());
    if !matches!(&parsed, Item::Impl(_) | Item::Fn(_))
        && let Some(first) = options.bounds.first()
    {
        errors.report(first, Message::MisplacedBounds);
    }
    if !matches!(&parsed, Item::Fn(_))
        && let Some(first) = options.by.first()
    {
        errors.report(first, Message::MisplacedBy);
    }
    if options.mirrored && !of_trait {
        errors.report(&item, Message::Mirrored);
    }
    report_others(&parsed, "module", &errors);
    report_on_parts(&mut parsed, &errors);
    if matches!(parsed, Item::Struct(_) | Item::Enum(_)) {
        without_expectations(&mut parsed);
    }
    // Each branch takes the `#[fx(…)]` attributes off before anything else, so `original` is what rustc may see.
    let (mut original, generated) = match parsed {
        Item::Struct(mut item) => {
            misplaced(options.specialize, &item.ident, "a struct", &errors);
            let generated = mirror::expand_struct(&mut item, &paths, &errors);
            (Item::Struct(item.clone()), quote!(#item #generated))
        }
        Item::Enum(mut item) => {
            misplaced(options.specialize, &item.ident, "an enum", &errors);
            let generated = mirror::expand_enum(&mut item, &paths, &errors);
            (Item::Enum(item.clone()), quote!(#item #generated))
        }
        Item::Impl(mut item) => {
            options.mirrored &= of_trait;
            let (written, generated) = twin::expand_impl(&mut item, options, &paths, &errors);
            (Item::Impl(item), quote!(#written #generated))
        }
        Item::Trait(item) => {
            misplaced(options.specialize, &item.ident, "a trait", &errors);
            let generated = traits::expand(&item, &paths, &errors);
            (Item::Trait(item), generated)
        }
        Item::Fn(item) => {
            let generated = match item.sig.receiver() {
                Some(receiver) => {
                    errors.report(receiver, Message::OnMethod(item.sig.ident.unraw().to_string()));
                    TokenStream::new()
                }
                None => function::expand(&item, &options, &paths, &errors),
            };
            (Item::Fn(item), generated)
        }
        other => {
            let goes_on = "a struct, an enum, an impl, a trait or a free function";
            errors.report(&other, Message::WrongItem { attribute: "module", goes_on, found: kind(&other) });
            (other, TokenStream::new())
        }
    };
    report_stray(&mut original, &errors);
    errors.finish(generated, original.to_token_stream())
}

/// Reports `specialize` on what has no code.
fn misplaced(specialize: bool, name: &Ident, found: &'static str, errors: &Errors) {
    if specialize {
        errors.report(name, Message::MisplacedSpecialize(found));
    }
}

/// The kind of an item, as a message names it.
pub(crate) fn kind(item: &Item) -> &'static str {
    match item {
        Item::Const(_) => "a const",
        Item::Enum(_) => "an enum",
        Item::ExternCrate(_) => "an extern crate",
        Item::Fn(_) => "a function",
        Item::ForeignMod(_) => "an extern block",
        Item::Impl(_) => "an impl",
        Item::Macro(_) => "a macro",
        Item::Mod(_) => "a mod",
        Item::Static(_) => "a static",
        Item::Struct(_) => "a struct",
        Item::Trait(_) | Item::TraitAlias(_) => "a trait",
        Item::Type(_) => "a type alias",
        Item::Union(_) => "a union",
        Item::Use(_) => "a use",
        _ => "this item",
    }
}
