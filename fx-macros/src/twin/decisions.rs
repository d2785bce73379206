//! Methods of numbers that decide something, `n.is_multiple_of(2)`, `n.checked_sub(3)` or `n.lt(&5)`: noted as comparisons are.
//!
//! The call stays as it is, and what it is called with is looked at before it. So this must be something that can be looked at
//! twice: variables, fields, literals, and arithmetic of those. Whether they are numbers only rustc knows (`compare`).
//!
//! Invariant: what is written here has the span of the method, so that guards name the user's line.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{BinOp, Expr, ExprBinary, ExprLit, ExprMethodCall, Lit, LitInt, RangeLimits, UnOp};

use crate::paths::Paths;

/// What a method is noted as.
pub(super) enum Noted {
    /// By the name of a decision.
    Decision(&'static str),
    /// By the name of a relation between what it is called on and its argument, or 0.
    Relation(&'static str),
}

/// What a method is noted as, by its name and its arguments.
pub(super) fn of(call: &ExprMethodCall) -> Option<Noted> {
    let is_lent = matches!(call.args.first(), Some(Expr::Reference(_)));
    let noted = match (&*call.method.to_string(), call.args.len()) {
        ("is_multiple_of", 1) => Noted::Decision("Multiple"),
        ("checked_sub", 1) => Noted::Decision("Subtraction"),
        (
            "checked_div" | "checked_rem" | "checked_div_euclid" | "checked_rem_euclid" | "checked_next_multiple_of",
            1,
        ) => Noted::Decision("Division"),
        ("cmp" | "partial_cmp", 1) if is_lent => Noted::Decision("Order"),
        ("contains", 1) if is_lent => Noted::Decision("Among"),
        ("is_power_of_two", 0) => Noted::Decision("Power"),
        ("eq", 1) => Noted::Relation("Eq"),
        ("ne", 1) => Noted::Relation("Ne"),
        ("lt", 1) => Noted::Relation("Lt"),
        ("le", 1) => Noted::Relation("Le"),
        ("gt", 1) => Noted::Relation("Gt"),
        ("ge", 1) => Noted::Relation("Ge"),
        ("is_positive", 0) => Noted::Relation("Gt"),
        ("is_negative", 0) => Noted::Relation("Lt"),
        _ => return None,
    };
    call.turbofish.is_none().then_some(noted)
}

/// The statements that note what the method decides by; none if that cannot be looked at twice.
pub(super) fn noted(call: &ExprMethodCall, paths: &Paths) -> Option<TokenStream> {
    let noted = of(call)?;
    let ExprMethodCall { receiver, method, args, .. } = call;
    if !can_be_repeated(receiver) || !args.iter().all(can_be_repeated) {
        return None;
    }
    let (span, compare) = (method.span(), paths.private("compare"));
    let argument = args.first().map_or_else(|| quote_spanned!(span=> 0i128), typed);
    let traits = quote_spanned!(span=> use #compare::{NoteIntegers as _, NoteNothing as _};);
    if let (Expr::Range(range), Noted::Decision("Among")) = (bare(receiver), &noted) {
        let closed = matches!(range.limits, RangeLimits::Closed(_));
        let ends = [("Ge", &range.start), (if closed { "Le" } else { "Lt" }, &range.end)];
        let notes = ends.into_iter().filter_map(|(relation, end)| {
            let (end, relation) = (typed(end.as_ref()?), Ident::new(relation, span));
            Some(quote_spanned! {span=>
                (&#compare::Compared(&(#argument), &(#end))).__fx_note(#compare::Relation::#relation, true);
            })
        });
        return Some(quote_spanned!(span=> { #traits #(#notes)* }));
    }
    let receiver = typed(receiver);
    let note = match noted {
        Noted::Decision(decision) => {
            let decision = Ident::new(decision, span);
            quote_spanned!(span=> __fx_note_decision(#compare::Decision::#decision))
        }
        Noted::Relation(relation) => {
            let relation = Ident::new(relation, span);
            quote_spanned!(span=> __fx_note(#compare::Relation::#relation, true))
        }
    };
    Some(quote_spanned! {span=> {
        #traits
        (&#compare::Compared(&(#receiver), &(#argument))).#note;
    }})
}

/// An integer that says no type of its own gets one: in the call its type follows from the other side, here it would be `i32`.
fn typed(expr: &Expr) -> TokenStream {
    match bare(expr) {
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) if int.suffix().is_empty() => {
            LitInt::new(&format!("{}i128", int.base10_digits()), int.span()).into_token_stream()
        }
        Expr::Reference(reference) => typed(&reference.expr),
        _ => expr.into_token_stream(),
    }
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
pub(super) fn can_be_repeated(expr: &Expr) -> bool {
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
                    | BinOp::BitAnd(_)
                    | BinOp::BitOr(_)
                    | BinOp::BitXor(_)
            );
            is_arithmetic && can_be_repeated(left) && can_be_repeated(right)
        }
        Expr::Array(array) => array.elems.iter().all(can_be_repeated),
        Expr::Range(range) => [&range.start, &range.end].into_iter().flatten().all(|end| can_be_repeated(end)),
        _ => false,
    }
}
