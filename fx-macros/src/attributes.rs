//! Which of the user's attributes go where, and the lints that generated items are exempt from.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::visit_mut::VisitMut;
use syn::{Attribute, Fields, Item, Meta};

use crate::errors::{Errors, Message};

/// The attributes that decide whether an item exists: every item made from it carries them.
pub(crate) fn cfgs(attributes: &[Attribute]) -> Vec<&Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect()
}

/// The attributes a second copy of a function keeps. Documentation, tests and instrumentation stay with the first.
pub(crate) fn for_twin(attributes: &[Attribute]) -> Vec<Attribute> {
    let kept = ["cfg", "inline", "track_caller"];
    attributes.iter().filter(|attribute| kept.iter().any(|name| attribute.path().is_ident(name))).cloned().collect()
}

/// What the user says about lints applies to the body, which stands in an item of ours; the rest is about the name.
pub(crate) fn for_body(attributes: &[Attribute]) -> Vec<Attribute> {
    let about_body = ["allow", "expect", "warn", "deny", "inline", "track_caller"];
    let kept = attributes.iter().filter(|attribute| about_body.iter().any(|name| attribute.path().is_ident(name)));
    kept.map(without_expectation).collect()
}

/// The attributes of a function whose body stands elsewhere.
pub(crate) fn for_name(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes.iter().map(without_expectation).collect()
}

/// `expect` as `allow` on a type and its parts: what its mirror uses is not dead any more.
pub(crate) fn without_expectations(item: &mut Item) {
    struct Each;
    impl VisitMut for Each {
        fn visit_attribute_mut(&mut self, attribute: &mut Attribute) {
            *attribute = without_expectation(attribute);
        }
    }
    Each.visit_item_mut(item);
}

/// `expect` as `allow`: of the name and the body, the lint is about one, and would be missed at the other.
fn without_expectation(attribute: &Attribute) -> Attribute {
    let mut attribute = attribute.clone();
    if let Meta::List(list) = &mut attribute.meta
        && list.path.is_ident("expect")
    {
        list.path = Ident::new("allow", list.path.segments[0].ident.span()).into();
    }
    attribute
}

/// Whether `#[derive(…)]` among the attributes names `trait_name`.
pub(crate) fn derives(attributes: &[Attribute], trait_name: &str) -> bool {
    attributes.iter().any(|attribute| {
        let Meta::List(list) = &attribute.meta else {
            return false;
        };
        let mut found = false;
        if list.path.is_ident("derive") {
            // A derive that does not parse is rustc's to report.
            let _ = list.parse_nested_meta(|meta| {
                found |= meta.path.segments.last().is_some_and(|segment| segment.ident == trait_name);
                Ok(())
            });
        }
        found
    })
}

/// Reports the other attributes of ours that the item has: each is expanded for itself, so one of them is too many.
pub(crate) fn report_others(item: &Item, own: &'static str, errors: &Errors) {
    let attributes = match item {
        Item::Struct(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        _ => return,
    };
    for (attribute, other) in others(attributes) {
        let message = if other == own { Message::Twice(own) } else { Message::Together(own, other) };
        errors.report(attribute.path(), message);
    }
}

/// Takes away and reports the attributes of ours on parts of a type, which rustc would not expand there.
pub(crate) fn report_on_parts(item: &mut Item, errors: &Errors) {
    let take = |attributes: &mut Vec<Attribute>, place: &'static str| {
        for (attribute, name) in others(attributes) {
            errors.report(attribute.path(), Message::OnPart { attribute: name, place });
        }
        attributes.retain(|attribute| others(std::slice::from_ref(attribute)).next().is_none());
    };
    let fields = |fields: &mut Fields| fields.iter_mut().for_each(|field| take(&mut field.attrs, "a field"));
    match item {
        Item::Struct(item) => fields(&mut item.fields),
        Item::Enum(item) => {
            for variant in &mut item.variants {
                take(&mut variant.attrs, "a variant");
                fields(&mut variant.fields);
            }
        }
        _ => {}
    }
}

/// The attributes of ours among those of an item, and which they are.
fn others(attributes: &[Attribute]) -> impl Iterator<Item = (&Attribute, &'static str)> {
    attributes.iter().filter_map(|attribute| {
        let segments = &attribute.path().segments;
        let is_ours = segments.len() == 2 && segments[0].ident == "fx";
        let name = ["module", "constant", "wrap"].into_iter().find(|name| is_ours && segments[1].ident == name)?;
        Some((attribute, name))
    })
}

/// Lints judge what people wrote; the second copy would only repeat what they say about the first.
///
/// `warnings` covers what is at that level; the others may have been raised to errors.
pub(crate) fn allow_generated() -> TokenStream {
    quote! {
        #[allow(
            warnings,
            unused,
            nonstandard_style,
            clippy::all,
            clippy::pedantic,
            clippy::nursery,
            clippy::restriction,
            reason = "generated by candle-fx"
        )]
    }
}

/// What stands on each impl for a type of the user's: it also uses what they have called deprecated.
pub(crate) fn derived() -> TokenStream {
    quote!(#[automatically_derived] #[allow(deprecated, reason = "generated by candle-fx")])
}
