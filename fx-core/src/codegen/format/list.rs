//! Lists in brackets: arguments of calls, tuples, arrays, fields of structures.
//!
//! Invariant: a list is on one line, or one item to a line, or, if all items are short, as many to a line as fit.

use syn::{Expr, ExprStruct};

use super::expression::{first_width, one_line, one_line_tokens, rewrite};
use super::{NARROW, Shape};

/// Items of at most so many columns can share lines.
const SHORT: usize = 10;
/// The columns of a structure that stays on one line.
const STRUCTURE: usize = 18;

/// The brackets of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Brackets {
    Round,
    Square,
}

impl Brackets {
    fn text(self) -> (&'static str, &'static str) {
        match self {
            Self::Round => ("(", ")"),
            Self::Square => ("[", "]"),
        }
    }
}

/// A list after what is called.
pub(super) fn write(callee: &str, brackets: Brackets, items: &[&Expr], shape: Shape) -> Option<String> {
    let (open, close) = brackets.text();
    let used = callee.lines().last().unwrap_or_default().chars().count();
    let room = shape.width.checked_sub(used + 2)?;
    if items.is_empty() {
        return Some(format!("{callee}{open}{close}"));
    }
    let nested = shape.nested(1);
    let each: Option<Vec<String>> = items.iter().map(|item| rewrite(item, nested)).collect();
    let is_short = |items: &[String], limit: usize| {
        let total: usize = items.iter().map(|item| item.chars().count() + 2).sum::<usize>() - 2;
        total <= limit.min(room) && items.iter().all(|item| !item.contains('\n'))
    };
    let limit = if items.len() == 1 { usize::MAX } else { NARROW };
    if let Some(each) = &each
        && is_short(each, limit)
    {
        return Some(format!("{callee}{open}{}{close}", each.join(", ")));
    }
    // One item may go over several lines without a line of its own.
    if let [item] = items
        && overflows(item)
        && let Some(inside) = rewrite(item, shape.after(used + 1)?.before(1)?)
        && inside.contains('\n')
        && first_width(&inside) <= NARROW
    {
        return Some(format!("{callee}{open}{inside}{close}"));
    }
    let each = each?;
    let mut text = format!("{callee}{open}");
    let indent = nested.indent;
    if each.iter().all(|item| item.len() <= SHORT && !item.contains('\n')) && items.iter().all(|item| is_simple(item)) {
        let mut used = 0;
        for item in &each {
            let width = item.chars().count() + 1;
            if used == 0 || used + 1 + width > nested.width + 1 {
                text.push_str(&format!("\n{:indent$}{item},", ""));
                used = width;
            } else {
                text.push_str(&format!(" {item},"));
                used += 1 + width;
            }
        }
    } else {
        for item in &each {
            text.push_str(&format!("\n{:indent$}{item},", ""));
        }
    }
    text.push_str(&format!("\n{:1$}{close}", "", shape.indent));
    Some(text)
}

/// Whether an expression, as the only item of a list, may go over several lines.
fn overflows(expression: &Expr) -> bool {
    match expression {
        Expr::Call(_) | Expr::MethodCall(_) | Expr::Macro(_) | Expr::Struct(_) | Expr::Tuple(_) | Expr::Array(_) => true,
        Expr::Reference(inner) => overflows(&inner.expr),
        Expr::Try(inner) => overflows(&inner.expr),
        _ => false,
    }
}

/// Whether an expression counts as short if its text is.
fn is_simple(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(_) => true,
        Expr::Path(path) => path.path.segments.len() <= 1,
        Expr::Reference(inner) => is_simple(&inner.expr),
        Expr::Field(inner) => is_simple(&inner.base),
        Expr::Try(inner) => is_simple(&inner.expr),
        Expr::Unary(inner) => is_simple(&inner.expr),
        Expr::Index(inner) => is_simple(&inner.expr) && is_simple(&inner.index),
        _ => false,
    }
}

/// A structure with its fields.
pub(super) fn fields(structure: &ExprStruct, shape: Shape) -> Option<String> {
    let path = one_line_tokens(&structure.path);
    let short: Vec<String> = structure
        .fields
        .iter()
        .map(|field| match (&field.member, field.colon_token) {
            (syn::Member::Named(name), Some(_)) => format!("{name}: {}", one_line(&field.expr)),
            (syn::Member::Named(name), None) => name.to_string(),
            (syn::Member::Unnamed(index), _) => format!("{}: {}", index.index, one_line(&field.expr)),
        })
        .collect();
    let joined = short.join(", ");
    if joined.len() <= STRUCTURE && path.len() + joined.len() + 5 <= shape.width {
        return Some(format!("{path} {{ {joined} }}"));
    }
    let indent = shape.indent + super::TAB;
    let mut text = format!("{path} {{");
    for (field, short) in structure.fields.iter().zip(short) {
        let written = match (&field.member, field.colon_token) {
            (syn::Member::Named(name), Some(_)) => {
                super::statement(&format!("{name}:"), &field.expr, ",", indent)
            }
            _ => format!("{short},"),
        };
        text.push_str(&format!("\n{:indent$}{written}", ""));
    }
    text.push_str(&format!("\n{:1$}}}", "", shape.indent));
    Some(text)
}
