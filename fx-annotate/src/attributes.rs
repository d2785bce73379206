//! Chooses the attribute of every item of a file and the place in front of it.
//!
//! An attribute goes behind doc comments and `cfg`s, so that what is compiled out is never annotated, and in front of
//! everything else, `derive` included, which fx wants to see.
//!
//! Left alone: items that have an attribute of fx already, traits without tensors, macros, unions, foreign functions.

use std::collections::BTreeSet;
use std::path::Path;

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Fields, ImplItemFn, Item, ItemFn, ItemImpl, Signature, Type, UseTree, Visibility};

use crate::classify::transformers::is_settings;
use crate::classify::{Class, Classes, methods};
use crate::signature::{mentions_tensor, parameters, reads_data, result, returns_closure, takes_weights};
use crate::source::{SourceFile, head, segments, walk};
use crate::{Insertion, Left, Summary};

const MODULE: &str = "#[fx::module]";
const INCLUDE: &str = "#[fx(include)]";
const SKIP: &str = "#[fx(skip)]";
const CONSTANT: &str = "#[fx::constant]";
const SETTINGS: &str = "#[fx(constant)]";
const CLONE: &str = "#[derive(Clone)]";
const SPLIT: &str = "use fx::symbolic::SplitOp as _;";

/// The insertions for one file, in order of position, and the counts.
pub(super) fn insertions(path: &Path, file: &SourceFile, classes: &Classes) -> (Vec<Insertion>, Summary) {
    let mut writer = Writer { file, insertions: Vec::new() };
    let mut summary = Summary { files: 1, ..Summary::default() };
    let mut named = inherent_methods(file);
    let mut left = Vec::new();
    let mut leave = |kind: &str, name: &Ident, reason: String| {
        let (item, line) = (format!("{kind} `{name}`"), name.span().start().line);
        left.push(Left { path: path.to_owned(), line, item, reason });
    };
    walk(&file.syntax.items, &mut |item| match item {
        Item::Struct(item) => {
            let keyword = item.struct_token.span;
            let class = classes.class(file, &item.ident.to_string());
            if let Some(reason) = classes.left(file, &item.ident.to_string()) {
                leave("struct", &item.ident, reason.to_owned());
            }
            writer.type_definition(&item.attrs, &item.vis, keyword, class, &mut summary);
            writer.settings(&item.attrs, &item.fields, class);
        }
        Item::Enum(item) => {
            let keyword = item.enum_token.span;
            let class = classes.class(file, &item.ident.to_string());
            if let Some(reason) = classes.left(file, &item.ident.to_string()) {
                leave("enum", &item.ident, reason.to_owned());
            }
            writer.type_definition(&item.attrs, &item.vis, keyword, class, &mut summary);
            item.variants.iter().for_each(|variant| writer.settings(&item.attrs, &variant.fields, class));
        }
        Item::Use(item) if !file.text.contains(SPLIT) && imports_of_transformers(file, &item.tree, "SplitOp") => {
            summary.imports += writer.insert(&item.attrs, head(&item.vis, item.use_token.span), &[SPLIT]);
        }
        Item::Trait(item) if classes.is_mirrored_trait(&item.ident.to_string()) => {
            let first = item.unsafety.map_or(item.trait_token.span, |token| token.span);
            summary.traits += writer.insert(&item.attrs, head(&item.vis, first), &[MODULE]);
        }
        Item::Impl(item) if classes.is_mirrored(file, item) => {
            summary.impls += writer.insert(&item.attrs, item.impl_token.span, &[&of_impl(item, true, classes)]);
        }
        Item::Impl(item) if classes.is_standard(file, item) => {
            summary.impls += writer.insert(&item.attrs, item.impl_token.span, &[&of_impl(item, false, classes)]);
        }
        Item::Impl(item) => {
            let builders = classes.builders(file, item);
            let makes = |method: &ImplItemFn| {
                builders.iter().any(|builder| std::ptr::eq(*builder, method)) || classes.is_maker(file, item, method)
            };
            if !methods(item).any(makes) && !classes.is_computation(file, item) {
                return;
            }
            let keyword = item.unsafety.map_or(item.impl_token.span, |token| token.span);
            let annotated = writer.insert(&item.attrs, keyword, &[&of_impl(item, false, classes)]);
            summary.impls += annotated;
            let own_trait = classes.is_of_own_trait(file, item);
            for method in methods(item).filter(|_| annotated > 0) {
                let has_twin = own_trait && method.sig.receiver().is_some();
                if has_twin && type_name(item).is_some_and(|ty| !named.insert((ty, method.sig.ident.to_string()))) {
                    writer.insert(&method.attrs, method_head(method), &[SKIP]);
                    continue;
                }
                if makes(method) {
                    writer.insert(&method.attrs, method_head(method), &[INCLUDE]);
                    continue;
                }
                let followed = method.sig.receiver().is_some() || mentions_tensor(file, &parameters(&method.sig));
                let reason = match classes.is_driver(file, item, method) {
                    true => Some("it reads data, and nothing that computes calls it".to_owned()),
                    false => classes.out_of_reach(file, &method.sig),
                };
                if let Some(reason) = reason.filter(|_| followed && !takes_weights(&method.sig)) {
                    writer.insert(&method.attrs, method_head(method), &[SKIP]);
                    leave("fn", &method.sig.ident, reason);
                }
            }
        }
        Item::Fn(item) if is_computation(file, classes, item) || is_builder(file, item) => {
            let named = Traits::named(classes, None, |traits| traits.visit_signature(&item.sig));
            let options = [
                (!named.is_empty()).then(|| format!("bounds({})", named.join(", "))),
                reads_data(&item.block).then(|| "specialize".to_owned()),
                classes.chosen_by(file, &item.sig).map(|name| format!("by({name})")),
            ];
            summary.functions += writer.insert(&item.attrs, function_head(item), &[&module(options)]);
        }
        Item::Fn(item) if mentions_tensor(file, &parameters(&item.sig)) && !takes_weights(&item.sig) => {
            let reason = classes.out_of_reach(file, &item.sig);
            leave("fn", &item.sig.ident, reason.unwrap_or_else(|| "it makes a layer of tensors".to_owned()));
        }
        _ => {}
    });
    summary.left = left;
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

    /// Says of a module's fields which are settings of another crate's.
    fn settings(&mut self, attributes: &[Attribute], fields: &Fields, class: Class) {
        if class != Class::Module || attributes.iter().any(is_ours) {
            return;
        }
        for field in fields.iter().filter(|field| is_settings(self.file, &field.ty)) {
            let first = field.ident.as_ref().map_or_else(|| field.ty.span(), Ident::span);
            self.insert(&field.attrs, head(&field.vis, first), &[SETTINGS]);
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

/// The methods that types of a file have without a trait, each with the name of its type.
fn inherent_methods(file: &SourceFile) -> BTreeSet<(String, String)> {
    let mut named = BTreeSet::new();
    walk(&file.syntax.items, &mut |item| {
        if let Item::Impl(item) = item
            && let (None, Some(ty)) = (&item.trait_, type_name(item))
        {
            named.extend(methods(item).map(|method| (ty.clone(), method.sig.ident.to_string())));
        }
    });
    named
}

/// The name of the type that an impl is of.
fn type_name(item: &ItemImpl) -> Option<String> {
    match &*item.self_ty {
        Type::Path(ty) => ty.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    }
}

/// The attribute of an impl, with its options.
fn of_impl(item: &ItemImpl, mirrored: bool, classes: &Classes) -> String {
    let own = mirrored.then(|| item.trait_.as_ref().map(|(path, _)| path)).flatten();
    let named = Traits::named(classes, own, |traits| traits.visit_item_impl(item));
    module([
        mirrored.then(|| "mirrored".to_owned()),
        reads(item).then(|| "specialize".to_owned()),
        (!named.is_empty()).then(|| format!("bounds({})", named.join(", "))),
    ])
}

/// The attribute with options.
fn module(options: impl IntoIterator<Item = Option<String>>) -> String {
    let options: Vec<String> = options.into_iter().flatten().collect();
    if options.is_empty() { MODULE.to_owned() } else { format!("#[fx::module({})]", options.join(", ")) }
}

/// The traits for both worlds that an item names: as bounds, and where it takes their objects.
struct Traits<'a> {
    classes: &'a Classes,
    found: Vec<String>,
}

impl<'a> Traits<'a> {
    /// Those that the visit meets, without the one that an impl is of, in order.
    fn named(classes: &'a Classes, own: Option<&syn::Path>, visit: impl FnOnce(&mut Self)) -> Vec<String> {
        let mut traits = Self { classes, found: Vec::new() };
        visit(&mut traits);
        let own = own.map(|path| segments(path).join("::"));
        traits.found.retain(|name| Some(name) != own.as_ref());
        traits.found
    }
}

impl<'ast> Visit<'ast> for Traits<'_> {
    fn visit_trait_bound(&mut self, bound: &'ast syn::TraitBound) {
        let name = segments(&bound.path).join("::");
        if self.classes.is_mirrored_trait(&last_of(&bound.path)) && !self.found.contains(&name) {
            self.found.push(name);
        }
        visit::visit_trait_bound(self, bound);
    }
}

fn last_of(path: &syn::Path) -> String {
    path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default()
}

/// Whether a `use` brings a name.
fn imports(tree: &UseTree, wanted: &str) -> bool {
    match tree {
        UseTree::Name(tree) => tree.ident == wanted,
        UseTree::Rename(tree) => tree.ident == wanted,
        UseTree::Path(tree) => imports(&tree.tree, wanted),
        UseTree::Group(group) => group.items.iter().any(|tree| imports(tree, wanted)),
        UseTree::Glob(_) => false,
    }
}

/// The same of a name that is candle-transformers'.
fn imports_of_transformers(file: &SourceFile, tree: &UseTree, wanted: &str) -> bool {
    imports(tree, wanted) && file.resolved(&[wanted.to_owned()])[0] == "candle_transformers"
}

/// Whether a method of it asks tensors for their numbers.
fn reads(item: &ItemImpl) -> bool {
    methods(item).any(|method| reads_data(&method.block))
}

fn is_ours(attribute: &Attribute) -> bool {
    attribute.path().segments.first().is_some_and(|segment| segment.ident == "fx")
}

fn is_condition(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr")
}

/// Whether a free function takes tensors, or modules of which it is asked, and is not one that makes a layer of them.
fn is_computation(file: &SourceFile, classes: &Classes, item: &ItemFn) -> bool {
    let signature = &item.sig;
    let takes_tensors = mentions_tensor(file, &parameters(signature));
    let gives_tensors = mentions_tensor(file, &result(signature));
    // What a computation asks of a module.
    let asks = || classes.is_asked_by(signature);
    let takes_modules = || parameters(signature).iter().any(|path| classes.is_module(file, path));
    signature.abi.is_none()
        && (takes_tensors || ((gives_tensors || asks()) && takes_modules()))
        && !takes_weights(signature)
        && !classes.is_out_of_reach(file, signature)
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
    head(&item.vis, first_of(&item.sig))
}

fn method_head(method: &ImplItemFn) -> Span {
    head(&method.vis, first_of(&method.sig))
}

/// The first token of a signature.
fn first_of(signature: &Signature) -> Span {
    let qualifiers = [signature.constness.map(|token| token.span), signature.asyncness.map(|token| token.span)];
    let first = qualifiers.into_iter().flatten().next();
    first.unwrap_or(signature.fn_token.span)
}
