//! One parsed file: its text, its syntax tree, and what its names mean.
//!
//! Names are resolved by looking at the file's own `use` lines, which is enough to tell candle's types from the
//! crate's own and two types of the same name in different files from each other. No macro is expanded.
//!
//! Invariant: [`SourceFile::position`] is a position in `text`, also behind a byte order mark or a `#!` line, which the
//! parser leaves out.

use std::collections::HashMap;
use std::path::Path;

use proc_macro2::Span;
use syn::{Attribute, Item, UseTree, Visibility};

/// A path as it is written, segment by segment, without generic arguments.
pub(super) type Segments = Vec<String>;

/// A parsed Rust file.
pub(super) struct SourceFile {
    pub(super) text: String,
    pub(super) syntax: syn::File,
    /// The module this file is, from its path: `src/models/bert.rs` is `models::bert`.
    pub(super) module: Segments,
    imports: HashMap<String, Segments>,
    /// Paths imported with `*`.
    pub(super) globs: Vec<Segments>,
    /// Bytes at the start of the text that the parser does not see.
    unseen: usize,
}

/// Where a name comes from.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// One of candle's crates; the last segment is the name there.
    Candle(String),
    /// The crate being annotated, or not known: the whole path.
    Crate(Segments),
    /// Any other crate.
    Foreign(String),
}

const CANDLE: [&str; 4] = ["candle", "candle_core", "candle_nn", "candle_transformers"];
const FOREIGN: [&str; 7] = ["std", "core", "alloc", "tracing", "serde", "serde_json", "rand"];

impl SourceFile {
    /// Parses a file given by its path, relative to the crate's root, and its text.
    pub(super) fn parse(path: &Path, text: String) -> syn::Result<Self> {
        let syntax = syn::parse_file(&text)?;
        let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let unseen = mark + syntax.shebang.as_ref().map_or(0, String::len);
        let mut imports = HashMap::new();
        let mut globs = Vec::new();
        walk(&syntax.items, &mut |item| {
            if let Item::Use(item) = item {
                import(&item.tree, &mut Vec::new(), &mut imports, &mut globs);
            }
        });
        Ok(Self { module: module_path(path), text, syntax, imports, globs, unseen })
    }

    /// The byte in the text where the span starts.
    pub(super) fn position(&self, span: Span) -> usize {
        self.unseen + span.byte_range().start
    }

    /// The path with the imports that its head goes through written out.
    pub(super) fn resolved(&self, path: &[String]) -> Segments {
        let mut path = path.to_vec();
        // `use candle_nn as nn; use nn::Linear;` takes two steps; a cycle is an error that rustc reports.
        for _ in 0..4 {
            match path.first().and_then(|head| self.imports.get(head)) {
                Some(full) if full[0] != path[0] => path.splice(..1, full.iter().cloned()),
                _ => break,
            };
        }
        path
    }

    /// Where the path's last name comes from, through the file's imports. A name that the file defines itself is to be
    /// looked up before.
    pub(super) fn origin(&self, path: &[String]) -> Origin {
        let path = self.resolved(path);
        let last = path.last().cloned().unwrap_or_default();
        match path.first().map(String::as_str) {
            Some(head) if CANDLE.contains(&head) => Origin::Candle(last),
            Some(head) if FOREIGN.contains(&head) => Origin::Foreign(last),
            Some(_) if path.len() == 1 && self.globs.iter().any(|glob| CANDLE.contains(&&*glob[0])) => {
                if matches!(&*last, "Tensor" | "Linear" | "Module") {
                    Origin::Candle(last)
                } else {
                    Origin::Crate(path)
                }
            }
            _ => Origin::Crate(path),
        }
    }
}

/// Calls `visit` on every item of a file or inline module, leaving out what is only compiled for tests.
pub(super) fn walk<'a>(items: &'a [Item], visit: &mut dyn FnMut(&'a Item)) {
    for item in items {
        if attributes_of(item).is_some_and(|attributes| attributes.iter().any(is_test)) {
            continue;
        }
        visit(item);
        if let Item::Mod(syn::ItemMod { content: Some((_, items)), .. }) = item {
            walk(items, visit);
        }
    }
}

/// The attributes of the items that can be annotated or entered.
fn attributes_of(item: &Item) -> Option<&[Attribute]> {
    match item {
        Item::Struct(item) => Some(&item.attrs),
        Item::Enum(item) => Some(&item.attrs),
        Item::Impl(item) => Some(&item.attrs),
        Item::Fn(item) => Some(&item.attrs),
        Item::Mod(item) => Some(&item.attrs),
        Item::Use(item) => Some(&item.attrs),
        Item::Trait(item) => Some(&item.attrs),
        _ => None,
    }
}

/// `#[test]`, `#[cfg(test)]`, `#[cfg(all(test, …))]`.
fn is_test(attribute: &Attribute) -> bool {
    if attribute.path().is_ident("test") {
        return true;
    }
    let Ok(list) = attribute.meta.require_list() else { return false };
    let words = list.tokens.to_string();
    attribute.path().is_ident("cfg") && (words == "test" || (words.starts_with("all") && words.contains("test")))
}

/// The first token of an item behind its attributes.
pub(super) fn head(visibility: &Visibility, keyword: Span) -> Span {
    match visibility {
        Visibility::Public(token) => token.span,
        Visibility::Restricted(restricted) => restricted.pub_token.span,
        Visibility::Inherited => keyword,
    }
}

/// The segments of a path, without generic arguments.
pub(super) fn segments(path: &syn::Path) -> Segments {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

fn import(tree: &UseTree, prefix: &mut Segments, imports: &mut HashMap<String, Segments>, globs: &mut Vec<Segments>) {
    let mut named = |name: String, last: String| {
        let mut path = prefix.clone();
        if last != "self" {
            path.push(last);
        }
        if !path.is_empty() {
            imports.insert(if name == "self" { path[path.len() - 1].clone() } else { name }, path);
        }
    };
    match tree {
        UseTree::Name(tree) => named(tree.ident.to_string(), tree.ident.to_string()),
        UseTree::Rename(tree) => named(tree.rename.to_string(), tree.ident.to_string()),
        UseTree::Glob(_) => {
            if !prefix.is_empty() {
                globs.push(prefix.clone());
            }
        }
        UseTree::Path(tree) => {
            prefix.push(tree.ident.to_string());
            import(&tree.tree, prefix, imports, globs);
            prefix.pop();
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| import(tree, prefix, imports, globs)),
    }
}

fn module_path(path: &Path) -> Segments {
    let mut module: Segments = path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.first().is_some_and(|part| part == "src") {
        module.remove(0);
    }
    if module.last().is_some_and(|part| matches!(&**part, "mod" | "lib" | "main")) {
        module.pop();
    }
    module
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> SourceFile {
        SourceFile::parse(Path::new("src/models/bert.rs"), text.to_owned()).unwrap()
    }

    fn path(path: &str) -> Segments {
        path.split("::").map(str::to_owned).collect()
    }

    #[test]
    fn names_are_followed_through_imports_and_aliases() {
        let file = file("use candle_nn as nn; use nn::{Linear as L, conv::{self}}; use super::with_tracing::Norm;");
        assert_eq!(file.origin(&path("L")), Origin::Candle("Linear".into()));
        assert_eq!(file.origin(&path("nn::Conv2d")), Origin::Candle("Conv2d".into()));
        assert_eq!(file.origin(&path("conv::Conv2d")), Origin::Candle("Conv2d".into()));
        assert_eq!(file.origin(&path("Norm")), Origin::Crate(path("super::with_tracing::Norm")));
        assert_eq!(file.origin(&path("std::sync::Arc")), Origin::Foreign("Arc".into()));
        assert_eq!(file.module, path("models::bert"));
    }

    #[test]
    fn positions_count_what_the_parser_skips() {
        for start in ["", "\u{feff}", "#!/usr/bin/env rust-script\n", "\u{feff}#!/x\n// é\n"] {
            let file = file(&format!("{start}struct Ä; struct Here;"));
            let Some(Item::Struct(item)) = file.syntax.items.get(1) else { panic!("a struct") };
            assert!(file.text[file.position(item.struct_token.span)..].starts_with("struct Here"), "{start:?}");
        }
    }

    #[test]
    fn tests_are_left_out_and_inline_modules_entered() {
        let file =
            file("mod a { struct In; } #[cfg(test)] mod tests { struct Out; } #[cfg(all(test, unix))] struct Out;");
        let mut names = Vec::new();
        walk(&file.syntax.items, &mut |item| {
            if let Item::Struct(item) = item {
                names.push(item.ident.to_string());
            }
        });
        assert_eq!(names, ["In"]);
    }
}
