//! Reads of a tensor's data on the traced path, which a graph does not have while it is recorded.
//!
//! Invariant: only what is certainly traced is reported: free functions with the attribute, and methods that a `forward`
//! of the same impl is or calls. Elsewhere the capture says so when it comes there.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Block, ExprMethodCall, Macro, Path};

use crate::errors::{Errors, Message};

/// candle's methods that give numbers for tensors.
const READS: [&str; 5] = ["to_scalar", "to_vec0", "to_vec1", "to_vec2", "to_vec3"];

/// Reports every read in a body.
pub(crate) fn report_reads(block: &Block, errors: &Errors) {
    Reads(errors).visit_block(block);
}

struct Reads<'a>(&'a Errors);

impl Reads<'_> {
    fn check(&self, name: &Ident) {
        if READS.iter().any(|read| name == read) {
            self.0.report(name, Message::DataRead(name.to_string()));
        }
    }

    /// In a macro's tokens, `.to_scalar` is a call of it.
    fn tokens(&self, tokens: TokenStream) {
        let mut after_dot = false;
        for token in tokens {
            match &token {
                TokenTree::Ident(name) if after_dot => self.check(name),
                TokenTree::Group(group) => self.tokens(group.stream()),
                _ => {}
            }
            after_dot = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
        }
    }
}

impl<'ast> Visit<'ast> for Reads<'_> {
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        // From inside out is the order in which they are written.
        visit::visit_expr_method_call(self, call);
        if call.args.is_empty() {
            self.check(&call.method);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let mut from_end = path.segments.iter().rev();
        if let (Some(last), Some(owner)) = (from_end.next(), from_end.next())
            && owner.ident == "Tensor"
        {
            self.check(&last.ident);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.tokens(call.tokens.clone());
    }
}
