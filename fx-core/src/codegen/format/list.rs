//! Lists in brackets: arguments of calls, tuples, arrays, fields of structures.
//!
//! Invariant: a list is on one line, or one item to a line, or, if all items are short, as many to a line as fit.

use syn::{Expr, ExprRepeat, ExprStruct};

use super::expression::{first_width, one_line, one_line_tokens, rewrite};
use super::{NARROW, Shape, TAB};

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

/// Whether it is a method call, or one with something around it.
fn is_method_call(item: &Expr) -> bool {
    match item {
        Expr::MethodCall(_) => true,
        Expr::Reference(inner) => is_method_call(&inner.expr),
        Expr::Cast(inner) => is_method_call(&inner.expr),
        Expr::Try(inner) => is_method_call(&inner.expr),
        Expr::Unary(inner) => is_method_call(&inner.expr),
        _ => false,
    }
}

/// A list after what is called.
pub(super) fn write(callee: &str, brackets: Brackets, items: &[&Expr], shape: Shape) -> Option<String> {
    let (open, close) = brackets.text();
    let used = callee.lines().last().unwrap_or_default().chars().count();
    // What is called may stand alone beyond the end of the line.
    let room = shape.width.saturating_sub(used + 2);
    if items.is_empty() {
        return Some(format!("{callee}{open}{close}"));
    }
    let nested = shape.nested(1);
    let each: Option<Vec<String>> = items.iter().map(|item| rewrite(item, nested)).collect();
    let is_short = |items: &[String], limit: usize| {
        let total: usize = items.iter().map(|item| item.chars().count() + 2).sum::<usize>() - 2;
        total <= limit.min(room) && items.iter().all(|item| !item.contains('\n'))
    };
    // One item may go over several lines without a line of its own; a call then has less room.
    if let [item] = items
        && overflows(item)
    {
        let inside = shape.after(used + 1).and_then(|shape| shape.before(1)).unwrap_or(Shape { width: 0, ..shape });
        let inside = if is_call(item) { Shape { width: inside.width.min(NARROW), ..inside } } else { inside };
        // A chain that is an argument stays on one line, but for what its last call is given.
        let part = format!("\n{:1$}.", "", shape.indent + TAB);
        let is_chain = is_method_call(item) && callee.chars().count() >= TAB;
        let is_kept = |inside: &String| first_width(inside) <= NARROW && !(is_chain && inside.contains(&part));
        if let Some(inside) = rewrite(item, inside).filter(is_kept) {
            let alone = each.as_ref().filter(|each| inside.matches('\n').count() == 1 && !each[0].contains('\n'));
            if alone.is_none() {
                return Some(format!("{callee}{open}{inside}{close}"));
            }
        }
    }
    let limit = if items.len() == 1 { usize::MAX } else { NARROW };
    if let Some(each) = &each
        && is_short(each, limit)
    {
        return Some(format!("{callee}{open}{}{close}", each.join(", ")));
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
        // A macro may mean something else by a comma at the end.
        let last = if callee.ends_with('!') && brackets == Brackets::Round { each.len() } else { each.len() + 1 };
        for (i, item) in each.iter().enumerate() {
            let comma = if i + 1 < last { "," } else { "" };
            text.push_str(&format!("\n{:indent$}{item}{comma}", ""));
        }
    }
    text.push_str(&format!("\n{:1$}{close}", "", shape.indent));
    Some(text)
}

/// An item and how often it is there, after the name of a macro: on one line, or each on a line of its own.
pub(super) fn repeated(name: &str, repeat: &ExprRepeat, shape: Shape) -> Option<String> {
    let (item, count) = (one_line(&repeat.expr), one_line(&repeat.len));
    let short = format!("{name}[{item}; {count}]");
    let inside = rewrite(&repeat.expr, shape.after(name.len() + 1)?.before(count.len() + 3)?);
    if inside.is_some_and(|inside| inside == item) {
        return Some(short);
    }
    let nested = shape.nested(1);
    let (item, indent) = (rewrite(&repeat.expr, nested)?, nested.indent);
    Some(format!("{name}[\n{:indent$}{item};\n{:indent$}{count}\n{:2$}]", "", "", shape.indent))
}

/// Whether an expression, as the only item of a list, may go over several lines.
fn overflows(expression: &Expr) -> bool {
    match expression {
        Expr::Call(_) | Expr::MethodCall(_) | Expr::Macro(_) | Expr::Struct(_) | Expr::Tuple(_) | Expr::Array(_) => {
            true
        }
        Expr::Reference(inner) => overflows(&inner.expr),
        Expr::Try(inner) => overflows(&inner.expr),
        _ => false,
    }
}

/// Whether an expression is a call, or a reference to one or its success.
fn is_call(expression: &Expr) -> bool {
    match expression {
        Expr::Call(_) | Expr::Macro(_) => true,
        Expr::Reference(inner) => is_call(&inner.expr),
        Expr::Try(inner) => is_call(&inner.expr),
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
    let short = one_line(&Expr::Struct(structure.clone()));
    let inside = short.len().saturating_sub(path.len() + 5);
    if inside <= STRUCTURE && short.len() <= shape.width {
        return Some(short);
    }
    let indent = shape.indent + super::TAB;
    let mut text = format!("{path} {{");
    for field in &structure.fields {
        let name = match &field.member {
            syn::Member::Named(name) => name.to_string(),
            syn::Member::Unnamed(index) => index.index.to_string(),
        };
        let line = Shape::line(indent, 1);
        let written = match field.colon_token {
            None => name,
            Some(_) => match rewrite(&field.expr, line.after(name.len() + 2)?) {
                Some(here) => format!("{name}: {here}"),
                None => {
                    let below = indent + super::TAB;
                    format!("{name}:\n{:below$}{}", "", rewrite(&field.expr, Shape::line(below, 1))?)
                }
            },
        };
        text.push_str(&format!("\n{:indent$}{written},", ""));
    }
    if let Some(rest) = &structure.rest {
        text.push_str(&format!("\n{:indent$}..{}", "", one_line(rest)));
    }
    text.push_str(&format!("\n{:1$}}}", "", shape.indent));
    Some(text)
}
