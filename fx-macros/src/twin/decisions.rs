//! Methods of numbers, and of what has them for keys, that decide something, `n.is_multiple_of(2)` or `sizes.contains(&n)`: noted
//! as comparisons are.
//!
//! The call stays as it is, and what it is called with is looked at before it. So this must be something that can be looked at
//! twice: variables, fields, literals, and arithmetic of those. Whether they are numbers only rustc knows (`compare`).
//!
//! Invariant: what is written here has the span of the method, so that guards name the user's line.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::{BinOp, Expr, ExprBinary, ExprCall, ExprMethodCall, RangeLimits, UnOp};

use crate::paths::Paths;

/// A call that may decide something: `receiver.method(argument)`, or `usize::method(receiver, argument)`.
struct Call<'c> {
    method: &'c Ident,
    receiver: &'c Expr,
    argument: &'c Expr,
}

impl<'c> Call<'c> {
    fn of_method(call: &'c ExprMethodCall) -> Option<Self> {
        let argument = call.args.first().filter(|_| call.args.len() == 1 && call.turbofish.is_none())?;
        Some(Self { method: &call.method, receiver: &call.receiver, argument })
    }

    /// Of the types of numbers, and of std's traits, which are no traits of tensors.
    fn of_function(call: &'c ExprCall) -> Option<Self> {
        const OWNERS: [&str; 17] = [
            "usize",
            "isize",
            "u8",
            "u16",
            "u32",
            "u64",
            "u128",
            "i8",
            "i16",
            "i32",
            "i64",
            "i128",
            "f32",
            "f64",
            "PartialEq",
            "PartialOrd",
            "Ord",
        ];
        let Expr::Path(path) = &*call.func else { return None };
        let mut from_last = path.path.segments.iter().rev();
        let (method, owner) = (&from_last.next()?.ident, &from_last.next()?.ident);
        let mut args = call.args.iter();
        let (Some(receiver), Some(argument), None) = (args.next(), args.next(), args.next()) else { return None };
        (path.qself.is_none() && OWNERS.contains(&&*owner.to_string())).then_some(Self { method, receiver, argument })
    }

    /// What it is noted as, by its name and its argument.
    fn decision(&self) -> Option<&'static str> {
        let is_lent = matches!(self.argument, Expr::Reference(_));
        Some(match &*self.method.to_string() {
            "is_multiple_of" => "Multiple",
            "checked_sub" => "Subtraction",
            "checked_div"
            | "checked_rem"
            | "checked_div_euclid"
            | "checked_rem_euclid"
            | "checked_next_multiple_of" => "Division",
            "cmp" | "partial_cmp" | "lt" | "le" | "gt" | "ge" | "binary_search" if is_lent => "Order",
            "eq" | "ne" if is_lent => "Equal",
            "contains" | "contains_key" | "get" | "get_mut" | "get_key_value" | "remove" if is_lent => "Among",
            "entry" | "insert" => "Among",
            "starts_with" if is_lent => "Front",
            "ends_with" if is_lent => "Back",
            _ => return None,
        })
    }

    /// The statements that note it; none if what it is called with cannot be looked at twice.
    fn noted(&self, paths: &Paths) -> Option<TokenStream> {
        let decision = self.decision()?;
        let Self { method, receiver, argument } = self;
        if !can_be_repeated(argument) || !can_be_repeated(receiver) {
            return None;
        }
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
}

/// Whether a method may decide something.
pub(super) fn is_decision(call: &ExprMethodCall) -> bool {
    Call::of_method(call).is_some_and(|call| call.decision().is_some())
}

/// Whether a function may decide something.
pub(super) fn is_decision_of(call: &ExprCall) -> bool {
    Call::of_function(call).is_some_and(|call| call.decision().is_some())
}

/// The statements that note what a method decides by; none if that cannot be looked at twice.
pub(super) fn noted(call: &ExprMethodCall, paths: &Paths) -> Option<TokenStream> {
    Call::of_method(call)?.noted(paths)
}

/// The same of a function.
pub(super) fn noted_of(call: &ExprCall, paths: &Paths) -> Option<TokenStream> {
    Call::of_function(call)?.noted(paths)
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
        // The shape of something is asked again for nothing.
        Expr::MethodCall(call) => call.method == "dims" && call.args.is_empty() && can_be_repeated(&call.receiver),
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
