//! Which names a piece of code uses: path heads, `self.` methods, `Self::` items; also inside macro calls.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprMethodCall, Macro, Path, Signature};

/// Names used, gathered over any number of functions.
#[derive(Default)]
pub(crate) struct Names {
    /// First segments of paths.
    pub(crate) heads: BTreeSet<String>,
    /// Names called as methods.
    pub(crate) methods: BTreeSet<String>,
    /// `NAME` of `Self::NAME`.
    pub(crate) own: BTreeSet<String>,
    /// `(head, NAME)` of `head::NAME`.
    pub(crate) pairs: BTreeSet<(String, String)>,
}

impl Names {
    pub(crate) fn signature(&mut self, sig: &Signature) {
        self.visit_signature(sig);
    }

    pub(crate) fn block(&mut self, block: &Block) {
        self.visit_block(block);
    }

    pub(crate) fn expr(&mut self, expr: &Expr) {
        self.visit_expr(expr);
    }

    /// A macro's tokens are not syntax yet: every identifier counts as a head, what follows `.` or `::` by that.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (position, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(name) => {
                    let name = name.to_string();
                    if is_punct(&tokens, position.wrapping_sub(1), '.') {
                        self.methods.insert(name);
                    } else if is_punct(&tokens, position.wrapping_sub(1), ':')
                        && is_punct(&tokens, position.wrapping_sub(2), ':')
                    {
                        if let Some(TokenTree::Ident(head)) = tokens.get(position.wrapping_sub(3)) {
                            self.pair(head.to_string(), name);
                        }
                    } else {
                        self.heads.insert(name);
                    }
                }
                _ => {}
            }
        }
    }

    fn pair(&mut self, head: String, name: String) {
        if head == "Self" {
            self.own.insert(name.clone());
        }
        self.pairs.insert((head, name));
    }
}

fn is_punct(tokens: &[TokenTree], position: usize, expected: char) -> bool {
    matches!(tokens.get(position), Some(TokenTree::Punct(punct)) if punct.as_char() == expected)
}

impl<'ast> Visit<'ast> for Names {
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        self.methods.insert(call.method.to_string());
        visit::visit_expr_method_call(self, call);
    }

    fn visit_path(&mut self, path: &'ast Path) {
        if path.leading_colon.is_none() {
            let mut segments = path.segments.iter();
            if let Some(head) = segments.next() {
                self.heads.insert(head.ident.to_string());
                if let Some(next) = segments.next() {
                    self.pair(head.ident.to_string(), next.ident.to_string());
                }
            }
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }
}
