//! Floats that are made whole, `(n as f64 * 0.7) as usize` or `(n as f64 / 4.0).ceil()`: noted as comparisons with the whole number
//! and the next one, so that a guard tells where a float is not quite what an expression of integers gives.
//!
//! Whether something is a float only rustc knows; the traits of `rounded` in the runtime crate choose by autoref.
//!
//! Invariant: what is written here has the span of the method or of `as`, so that guards name the user's line.

use proc_macro2::Ident;
use quote::quote_spanned;
use syn::{BinOp, Expr, ExprBinary, ExprCast, ExprMethodCall, Type, parse_quote_spanned};

use super::decisions::can_be_repeated;
use crate::paths::Paths;

/// How a method rounds, by its name.
fn of(call: &ExprMethodCall) -> Option<&'static str> {
    let rounding = match &*call.method.to_string() {
        "floor" => "Down",
        "ceil" => "Up",
        "round" => "Nearest",
        "trunc" => "TowardZero",
        _ => return None,
    };
    (call.args.is_empty() && call.turbofish.is_none()).then_some(rounding)
}

/// Whether a method may make a float whole.
pub(super) fn is_rounding(call: &ExprMethodCall) -> bool {
    of(call).is_some()
}

/// The call, noted; none if it is one of a tensor, or what is rounded may not be looked at twice.
pub(super) fn noted(call: &ExprMethodCall, paths: &Paths) -> Option<Expr> {
    let (span, rounded) = (call.method.span(), paths.private("rounded"));
    let rounding = Ident::new(of(call)?, span);
    let ExprMethodCall { receiver, method, .. } = call;
    let traits = quote_spanned!(span=> use #rounded::{NoteNoRounding as _, NoteRounding as _};);
    if can_be_repeated(receiver) {
        return Some(parse_quote_spanned! {span=> {
            { #traits (&#rounded::Rounded(&(#receiver))).__fx_note(#rounded::Rounding::#rounding); }
            #call
        }});
    }
    let float = Ident::new("__fx_float", span);
    // What tensors give needs a `?`.
    matches!(**receiver, Expr::MethodCall(_)).then(|| {
        parse_quote_spanned! {span=>
            match #receiver {
                #float => {
                    { #traits (&#rounded::Rounded(&#float)).__fx_note(#rounded::Rounding::#rounding); }
                    #float.#method()
                }
            }
        }
    })
}

/// The cast, noted; none if it is not one of a float to an integer.
pub(super) fn noted_cast(cast: &ExprCast, paths: &Paths) -> Option<Expr> {
    let ExprCast { expr, ty, .. } = cast;
    let is_to_integer = |name: &Ident| name.to_string().starts_with(['u', 'i']);
    let Type::Path(path) = &**ty else { return None };
    if !path.path.get_ident().is_some_and(is_to_integer) || !may_be_float(expr) {
        return None;
    }
    let (span, rounded) = (cast.as_token.span, paths.private("rounded"));
    let float = Ident::new("__fx_float", span);
    Some(parse_quote_spanned! {span=>
        match #expr {
            #float => {
                use #rounded::{NoteNoRounding as _, NoteRounding as _};
                (&#rounded::Rounded(&#float)).__fx_note(#rounded::Rounding::TowardZero);
                #float as #ty
            }
        }
    })
}

/// Whether something can be a float, and its type does not depend on what it is cast to, as that of `1 << 40` does.
fn may_be_float(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(paren) => may_be_float(&paren.expr),
        Expr::Group(group) => may_be_float(&group.expr),
        Expr::Cast(cast) => {
            matches!(&*cast.ty, Type::Path(path) if path.path.is_ident("f32") || path.path.is_ident("f64"))
        }
        Expr::Path(_) | Expr::Field(_) | Expr::MethodCall(_) | Expr::Index(_) => true,
        Expr::Unary(unary) => may_be_float(&unary.expr),
        Expr::Binary(ExprBinary { left, op, right, .. }) => {
            let is_arithmetic =
                matches!(op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_));
            is_arithmetic && (may_be_float(left) || may_be_float(right))
        }
        _ => false,
    }
}
