//! Chains: fields, method calls and `?` after each other.
//!
//! Invariant: a chain is on one line, or each of its parts after the first is on a line of its own.

use quote::ToTokens;
use syn::Expr;

use super::expression::{first_width, one_line_tokens, rewrite};
use super::list::{self, Brackets};
use super::{NARROW, Shape, TAB};

/// A part of a chain.
enum Part<'e> {
    Field(String),
    Method(String, Vec<&'e Expr>),
}

/// A part with the `?` behind it.
struct Link<'e> {
    part: Part<'e>,
    tries: usize,
}

impl Link<'_> {
    fn write(&self, shape: Shape) -> Option<String> {
        let shape = shape.before(self.tries)?;
        let tries = "?".repeat(self.tries);
        match &self.part {
            Part::Field(name) => (name.len() < shape.width).then(|| format!(".{name}{tries}")),
            Part::Method(name, arguments) => {
                Some(format!("{}{tries}", list::write(&format!(".{name}"), Brackets::Round, arguments, shape)?))
            }
        }
    }
}

/// An expression that ends in a field, a method call or `?`.
pub(super) fn chain(expression: &Expr, shape: Shape) -> Option<String> {
    let (root, root_tries, links) = taken_apart(expression);
    let marks = "?".repeat(root_tries);
    if links.is_empty() {
        return Some(format!("{}{marks}", rewrite(root, shape.before(root_tries)?)?));
    }
    let mut first = format!("{}{marks}", rewrite(root, shape)?);
    let mut left = links.as_slice();
    // A short root at the start of a line takes the next part to it.
    while !left.is_empty() && first.len() <= TAB.saturating_sub(shape.offset) && !first.contains('\n') {
        first.push_str(&left[0].write(shape.after(first.len())?)?);
        left = &left[1..];
    }
    let Some((last, middle)) = left.split_last() else { return Some(first) };
    // Behind a root of several lines, the parts are as deep as its last line.
    let deep = if first.contains('\n') { shape.indent } else { shape.indent + TAB };
    let below = Shape::line(deep, 0);
    let mut written = vec![first];
    for link in middle {
        written.push(link.write(below)?);
    }
    let almost: usize = written.iter().map(|text| text.chars().count()).sum::<usize>() + last.tries;
    let budget = if links.len() == 1 { shape.width } else { shape.width.min(NARROW) }.saturating_sub(almost);
    let is_flat = written.iter().all(|text| !text.contains('\n')) && budget > 0;
    // As rustfmt does, the `?` of the last part are counted twice.
    let below_last = || last.write(Shape::line(deep, shape.overhead()).before(last.tries)?);
    let mut on_one_line = false;
    let here = if is_flat {
        shape.before(last.tries).and_then(|shape| shape.after(almost)).and_then(|shape| last.write(shape))
    } else {
        None
    };
    let text = match here {
        Some(here) => {
            let fits = first_width(&here) <= budget;
            let lines = here.lines().count();
            if fits && lines >= 5 {
                on_one_line = true;
                here
            } else {
                match below_last() {
                    Some(below) if !fits => below,
                    Some(below) if below.lines().count() < lines => below,
                    _ => {
                        on_one_line = fits;
                        here
                    }
                }
            }
        }
        None => below_last()?,
    };
    written.push(text);
    let between = if on_one_line { String::new() } else { format!("\n{:deep$}", "") };
    let text = written.join(&between);
    (first_width(&text) <= shape.width).then_some(text)
}

/// What a chain starts with, and its parts in order.
fn taken_apart(expression: &Expr) -> (&Expr, usize, Vec<Link<'_>>) {
    let (mut links, mut at, mut tries) = (Vec::new(), expression, 0);
    loop {
        match at {
            Expr::Try(tried) => {
                tries += 1;
                at = &tried.expr;
            }
            Expr::Field(field) => {
                let name = field.member.to_token_stream().to_string();
                links.push(Link { part: Part::Field(name), tries: std::mem::take(&mut tries) });
                at = &field.base;
            }
            Expr::MethodCall(call) => {
                let turbofish = call.turbofish.as_ref().map(one_line_tokens).unwrap_or_default();
                let part = Part::Method(format!("{}{turbofish}", call.method), call.args.iter().collect());
                links.push(Link { part, tries: std::mem::take(&mut tries) });
                at = &call.receiver;
            }
            root => {
                links.reverse();
                return (root, tries, links);
            }
        }
    }
}
