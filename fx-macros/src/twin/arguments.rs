//! What stands in the macros that a body calls, where it is expressions: those are rewritten as others are.
//!
//! Invariant: what is written is what was read, with the separators it had.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut;
use syn::{Expr, Pat, Token};

use super::body::Body;

/// Macros whose arguments are expressions.
pub(super) const OF_EXPRESSIONS: &[&str] = &[
    "vec",
    "format",
    "print",
    "println",
    "eprint",
    "eprintln",
    "write",
    "writeln",
    "panic",
    "todo",
    "unimplemented",
    "unreachable",
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "bail",
    "ensure",
    "anyhow",
    "dbg",
];

/// `a, b, c`, or `x; n` with the separator remembered.
pub(super) struct Arguments(pub(super) Vec<Expr>, bool, bool);

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.is_empty() {
            return Ok(Arguments(Vec::new(), false, false));
        }
        let first: Expr = input.parse()?;
        if input.peek(Token![;]) {
            input.parse::<Token![;]>()?;
            return Ok(Arguments(vec![first, input.parse()?], true, false));
        }
        let mut all = vec![first];
        let mut trailing = false;
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            trailing = input.is_empty();
            if !trailing {
                all.push(input.parse()?);
            }
        }
        Ok(Arguments(all, false, trailing))
    }
}

impl Arguments {
    pub(super) fn write(&self) -> proc_macro2::TokenStream {
        let Arguments(all, repeat, trailing) = self;
        let end = trailing.then(|| quote::quote!(,));
        if *repeat { quote::quote!(#(#all);*) } else { quote::quote!(#(#all),* #end) }
    }
}

/// `matches!(expr, pat if guard)`.
pub(super) struct Matches {
    pub(super) expr: Expr,
    pub(super) pat: Pat,
    pub(super) guard: Option<Expr>,
}

impl Parse for Matches {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let expr = input.parse()?;
        input.parse::<Token![,]>()?;
        let pat = Pat::parse_multi_with_leading_vert(input)?;
        let guard = if input.peek(Token![if]) {
            input.parse::<Token![if]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        Punctuated::<Expr, Token![,]>::parse_terminated(input)?;
        Ok(Matches { expr, pat, guard })
    }
}

impl Matches {
    pub(super) fn visit(&mut self, body: &mut Body<'_>) {
        body.visit_expr_mut(&mut self.expr);
        body.visit_pat_mut(&mut self.pat);
        if let Some(guard) = &mut self.guard {
            body.visit_expr_mut(guard);
        }
    }

    pub(super) fn write(&self) -> proc_macro2::TokenStream {
        let Matches { expr, pat, guard } = self;
        let guard = guard.as_ref().map(|guard| quote::quote!(if #guard));
        quote::quote!(#expr, #pat #guard)
    }
}
