//! Methods of numbers that decide something, `n.is_multiple_of(2)` or `n.checked_sub(3)`: noted as comparisons are.
//!
//! The call stays as it is, and what it is called with is looked at before it. So this must be something that can be looked at
//! twice: variables, fields, literals, and arithmetic of those. Whether they are numbers only rustc knows (`compare`).
//!
//! Invariant: what is written here has the span of the method, so that guards name the user's line.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::{BinOp, Expr, ExprBinary, ExprMethodCall, RangeLimits, UnOp};

use crate::paths::Paths;

/// What a method is noted as, by its name and the number of its arguments.
pub(super) fn of(call: &ExprMethodCall) -> Option<&'static str> {
    let is_lent = matches!(call.args.first(), Some(Expr::Reference(_)));
    let decision = match (&*call.method.to_string(), call.args.len()) {
        ("is_multiple_of", 1) => "Multiple",
        ("checked_sub", 1) => "Subtraction",
        (
            "checked_div" | "checked_rem" | "checked_div_euclid" | "checked_rem_euclid" | "checked_next_multiple_of",
            1,
        ) => "Division",
        ("cmp" | "partial_cmp", 1) if is_lent => "Order",
        ("contains", 1) if is_lent => "Among",
        _ => return None,
    };
    call.turbofish.is_none().then_some(decision)
}

/// The statements that note what the method decides by; none if that cannot be looked at twice.
pub(super) fn noted(call: &ExprMethodCall, paths: &Paths) -> Option<TokenStream> {
    let decision = of(call)?;
    let ExprMethodCall { receiver, method, args, .. } = call;
    let argument = args.first().filter(|argument| can_be_repeated(argument) && can_be_repeated(receiver))?;
    let (span, compare) = (method.span(), paths.private("compare"));
    let traits = quote_spanned!(span=> use #compare::{NoteIntegers as _, NoteNothing as _};);
    if let (Expr::Range(range), "Among") = (bare(receiver), decision) {
        let closed = matches!(range.limits, RangeLimits::Closed(_));
        let ends = [("Ge", &range.start), (if closed { "Le" } else { "Lt" }, &range.end)];
        let notes = ends.into_iter().filter_map(|(relation, end)| {
            let (end, relation) = (end.as_ref()?, Ident::new(relation, span));
            Some(quote_spanned! {span=>
                (&#compare::Compared(&(#argument), &(#end))).__fx_note(#compare::Relation::#relation, true);
            })
        });
        return Some(quote_spanned!(span=> { #traits #(#notes)* }));
    }
    let decision = Ident::new(decision, span);
    Some(quote_spanned! {span=> {
        #traits
        (&#compare::Compared(&(#receiver), &(#argument))).__fx_note_decision(#compare::Decision::#decision);
    }})
}

/// What is in parentheses.
fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(paren) => bare(&paren.expr),
        Expr::Group(group) => bare(&group.expr),
        other => other,
    }
}

/// Whether looking at it changes nothing.
fn can_be_repeated(expr: &Expr) -> bool {
    match bare(expr) {
        Expr::Path(path) => path.qself.is_none() && path.path.get_ident().is_some(),
        Expr::Lit(_) => true,
        Expr::Field(field) => can_be_repeated(&field.base),
        Expr::Reference(reference) => reference.mutability.is_none() && can_be_repeated(&reference.expr),
        Expr::Unary(unary) => !matches!(unary.op, UnOp::Not(_)) && can_be_repeated(&unary.expr),
        Expr::Cast(cast) => can_be_repeated(&cast.expr),
        Expr::Binary(ExprBinary { left, op, right, .. }) => {
            let is_arithmetic = matches!(
                op,
                BinOp::Add(_)
                    | BinOp::Sub(_)
                    | BinOp::Mul(_)
                    | BinOp::Div(_)
                    | BinOp::Rem(_)
                    | BinOp::Shl(_)
                    | BinOp::Shr(_)
            );
            is_arithmetic && can_be_repeated(left) && can_be_repeated(right)
        }
        Expr::Array(array) => array.elems.iter().all(can_be_repeated),
        Expr::Range(range) => [&range.start, &range.end].into_iter().flatten().all(|end| can_be_repeated(end)),
        _ => false,
    }
}
