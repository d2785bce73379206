//! Loops and closures in a twin: how often they go round is noted when the model is captured at several sizes, because a graph
//! has no loops.
//!
//! Each has a number in its function, because what a macro writes has one line.
//!
//! Invariant: what is written here has the span of the loop, so that a message names the user's line; what a loop or closure
//! gives, and to whom, stays as it is.

use proc_macro2::Ident;
use syn::spanned::Spanned;
use syn::{Block, Expr, ExprBlock, ExprClosure, Stmt};

use crate::paths::Paths;

/// The loop, noted; none if it is none.
pub(super) fn noted(expr: &mut Expr, site: u32, paths: &Paths) -> Option<Expr> {
    let (span, body) = match expr {
        Expr::ForLoop(each) => (each.for_token.span, &mut each.body),
        Expr::While(each) => (each.while_token.span, &mut each.body),
        Expr::Loop(each) => (each.loop_token.span, &mut each.body),
        _ => return None,
    };
    let (rounds, compare) = (Ident::new("__fx_rounds", span), paths.private("compare"));
    body.stmts.insert(0, syn::parse_quote_spanned!(span=> #rounds.round();));
    Some(syn::parse_quote_spanned! {span=> {
        let #rounds = #compare::Rounds::of_loop(#site);
        #expr
    }})
}

/// The closure, whose calls are noted.
pub(super) fn note_calls(closure: &mut ExprClosure, site: u32, paths: &Paths) {
    if closure.asyncness.is_some() || closure.constness.is_some() {
        return;
    }
    let span = closure.inputs_begin.span();
    let (rounds, compare) = (Ident::new("__fx_rounds", span), paths.private("compare"));
    let call: Stmt = syn::parse_quote_spanned!(span=> let #rounds = #compare::Rounds::of_closure(#site););
    let placeholder = Expr::Tuple(syn::parse_quote!(()));
    let value = Stmt::Expr(std::mem::replace(&mut *closure.body, placeholder), None);
    let block = Block { brace_token: syn::token::Brace(span), stmts: vec![call, value] };
    *closure.body = Expr::Block(ExprBlock { attrs: Vec::new(), label: None, block });
}
