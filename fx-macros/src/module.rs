//! `#[fx::module]`: finds out what kind of item it is on.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::Item;

use crate::errors::{Errors, Message};
use crate::options::module_options;
use crate::{function, mirror, traits, twin};

/// Expands `#[fx::module(options)] item`.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let errors = Errors::new();
    let (paths, mut options) = module_options(options, &errors);
    let parsed = match syn::parse2::<Item>(item.clone()) {
        Ok(parsed) => parsed,
        Err(error) => {
            errors.syn(error);
            return errors.finish(TokenStream::new(), &item);
        }
    };
    let of_trait = matches!(&parsed, Item::Impl(item) if item.trait_.is_some());
    if options.mirrored && !of_trait {
        errors.report(&item, Message::Mirrored);
    }
    // Each branch takes the `#[fx(…)]` attributes off before anything else, so `original` is what rustc may see.
    let (original, generated) = match parsed {
        Item::Struct(mut item) => {
            misplaced(options.specialize, &item.ident, "a struct", &errors);
            let generated = mirror::expand_struct(&mut item, &paths, &errors);
            (item.to_token_stream(), quote!(#item #generated))
        }
        Item::Enum(mut item) => {
            misplaced(options.specialize, &item.ident, "an enum", &errors);
            let generated = mirror::expand_enum(&mut item, &paths, &errors);
            (item.to_token_stream(), quote!(#item #generated))
        }
        Item::Impl(mut item) => {
            options.mirrored &= of_trait;
            let generated = twin::expand_impl(&mut item, options, &paths, &errors);
            (item.to_token_stream(), quote!(#item #generated))
        }
        Item::Trait(item) => {
            misplaced(options.specialize, &item.ident, "a trait", &errors);
            (item.to_token_stream(), traits::expand(&item, &paths, &errors))
        }
        Item::Fn(item) => (item.to_token_stream(), function::expand(&item, options.specialize, &paths, &errors)),
        other => {
            let goes_on = "a struct, an enum, an impl, a trait or a free function";
            errors.report(&other, Message::WrongItem { attribute: "module", goes_on, found: kind(&other) });
            (item, TokenStream::new())
        }
    };
    errors.finish(generated, &original)
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
