//! Paths of attributes as places in Rust: `self.layers[0].query.weight`.
//!
//! Invariant: every path becomes a legal expression, and two paths never the same one; legal field names stay as they are.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use crate::ir::{Graph, ModulePath};

use super::identifier::identifier;

/// The places of a graph's attributes.
pub(super) struct Places {
    by_path: HashMap<ModulePath, TokenStream>,
}

impl Places {
    pub(super) fn new(graph: &Graph) -> Self {
        let mut paths: Vec<&ModulePath> = graph.nodes().filter_map(|(_, node)| node.target().path()).collect();
        // Field names that need no change are given first, so that an odd one never takes the place of another.
        paths.sort_by_key(|path| !path.segments().all(is_plain));
        let mut given = HashSet::new();
        let mut by_path = HashMap::new();
        for path in paths {
            if by_path.contains_key(path) {
                continue;
            }
            let mut count = 0;
            let found = loop {
                let found = place(path, count);
                if given.insert(found.to_string()) {
                    break found;
                }
                count += 1;
            };
            by_path.insert(path.clone(), found);
        }
        Self { by_path }
    }

    /// The place of an attribute of the graph that these were made for.
    pub(super) fn of(&self, path: &ModulePath) -> TokenStream {
        self.by_path.get(path).cloned().unwrap_or_else(|| place(path, 0))
    }
}

fn is_plain(segment: &str) -> bool {
    index(segment).is_some() || *identifier(segment).to_string().trim_start_matches("r#") == *segment
}

/// A number as Rust writes it, `0` but not `00`.
fn index(segment: &str) -> Option<usize> {
    segment.parse().ok().filter(|index: &usize| index.to_string() == segment)
}

/// The place of a path; its last segment has a number if other places were the same so far.
fn place(path: &ModulePath, count: usize) -> TokenStream {
    let mut place = quote!(self);
    // The model itself, if it is a layer that is called whole.
    let segments: Vec<&str> = if path.is_root() { vec!["module"] } else { path.segments().collect() };
    for (i, segment) in segments.iter().enumerate() {
        let number = if i + 1 == segments.len() { count } else { 0 };
        place = match (index(segment), number) {
            (Some(index), 0) => {
                let index = Literal::usize_unsuffixed(index);
                quote!(#place[#index])
            }
            (_, 0) => {
                let field = identifier(segment);
                quote!(#place.#field)
            }
            (_, number) => {
                let field = Ident::new(&format!("{}_{number}", identifier(segment)), Span::call_site());
                quote!(#place.#field)
            }
        };
    }
    place
}
