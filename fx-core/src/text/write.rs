//! The graph as text: header, one line for each node, comments with what is known of it.
//!
//! Invariant: what is written depends on the graph alone, and takes time and space linear in its size.

use std::fmt::{self, Write};

use super::write_meta::write_fact;
use crate::ir::line::{write_argument, write_node, write_target, write_word};
use crate::ir::{Graph, Meta, Node, NodeId, Op, SizeOf, Target, is_identifier};
use crate::value::Fact;

/// Where comments start, unless a line before one is longer.
const COLUMN: usize = 55;
/// Lines longer than this do not move the comments of the others.
const WIDEST: usize = 100;

impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = write_header(self, f)?;
        let column = comment_column(self, first);
        let mut next = first;
        while let Some(id) = next {
            f.write_str("    ")?;
            let mut line = Counted { out: f, width: 4 };
            write_node(self, id, &mut line)?;
            let width = line.width;
            let meta = self.node(id).meta();
            if has_comment(meta) {
                write!(f, "{:1$}//", "", column.saturating_sub(width).max(2))?;
                write_comment(self, meta, f)?;
            }
            f.write_str("\n")?;
            next = self.next(id);
        }
        f.write_str("}")
    }
}

/// Writes `graph my_module(%x: f32[3, 4]) {` and returns the first node that is a line of its own.
fn write_header(graph: &Graph, f: &mut fmt::Formatter<'_>) -> Result<Option<NodeId>, fmt::Error> {
    let inputs = graph.nodes().take_while(|(_, node)| node.op() == Op::Placeholder && is_plain(node));
    let count = inputs.clone().count();
    let mut width = Counted { out: &mut Nowhere { room: WIDEST }, width: 0 };
    let is_long = inputs.clone().try_for_each(|(_, node)| write_input(graph, node, &mut width)).is_err();
    let (before, after) = if is_long { ("\n    ", ",") } else { ("", ", ") };

    f.write_str("graph ")?;
    write_word(graph.name(), is_identifier(graph.name()), f)?;
    write_sizes(graph, f)?;
    f.write_str("(")?;
    for (i, (_, node)) in inputs.enumerate() {
        f.write_str(before)?;
        write_input(graph, node, f)?;
        if is_long || i + 1 < count {
            f.write_str(after)?;
        }
    }
    f.write_str(if is_long { "\n)" } else { ")" })?;
    write_signature(graph, f)?;
    write_guards(graph, f)?;
    f.write_str(" {\n")?;
    Ok(graph.nodes().nth(count).map(|(id, _)| id))
}

/// Writes ` takes (x = %x, n = 3)`, if the graph is not called with one value for each input.
pub(super) fn write_signature(graph: &Graph, out: &mut impl Write) -> fmt::Result {
    let Some(signature) = graph.signature() else { return Ok(()) };
    out.write_str(" takes (")?;
    for (i, (name, made_of)) in signature.parameters.iter().enumerate() {
        out.write_str(if i > 0 { ", " } else { "" })?;
        write_word(name, is_identifier(name), out)?;
        out.write_str(" = ")?;
        write_argument(graph, made_of, out)?;
    }
    out.write_str(")")
}

/// Writes `<batch: 2 = %x[0], past: 0 = %past>`, if the graph follows sizes.
pub(super) fn write_sizes(graph: &Graph, out: &mut impl Write) -> fmt::Result {
    let Some(dynamic) = graph.dynamic() else { return Ok(()) };
    out.write_str("<")?;
    for (i, size) in dynamic.sizes.iter().enumerate() {
        write!(out, "{}{}: {}", if i > 0 { ", " } else { "" }, size.name, size.hint)?;
        for place in &size.places {
            out.write_str(" = ")?;
            write_argument(graph, &place.input().into(), out)?;
            if let SizeOf::Extent(_, axis) = place {
                write!(out, "[{axis}]")?;
            }
        }
    }
    out.write_str(">")
}

/// Writes ` where (seq <= 32 at "model.rs":10)`, if the graph has guards.
pub(super) fn write_guards(graph: &Graph, out: &mut impl Write) -> fmt::Result {
    let guards = graph.dynamic().map_or(&[][..], |dynamic| &dynamic.guards);
    for (i, guard) in guards.iter().enumerate() {
        write!(out, "{}{guard}", if i > 0 { ", " } else { " where (" })?;
        if let Some(source) = &guard.source {
            write!(out, " at {:?}:{}", source.file(), source.line())?;
        }
    }
    out.write_str(if guards.is_empty() { "" } else { ")" })
}

/// Inputs have no arguments; one that has is written as a statement, for all to see.
pub(super) fn is_plain(node: &Node) -> bool {
    node.arguments().next().is_none()
}

/// Writes `%x: f32[3, 4]`, or `type %type_1` if the parameter is not called as the node.
pub(super) fn write_input(graph: &Graph, node: &Node, out: &mut impl Write) -> fmt::Result {
    if !matches!(node.target(), Target::Placeholder(parameter) if **parameter == *node.name()) {
        write_target(node.target(), out)?;
        out.write_str(" ")?;
    }
    out.write_str("%")?;
    out.write_str(node.name())?;
    let fact = &node.meta().fact;
    if fact.is_unknown() {
        return Ok(());
    }
    out.write_str(": ")?;
    write_known(graph, fact, out)
}

/// Writes a fact, even one that cannot be read back.
fn write_known(graph: &Graph, fact: &Fact, out: &mut impl Write) -> fmt::Result {
    let mut text = String::new();
    match fact {
        Fact::Unknown | Fact::Tensor(_) | Fact::SymInt(_) => write!(out, "{fact}"),
        _ if write_fact(graph, fact, &mut text) => out.write_str(&text),
        _ => write!(out, "{}", fact.to_string().escape_debug()),
    }
}

fn has_comment(meta: &Meta) -> bool {
    !meta.fact.is_unknown() || meta.source.is_some()
}

/// Writes what is known of a value and where it was computed: ` f32[3, 4] model.rs:10`.
fn write_comment(graph: &Graph, meta: &Meta, out: &mut impl Write) -> fmt::Result {
    if !meta.fact.is_unknown() {
        out.write_str(" ")?;
        write_known(graph, &meta.fact, out)?;
    }
    if let Some(source) = &meta.source {
        let file = source.file().rsplit(['/', '\\']).next().unwrap_or_default();
        // A comment ends with the line.
        if file.contains(char::is_control) {
            write!(out, " {}:{}", file.escape_debug(), source.line())?;
        } else {
            write!(out, " {file}:{}", source.line())?;
        }
    }
    Ok(())
}

fn comment_column(graph: &Graph, first: Option<NodeId>) -> usize {
    let mut column = COLUMN;
    let mut next = first;
    while let Some(id) = next {
        if has_comment(graph.node(id).meta()) {
            let mut line = Counted { out: &mut Nowhere { room: WIDEST }, width: 4 };
            if write_node(graph, id, &mut line).is_ok() {
                column = column.max(line.width + 2);
            }
        }
        next = graph.next(id);
    }
    column
}

/// Counts the characters it passes on.
struct Counted<'w, W> {
    out: &'w mut W,
    width: usize,
}

impl<W: Write> Write for Counted<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.width += width(text);
        self.out.write_str(text)
    }
}

/// Keeps nothing, and fails when there was too much.
struct Nowhere {
    room: usize,
}

impl Write for Nowhere {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.room = self.room.checked_sub(width(text)).ok_or(fmt::Error)?;
        Ok(())
    }
}

pub(super) fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}
