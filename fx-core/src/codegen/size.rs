//! What follows the sizes of a run, as Rust: expressions over `usize` variables that are named like the sizes.
//!
//! Invariant: an expression is written once here, whatever it stands in.

use candle_core::DType;
use proc_macro2::{Group, Ident, Literal, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use super::identifier::identifier;
use super::literal::literal;
use crate::ir::Argument;
use crate::ops::kind::Kind;
use crate::value::{FloatFunction, FloatOp, FloatTerm, Relation, SymFloat, SymInt, SymNumber, SymOp, Term, Value};

/// What makes a size of a number that can be negative, by name; code that is written calls it where that is needed.
pub(super) const TO_SIZE: &str = "to_size";
/// What divides by a number that can be zero.
pub(super) const DIVIDE: &str = "divide";
/// What is left of such a division.
pub(super) const REMAINDER: &str = "remainder";

/// An expression over `usize` variables that are named like the sizes. Where numbers are not negative, Rust's division is
/// the graph's; where one can be, or a divisor can be zero, it is computed in `i64`, and an error if there is no size.
pub(super) fn expression(of: &SymInt) -> TokenStream {
    if is_safe(of) {
        return unsigned(of);
    }
    let (to_size, value) = (identifier(TO_SIZE), signed(of));
    quote!(#to_size(#value)?)
}

/// An expression in which nothing can be negative.
fn unsigned(of: &SymInt) -> TokenStream {
    match of.term() {
        Term::Int(int) => Literal::i64_unsuffixed(*int).into_token_stream(),
        Term::Symbol(name) => identifier(name).into_token_stream(),
        Term::Binary(op, left, right) => binary(*op, left, right, &unsigned, &|name| quote!(usize::#name)),
    }
}

/// An expression over the same variables that is an `i64`, and exact where it is negative.
fn signed(of: &SymInt) -> TokenStream {
    match of.term() {
        Term::Int(int) => Literal::i64_unsuffixed(*int).into_token_stream(),
        Term::Symbol(name) => {
            let name = identifier(name);
            quote!(#name as i64)
        }
        Term::Binary(op @ (SymOp::Div | SymOp::Rem), left, right) => {
            let by = (!is_positive(right)).then_some(if *op == SymOp::Div { DIVIDE } else { REMAINDER });
            let (left, right) = (signed(left), signed(right));
            match by.map(identifier) {
                Some(function) => quote!(#function(#left, #right)?),
                None if *op == SymOp::Div => quote!(i64::div_euclid(#left, #right)),
                None => quote!(i64::rem_euclid(#left, #right)),
            }
        }
        Term::Binary(op, left, right) => binary(*op, left, right, &signed, &|name| quote!(i64::#name)),
    }
}

/// An expression of two, each written by `side`; `of_type` is a function of their type.
fn binary(
    op: SymOp,
    left: &SymInt,
    right: &SymInt,
    side: &dyn Fn(&SymInt) -> TokenStream,
    of_type: &dyn Fn(Ident) -> TokenStream,
) -> TokenStream {
    let operand = |of: &SymInt| {
        let inside = side(of);
        // What is one word or a call needs no parentheses, a cast does.
        let is_one = syn::parse2(inside.clone()).is_ok_and(|inside| {
            matches!(inside, syn::Expr::Path(_) | syn::Expr::Lit(_) | syn::Expr::Call(_) | syn::Expr::Try(_))
        });
        if is_one { inside } else { quote!((#inside)) }
    };
    let function = match op {
        SymOp::Min => Some("min"),
        SymOp::Max => Some("max"),
        _ => None,
    };
    if let Some(function) = function {
        let (function, left, right) = (of_type(identifier(function)), side(left), side(right));
        return quote!(#function(#left, #right));
    }
    let (left, right) = (operand(left), operand(right));
    match op {
        SymOp::Add => quote!(#left + #right),
        SymOp::Sub => quote!(#left - #right),
        SymOp::Mul => quote!(#left * #right),
        SymOp::Div => quote!(#left / #right),
        _ => quote!(#left % #right),
    }
}

/// Whether nothing can be less than zero on the way, and nothing is divided by zero.
fn is_safe(of: &SymInt) -> bool {
    match of.term() {
        Term::Int(int) => *int >= 0,
        Term::Symbol(_) => true,
        Term::Binary(op, left, right) => {
            let divides = matches!(op, SymOp::Div | SymOp::Rem);
            *op != SymOp::Sub && is_safe(left) && is_safe(right) && (!divides || is_positive(right))
        }
    }
}

fn is_positive(of: &SymInt) -> bool {
    matches!(of.term(), Term::Int(int) if *int > 0)
}

/// An integer that can be less than zero on the way as an `i64`, another as a `usize`.
fn exact(of: &SymInt) -> TokenStream {
    if is_safe(of) { unsigned(of) } else { signed(of) }
}

/// The same as a number of another type.
fn cast(of: &SymInt, ty: &TokenStream) -> TokenStream {
    let exact = exact(of);
    match of.term() {
        Term::Binary(op, ..) if op.rank().is_some() => quote!((#exact) as #ty),
        _ => quote!(#exact as #ty),
    }
}

/// An expression over the same variables that is an `f64`.
pub(super) fn float(of: &SymFloat) -> TokenStream {
    // What a method is called on, or an operator joins.
    let operand = |side: &SymFloat| {
        let inside = float(side);
        match side.term() {
            FloatTerm::Float(number) if *number >= 0.0 => inside,
            FloatTerm::Function(FloatFunction::Sqrt | FloatFunction::Ln, _) | FloatTerm::Binary(FloatOp::Pow, ..) => {
                inside
            }
            _ => quote!((#inside)),
        }
    };
    match of.term() {
        FloatTerm::Float(number) => literal(&Value::Float(*number), Kind::Float, None),
        FloatTerm::Int(int) => cast(int, &quote!(f64)),
        FloatTerm::Function(FloatFunction::Sqrt, inside) => {
            let inside = receiver(inside);
            quote!(#inside.sqrt())
        }
        FloatTerm::Function(FloatFunction::Ln, inside) => {
            let inside = receiver(inside);
            quote!(#inside.ln())
        }
        FloatTerm::Function(FloatFunction::Single, _) => {
            let single = single(of);
            quote!(f64::from(#single))
        }
        FloatTerm::Binary(FloatOp::Pow, base, exponent) => {
            let (base, exponent) = (receiver(base), float(exponent));
            quote!(#base.powf(#exponent))
        }
        FloatTerm::Binary(op, left, right) => {
            let operator: TokenStream = op.as_str().parse().unwrap_or_default();
            let (left, right) = (operand(left), operand(right));
            quote!(#left #operator #right)
        }
    }
}

/// What a method of a float is called on; the type of a number alone is not known.
fn receiver(of: &SymFloat) -> TokenStream {
    let inside = float(of);
    quote!((#inside))
}

/// The same as an `f32`.
pub(super) fn single(of: &SymFloat) -> TokenStream {
    let of = match of.term() {
        FloatTerm::Function(FloatFunction::Single, inside) => inside,
        _ => of,
    };
    let inside = float(of);
    quote!((#inside) as f32)
}

/// A comparison that holds where it should, whatever the sizes are: `a - b < c` is `a < c + b`.
pub(super) fn comparison(left: &SymNumber, relation: Relation, right: &SymNumber) -> TokenStream {
    let operator: TokenStream = relation.as_str().parse().unwrap_or_default();
    let (left, right) = match (left, right) {
        (SymNumber::Int(left), SymNumber::Int(right)) => (left, right),
        sides => {
            let side = |side: &SymNumber| match side {
                SymNumber::Int(int) => float(&SymFloat::of_int(int)),
                SymNumber::Float(of) => float(of),
            };
            let (left, right) = (side(sides.0), side(sides.1));
            // `a as f64 < b` would begin the generics of a type.
            return quote!((#left) #operator #right);
        }
    };
    if is_safe(left) && is_safe(right) {
        let (left, right) = (unsigned(left), unsigned(right));
        return quote!(#left #operator #right);
    }
    let (mut here, mut there) = (Vec::new(), Vec::new());
    if terms(left, &mut here, &mut there) && terms(right, &mut there, &mut here) {
        let sum = |terms: &[TokenStream]| match terms {
            [] => quote!(0),
            terms => quote!(#(#terms)+*),
        };
        let (left, right) = (sum(&here), sum(&there));
        return quote!(#left #operator #right);
    }
    // `a as i64 < b` would begin the generics of a type.
    let side = |of: &SymInt| {
        let side = signed(of);
        if of.as_symbol().is_some() { quote!((#side)) } else { side }
    };
    let (left, right) = (side(left), side(right));
    quote!(#left #operator #right)
}

/// Takes a sum apart into what is added and what is taken away. Not if something can be negative inside of a term.
fn terms(of: &SymInt, added: &mut Vec<TokenStream>, taken: &mut Vec<TokenStream>) -> bool {
    match of.term() {
        Term::Int(0) => true,
        Term::Int(int) => {
            let side = if *int < 0 { taken } else { added };
            side.push(Literal::u64_unsuffixed(int.unsigned_abs()).into_token_stream());
            true
        }
        Term::Binary(SymOp::Add, left, right) => terms(left, added, taken) && terms(right, added, taken),
        Term::Binary(SymOp::Sub, left, right) => terms(left, added, taken) && terms(right, taken, added),
        Term::Symbol(_) | Term::Binary(..) => {
            added.push(unsigned(of));
            is_safe(of)
        }
    }
}

/// Larger than anything a model computes with: what stands for the first expression while a literal is written.
const FIRST: i64 = 0x0fee_d000_0000;

/// The literal of an argument in which something follows sizes and nothing is a node, for a parameter of this kind.
pub(super) fn symbolic_literal(argument: &Argument, kind: Kind, dtype: Option<DType>) -> TokenStream {
    let is_float = matches!(kind, Kind::Single | Kind::OptSingle)
        || kind == Kind::Number && dtype.is_none_or(|dtype| dtype.is_float());
    match argument {
        Argument::SymFloat(of) => return float_literal(of, kind, dtype),
        Argument::SymInt(of) if is_float => return float_literal(&SymFloat::of_int(of), kind, dtype),
        _ => {}
    }
    let mut expressions = Vec::new();
    // It is written with numbers that occur nowhere else, which are then replaced.
    let value = argument.value_of(&mut |of| {
        expressions.push(of.clone());
        Ok::<_, ()>(Some(FIRST + expressions.len() as i64 - 1))
    });
    let tokens = literal(&value.ok().flatten().unwrap_or_default(), kind, dtype);
    replaced(tokens, &expressions)
}

/// A float for a parameter of this kind.
fn float_literal(of: &SymFloat, kind: Kind, dtype: Option<DType>) -> TokenStream {
    match (kind, dtype) {
        (Kind::Single, _) | (Kind::Number, Some(DType::F32)) => single(of),
        (Kind::OptSingle, _) => {
            let single = single(of);
            quote!(Some(#single))
        }
        (Kind::Number, Some(DType::BF16)) => {
            let of = float(of);
            quote!(half::bf16::from_f64(#of))
        }
        (Kind::Number, Some(DType::F16)) => {
            let of = float(of);
            quote!(half::f16::from_f64(#of))
        }
        _ => float(of),
    }
}

fn replaced(tokens: TokenStream, expressions: &[SymInt]) -> TokenStream {
    let each = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let mut inside = Group::new(group.delimiter(), replaced(group.stream(), expressions));
            inside.set_span(group.span());
            TokenTree::Group(inside).into_token_stream()
        }
        TokenTree::Literal(number) => {
            let text = number.to_string();
            let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit()).trim_end_matches(".0");
            let digits: String = digits.chars().take_while(char::is_ascii_digit).collect();
            let index = digits.parse::<i64>().ok().and_then(|number| usize::try_from(number - FIRST).ok());
            let of = index.and_then(|index| expressions.get(index));
            match of {
                None => number.into_token_stream(),
                Some(of) if text.contains(['.', 'f']) => cast(of, &quote!(f64)),
                Some(of) if text.contains('i') => cast(of, &quote!(i64)),
                Some(of) => expression(of),
            }
        }
        other => other.into_token_stream(),
    });
    each.collect()
}
