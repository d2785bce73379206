//! Writes type aliases out: `type Pair = (Tensor, Tensor)` holds tensors wherever a crate names it, so that what reads the
//! syntax afterwards need not know of aliases.
//!
//! Invariant: only types are replaced, and by types, so that every item keeps its place in the text. An alias with parameters
//! stays, and so does a `Result` by whatever name: whose errors it has says nothing of what is computed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use proc_macro2::{Ident, Span};
use syn::visit_mut::{self, VisitMut};
use syn::{Item, PathSegment, Type};

use crate::source::{Origin, Segments, SourceFile, segments, walk};

/// How many aliases of aliases are followed; a cycle is an error that rustc reports.
const DEPTH: usize = 4;

struct Alias {
    module: Segments,
    /// What it stands for, as any file of the crate can say it.
    ty: Type,
}

/// Writes out the aliases of a crate in all its files.
pub(super) fn write_out(files: &mut BTreeMap<PathBuf, SourceFile>) {
    let mut aliases: HashMap<String, Vec<Alias>> = HashMap::new();
    for file in files.values() {
        let defined = defined(file, true);
        walk(&file.syntax.items, &mut |item| {
            if let Item::Type(item) = item
                && item.generics.params.is_empty()
                && !item.ident.to_string().ends_with("Result")
            {
                let mut ty = (*item.ty).clone();
                FromAnywhere { file, defined: &defined }.visit_type_mut(&mut ty);
                let alias = Alias { module: file.module.clone(), ty };
                aliases.entry(item.ident.to_string()).or_default().push(alias);
            }
        });
    }
    if aliases.is_empty() {
        return;
    }
    for file in files.values_mut() {
        let mut syntax = file.syntax.clone();
        WriteOut { aliases: &aliases, file, defined: defined(file, false), depth: 0 }.visit_file_mut(&mut syntax);
        file.syntax = syntax;
    }
}

/// Names of the types and traits that a file defines, with or without its aliases.
fn defined(file: &SourceFile, aliases: bool) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    walk(&file.syntax.items, &mut |item| {
        let name = match item {
            Item::Struct(item) => &item.ident,
            Item::Enum(item) => &item.ident,
            Item::Trait(item) => &item.ident,
            Item::Type(item) if aliases => &item.ident,
            _ => return,
        };
        names.insert(name.to_string());
    });
    names
}

/// Paths as another file can say them: imports written out, and the file's own types with its module before them.
struct FromAnywhere<'a> {
    file: &'a SourceFile,
    defined: &'a BTreeSet<String>,
}

impl VisitMut for FromAnywhere<'_> {
    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        visit_mut::visit_path_mut(self, path);
        let written = segments(path);
        let head = match &written[..] {
            [name] if self.defined.contains(name) => {
                let module = ["crate".to_owned()].into_iter().chain(self.file.module.iter().cloned());
                module.chain([name.clone()]).collect()
            }
            [head, ..] => self.file.resolved(std::slice::from_ref(head)),
            [] => return,
        };
        let Some((last, before)) = head.split_last() else { return };
        if let Some(first) = path.segments.first_mut() {
            first.ident = Ident::new(last, Span::call_site());
        }
        for (position, name) in before.iter().enumerate() {
            path.segments.insert(position, PathSegment::from(Ident::new(name, Span::call_site())));
        }
    }
}

struct WriteOut<'a> {
    aliases: &'a HashMap<String, Vec<Alias>>,
    file: &'a SourceFile,
    defined: BTreeSet<String>,
    depth: usize,
}

impl WriteOut<'_> {
    /// The alias that a path names in this file: its own, one that it imports or writes with the module, or what a `*` can
    /// have brought.
    fn named(&self, path: &[String]) -> Option<&Type> {
        let candidates = self.aliases.get(path.last()?)?;
        if let [name] = path {
            if self.defined.contains(name) {
                return None;
            }
            if let Some(own) = candidates.iter().find(|alias| alias.module == self.file.module) {
                return Some(&own.ty);
            }
        }
        let Origin::Crate(path) = self.file.origin(path) else { return None };
        let module = path.iter().rev().nth(1);
        if module.is_none() && self.file.globs.is_empty() {
            return None;
        }
        let of_module = |alias: &&Alias| module.is_some() && alias.module.last() == module;
        let found = candidates.iter().find(of_module);
        found.or(if candidates.len() == 1 { candidates.first() } else { None }).map(|alias| &alias.ty)
    }
}

impl VisitMut for WriteOut<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        let named = match &*ty {
            Type::Path(path) if path.qself.is_none() && self.depth < DEPTH => {
                self.named(&segments(&path.path)).cloned()
            }
            _ => None,
        };
        match named {
            Some(means) => {
                *ty = means;
                self.depth += 1;
                self.visit_type_mut(ty);
                self.depth -= 1;
            }
            None => visit_mut::visit_type_mut(self, ty),
        }
    }
}
