//! How one node is written. The grammar is in [`crate::text`].
//!
//! Invariant: what is written for a correct graph reads back to the same node; what is written for a broken one never
//! panics.

use std::fmt::{self, Write};

use super::argument::Argument;
use super::graph::Graph;
use super::identifier::{is_continue, is_identifier};
use super::node::{Node, NodeId};
use super::target::Target;
use crate::entity::EntityRef;
use crate::value::{Decimal, dtype_name};

impl Graph {
    /// One node as the graph's text has it, without the comment: `%add = call_function add(%x, %param)`.
    ///
    /// Messages show nodes so. What is in the graph no more is shown as `%?7`.
    ///
    /// # Panics
    ///
    /// If the node was erased or is of another graph.
    #[must_use]
    #[track_caller]
    pub fn node_line(&self, id: NodeId) -> String {
        self.expect(id);
        let mut line = String::new();
        write_node(self, id, &mut line).expect("a string takes everything");
        line
    }
}

/// Writes a node as a statement: `%add = call_function add(%x, %param)`.
pub(crate) fn write_node(graph: &Graph, id: NodeId, out: &mut impl Write) -> fmt::Result {
    let node = graph.node(id);
    // The one node that nothing refers to; nearly always it is called after its opcode.
    if !(*node.target() == Target::Output && node.name() == "output") {
        out.write_str("%")?;
        out.write_str(node.name())?;
        out.write_str(" = ")?;
    }
    out.write_str(node.op().as_str())?;
    out.write_str(" ")?;
    if let (Target::Output, [value], []) = (node.target(), node.args(), node.kwargs()) {
        let state = graph.state();
        let parts = graph.signature().filter(|_| !state.is_empty()).and_then(|signature| signature.written(value));
        let Some((result, written)) = parts else { return write_argument(graph, value, out) };
        write_argument(graph, result, out)?;
        return write_state(graph, state.iter().map(|slot| &*slot.name).zip(written), out);
    }
    // An output of no value or of several is not correct, and must not look like one of a tuple.
    write_target(node.target(), out)?;
    out.write_str("(")?;
    write_arguments(graph, node, " = ", out)?;
    out.write_str(")")
}

/// Writes all arguments, those by name after their names.
pub(crate) fn write_arguments(graph: &Graph, node: &Node, equals: &str, out: &mut impl Write) -> fmt::Result {
    let by_position = node.args().iter().map(|argument| (None, argument));
    let by_name = node.kwargs().iter().map(|(keyword, argument)| (Some(keyword), argument));
    separated(out, by_position.chain(by_name), |out, (keyword, argument)| {
        if let Some(keyword) = keyword {
            write_word(keyword, is_identifier(keyword), out)?;
            out.write_str(equals)?;
        }
        write_argument(graph, argument, out)
    })
}

/// Writes what a node does, quoted if it is not plain words.
pub(crate) fn write_target(target: &Target, out: &mut impl Write) -> fmt::Result {
    match target {
        Target::Placeholder(name) => write_word(name, is_identifier(name), out),
        Target::GetAttr(path) | Target::CallModule(path) => {
            let path = path.as_str();
            write_word(path, is_dotted(path), out)
        }
        Target::CallFunction(op) | Target::CallMethod(op) => write_word(op.name, is_rust_path(op.name), out),
        Target::Output => out.write_str("output"),
    }
}

/// Writes an argument.
pub(crate) fn write_argument(graph: &Graph, argument: &Argument, out: &mut impl Write) -> fmt::Result {
    match argument {
        Argument::Node(id) => match graph.try_node(*id) {
            Some(node) => {
                out.write_str("%")?;
                out.write_str(node.name())
            }
            // Cannot be read back, and should not: the graph is broken.
            None => write!(out, "%?{}", id.index()),
        },
        Argument::None => out.write_str("none"),
        Argument::Bool(flag) => out.write_str(if *flag { "true" } else { "false" }),
        Argument::Int(int) => write!(out, "{int}"),
        Argument::Float(float) => write!(out, "{}", Decimal(*float)),
        Argument::Str(text) => write!(out, "{text:?}"),
        Argument::DType(dtype) => out.write_str(dtype_name(*dtype)),
        Argument::Device(device) => write!(out, "{device}"),
        Argument::Range(range) => {
            if let Some(start) = range.0 {
                write!(out, "{start}")?;
            }
            out.write_str("..")?;
            range.1.map_or(Ok(()), |stop| write!(out, "{stop}"))
        }
        Argument::SymInt(expression) => write!(out, "{expression}"),
        Argument::SymFloat(float) => write!(out, "{float}"),
        Argument::SymRange(ends) => {
            if let Some(start) = &ends.0 {
                write!(out, "{start}")?;
            }
            out.write_str("..")?;
            ends.1.as_ref().map_or(Ok(()), |stop| write!(out, "{stop}"))
        }
        Argument::List(items) => {
            out.write_str("[")?;
            separated(out, items, |out, item| write_argument(graph, item, out))?;
            out.write_str("]")
        }
        Argument::Tuple(items) => write_tuple(graph, items, out),
        Argument::Struct(structure) => {
            let (name, fields) = &**structure;
            write_word(name, is_rust_path(name), out)?;
            if fields.is_empty() {
                return out.write_str(" {}");
            }
            out.write_str(" { ")?;
            separated(out, fields, |out, (field, item)| {
                write_word(field, is_identifier(field), out)?;
                out.write_str(": ")?;
                write_argument(graph, item, out)
            })?;
            out.write_str(" }")
        }
    }
}

/// Writes ` state (kv_cache = (%k, %v), pos = 3)`: parts of the state, as they are read or written.
pub(crate) fn write_state<'a>(
    graph: &Graph,
    slots: impl IntoIterator<Item = (&'a str, &'a Argument)>,
    out: &mut impl Write,
) -> fmt::Result {
    out.write_str(" state (")?;
    separated(out, slots, |out, (name, value)| {
        write_word(name, is_dotted(name), out)?;
        out.write_str(" = ")?;
        write_argument(graph, value, out)
    })?;
    out.write_str(")")
}

/// An argument as text.
pub(crate) fn argument_text(graph: &Graph, argument: &Argument) -> String {
    let mut text = String::new();
    write_argument(graph, argument, &mut text).expect("a string takes everything");
    text
}

/// Writes arguments as Rust writes a tuple: `(%x,)`.
pub(crate) fn write_tuple(graph: &Graph, items: &[Argument], out: &mut impl Write) -> fmt::Result {
    out.write_str("(")?;
    separated(out, items, |out, item| write_argument(graph, item, out))?;
    out.write_str(if items.len() == 1 { ",)" } else { ")" })
}

/// Writes a name as it is if it is a plain word, otherwise between quotes with Rust's escapes.
pub(crate) fn write_word(word: &str, is_plain: bool, out: &mut impl Write) -> fmt::Result {
    if is_plain { out.write_str(word) } else { write!(out, "{word:?}") }
}

/// Whether a path needs no quotes.
pub(crate) fn is_dotted(path: &str) -> bool {
    path.split('.').all(|segment| !segment.is_empty() && segment.chars().all(is_continue))
}

/// Whether the name of a function or type needs no quotes.
pub(crate) fn is_rust_path(text: &str) -> bool {
    text.split("::").all(is_identifier)
}

fn separated<W: Write, T>(
    out: &mut W,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut W, T) -> fmt::Result,
) -> fmt::Result {
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.write_str(", ")?;
        }
        write(out, item)?;
    }
    Ok(())
}
