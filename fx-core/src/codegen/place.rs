//! Paths of attributes as places in Rust: `self.layers[0].query.weight`.
//!
//! Invariant: every path becomes a legal expression; legal field names stay as they are.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::ir::ModulePath;

use super::identifier::identifier;

/// The place of an attribute.
pub(super) fn place(path: &ModulePath) -> TokenStream {
    let mut place = quote!(self);
    for segment in path.segments() {
        if !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit()) {
            let index = segment.parse::<usize>().map_or_else(|_| Literal::string(segment), Literal::usize_unsuffixed);
            place = quote!(#place[#index]);
        } else {
            let field = identifier(segment);
            place = quote!(#place.#field);
        }
    }
    place
}
