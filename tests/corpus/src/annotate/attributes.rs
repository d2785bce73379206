//! Chooses the attribute of every item of a file and the place in front of it.
//!
//! An attribute goes behind doc comments and `cfg`s, so that what is compiled out is never annotated, and in front of
//! everything else, `derive` included, which fx wants to see.
//!
//! Left alone: items that have an attribute of fx already, trait definitions, macros, unions, foreign functions.

use proc_macro2::Span;
use syn::{Attribute, Item, ItemFn, Visibility};

use super::classify::{methods, Class, Classes};
use super::signature::{mentions_tensor, parameters, reads_data, result, returns_closure, takes_weights};
use super::source::{head, walk, SourceFile};
use super::{Insertion, Summary};

const MODULE: &str = "#[fx::module]";
const INCLUDE: &str = "#[fx(include)]";
const SPECIALIZE: &str = "#[fx::module(specialize)]";
const CONSTANT: &str = "#[fx::constant]";
const CLONE: &str = "#[derive(Clone)]";

/// The insertions for one file, in order of position, and the counts.
pub(super) fn insertions(file: &SourceFile, classes: &Classes) -> (Vec<Insertion>, Summary) {
    let mut writer = Writer { file, insertions: Vec::new() };
    let mut summary = Summary { files: 1, ..Summary::default() };
    walk(&file.syntax.items, &mut |item| match item {
        Item::Struct(item) => {
            let keyword = item.struct_token.span;
            let class = classes.class(file, &item.ident.to_string());
            writer.type_definition(&item.attrs, &item.vis, keyword, class, &mut summary);
        }
        Item::Enum(item) => {
            let keyword = item.enum_token.span;
            let class = classes.class(file, &item.ident.to_string());
            writer.type_definition(&item.attrs, &item.vis, keyword, class, &mut summary);
        }
        Item::Impl(item) => {
            let builders = classes.builders(file, item);
            if builders.is_empty() && !classes.is_computation(file, item) {
                return;
            }
            let keyword = item.unsafety.map_or(item.impl_token.span, |token| token.span);
            let reads = methods(item).any(|method| reads_data(&method.block));
            summary.impls += writer.insert(&item.attrs, keyword, &[if reads { SPECIALIZE } else { MODULE }]);
            for method in builders {
                writer.insert(&method.attrs, head(&method.vis, method.sig.fn_token.span), &[INCLUDE]);
            }
        }
        Item::Fn(item) if is_computation(file, classes, item) || is_builder(file, item) => {
            let attribute = if reads_data(&item.block) { SPECIALIZE } else { MODULE };
            summary.functions += writer.insert(&item.attrs, function_head(item), &[attribute]);
        }
        _ => {}
    });
    (writer.insertions, summary)
}

struct Writer<'a> {
    file: &'a SourceFile,
    insertions: Vec<Insertion>,
}

impl Writer<'_> {
    fn type_definition(
        &mut self,
        attributes: &[Attribute],
        visibility: &Visibility,
        keyword: Span,
        class: Class,
        summary: &mut Summary,
    ) {
        let head = head(visibility, keyword);
        match class {
            Class::Module => summary.structs += self.insert(attributes, head, &[MODULE]),
            Class::Constant { clone: true } => summary.constants += self.insert(attributes, head, &[CONSTANT]),
            Class::Constant { clone: false } => {
                summary.constants += self.insert(attributes, head, &[CONSTANT, CLONE]);
            }
            Class::Other => {}
        }
    }

    /// Puts attributes in front of an item whose own tokens begin at `head`. Returns how many items were annotated.
    fn insert(&mut self, attributes: &[Attribute], head: Span, texts: &[&str]) -> usize {
        if attributes.iter().any(is_ours) {
            return 0;
        }
        let conditions = attributes.iter().rposition(is_condition).map_or(0, |last| last + 1);
        let next = attributes[conditions..].iter().find(|attribute| !attribute.path().is_ident("doc"));
        let token = self.file.position(next.map_or(head, |attribute| attribute.pound_token.span));
        self.insertions.extend(texts.iter().map(|text| Insertion::attribute(&self.file.text, token, text)));
        1
    }
}

fn is_ours(attribute: &Attribute) -> bool {
    attribute.path().segments.first().is_some_and(|segment| segment.ident == "fx")
}

fn is_condition(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr")
}

/// Whether a free function takes tensors and is not one that makes a layer of them.
fn is_computation(file: &SourceFile, classes: &Classes, item: &ItemFn) -> bool {
    let signature = &item.sig;
    signature.abi.is_none()
        && mentions_tensor(file, &parameters(signature))
        && !takes_weights(signature)
        && !result(signature).iter().any(|path| classes.is_layer(file, path))
}

/// Whether a free function builds a part of a model of closures. One that returns a layer need not be annotated.
fn is_builder(file: &SourceFile, item: &ItemFn) -> bool {
    let signature = &item.sig;
    signature.abi.is_none()
        && signature.constness.is_none()
        && !mentions_tensor(file, &parameters(signature))
        && returns_closure(file, signature)
}

fn function_head(item: &ItemFn) -> Span {
    let signature = &item.sig;
    let qualifiers = [signature.constness.map(|token| token.span), signature.asyncness.map(|token| token.span)];
    let first = qualifiers.into_iter().flatten().next();
    head(&item.vis, first.unwrap_or(signature.fn_token.span))
}
