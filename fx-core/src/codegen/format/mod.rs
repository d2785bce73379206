//! Rust expressions and statements as text, laid out as rustfmt lays them out.
//!
//! Only the forms are known that generated code has: names, paths, literals, fields, indices, references, calls, method
//! calls, `?`, operators, tuples, arrays, macros like `vec!`. Anything else is written on one line. The rules are those of
//! rustfmt's defaults: lines of 100 columns, chains, calls and arrays of 60.
//!
//! Invariant: the text parses to the tokens it was made of; `rustfmt --check` has nothing to change in it
//! (`tests/peer/folder.rs` runs it).

mod chain;
mod expression;
mod list;

use syn::Expr;

pub(super) use expression::{one_line, one_line_tokens};

/// Columns of a line.
pub(super) const MAX_WIDTH: usize = 100;
/// Columns of one level of indentation.
pub(super) const TAB: usize = 4;
/// Columns of the arguments of a call, of a chain, and of an array that stays on one line.
const NARROW: usize = 60;

/// Where an expression is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// The indentation of the lines after the first.
    indent: usize,
    /// What stands before it on its first line, after the indentation.
    offset: usize,
    /// The columns that it may take on its first line.
    width: usize,
}

impl Shape {
    /// At the start of a line, with `after` columns kept free for what follows.
    pub(super) fn line(indent: usize, after: usize) -> Self {
        Self { indent, offset: 0, width: MAX_WIDTH.saturating_sub(indent + after) }
    }

    /// After so many columns more.
    fn after(self, columns: usize) -> Option<Self> {
        let width = self.width.checked_sub(columns)?;
        Some(Self { offset: self.offset + columns, width, ..self })
    }

    /// With so many columns kept free behind it.
    fn before(self, columns: usize) -> Option<Self> {
        Some(Self { width: self.width.checked_sub(columns)?, ..self })
    }

    /// On a line of its own, one level deeper, with the columns kept free behind it.
    fn nested(self, after: usize) -> Self {
        Self::line(self.indent + TAB, after)
    }

    /// The columns that are kept free behind it.
    fn overhead(self) -> usize {
        MAX_WIDTH.saturating_sub(self.indent + self.offset + self.width)
    }
}

/// An expression, and what it stands after and before: `let x =` and `;`. The lines have no indentation of their own on
/// the first line.
pub(super) fn statement(before: &str, expression: &Expr, after: &str, indent: usize) -> String {
    let used = before.lines().last().unwrap_or_default().chars().count();
    let shape = Shape::line(indent, after.len()).after(used + usize::from(used > 0));
    let here = shape.and_then(|shape| expression::rewrite(expression, shape));
    if before.is_empty() {
        return format!("{}{after}", here.unwrap_or_else(|| one_line(expression)));
    }
    if let Some(here) = here.as_ref().filter(|here| !here.contains('\n')) {
        return format!("{before} {here}{after}");
    }
    let below_shape = Shape::line(indent + TAB, after.len());
    let below = expression::rewrite(expression, below_shape);
    let below_text = |below: &str| format!("{before}\n{:1$}{below}{after}", "", indent + TAB);
    match (here, below) {
        (Some(here), Some(below)) if prefers_below(&here, &below) => below_text(&below),
        (Some(here), _) => format!("{before} {here}{after}"),
        (None, Some(below)) => below_text(&below),
        (None, None) => format!("{before} {}{after}", one_line(expression)),
    }
}

/// The first lines of a block, with the brace: `if`, or `for x in`, and the expression behind it.
pub(super) fn block(before: &str, head: &Expr, indent: usize) -> String {
    let shape = Shape::line(indent, 2).after(before.chars().count() + 1);
    let text = shape.and_then(|shape| expression::rewrite(head, shape)).unwrap_or_else(|| one_line(head));
    let brace = if text.contains('\n') { format!("\n{:indent$}{{", "") } else { " {".to_owned() };
    format!("{before} {text}{brace}")
}

/// A tuple of types that stands at the end of a signature.
pub(super) fn tuple_type(parts: &[String], indent: usize) -> String {
    let text = parts.join(", ");
    if text.chars().count() <= NARROW || parts.len() < 2 {
        return format!("({text})");
    }
    let each: String = parts.iter().map(|part| format!("{:1$}{part},\n", "", indent + TAB)).collect();
    format!("(\n{each}{:indent$})", "")
}

/// Whether an expression reads better on the line below.
fn prefers_below(here: &str, below: &str) -> bool {
    let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    let opens = |with: char| first(here).ends_with(with) && !first(below).ends_with(with);
    !below.contains('\n')
        || here.matches('\n').count() > below.matches('\n').count() + 1
        || opens('(')
        || opens('{')
        || opens('[')
}
