//! What follows the sizes of a run, as Rust: expressions over `usize` variables that are named like the sizes.
//!
//! Invariant: an expression is written once here, whatever it stands in.

use candle_core::DType;
use proc_macro2::{Group, Literal, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use super::identifier::identifier;
use super::literal::literal;
use crate::ir::Argument;
use crate::ops::kind::Kind;
use crate::value::{SymInt, SymOp, Term};

/// An expression over `usize` variables that are named like the sizes. Where numbers are not negative, Rust's division is
/// the graph's.
pub(super) fn expression(of: &SymInt) -> TokenStream {
    match of.term() {
        Term::Int(int) => Literal::i64_unsuffixed(*int).into_token_stream(),
        Term::Symbol(name) => identifier(name).into_token_stream(),
        Term::Binary(op, left, right) => {
            let operand = |side: &SymInt| match side.term() {
                Term::Binary(SymOp::Min | SymOp::Max, ..) | Term::Int(_) | Term::Symbol(_) => expression(side),
                Term::Binary(..) => {
                    let inside = expression(side);
                    quote!((#inside))
                }
            };
            let (left, right) = (operand(left), operand(right));
            match op {
                SymOp::Add => quote!(#left + #right),
                SymOp::Sub => quote!(#left - #right),
                SymOp::Mul => quote!(#left * #right),
                SymOp::Div => quote!(#left / #right),
                SymOp::Rem => quote!(#left % #right),
                SymOp::Min => quote!(usize::min(#left, #right)),
                SymOp::Max => quote!(usize::max(#left, #right)),
            }
        }
    }
}

/// Larger than anything a model computes with: what stands for the first expression while a literal is written.
const FIRST: i64 = 0x0fee_d000_0000;

/// The literal of an argument in which something follows sizes and nothing is a node, for a parameter of this kind.
pub(super) fn symbolic_literal(argument: &Argument, kind: Kind, dtype: Option<DType>) -> TokenStream {
    let mut expressions = Vec::new();
    // It is written with numbers that occur nowhere else, which are then replaced.
    let value = argument.value_of(&mut |of| {
        expressions.push(of.clone());
        Ok::<_, ()>(Some(FIRST + expressions.len() as i64 - 1))
    });
    let tokens = literal(&value.ok().flatten().unwrap_or_default(), kind, dtype);
    replaced(tokens, &expressions)
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
            match index.and_then(|index| expressions.get(index)).map(expression) {
                None => number.into_token_stream(),
                Some(of) if text.contains(['.', 'f']) => quote!(((#of) as f64)),
                Some(of) if text.contains('i') => quote!(((#of) as i64)),
                Some(of) => of,
            }
        }
        other => other.into_token_stream(),
    });
    each.collect()
}
