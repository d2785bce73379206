//! Writing what is remembered about a node: the clause `@{ … }`, and the modules that it names.
//!
//! Invariant: each module is written once, before the first node in it; what is remembered as nothing is not written.

use std::collections::HashMap;
use std::fmt::{self, Write};

use super::{MAX_MODULES, WriteError};
use crate::ir::line::{is_dotted, is_rust_path, write_argument, write_word};
use crate::ir::{Argument, Graph, Meta, ModuleStack, NodeId, is_identifier};
use crate::value::{Fact, Value};

/// What a clause can hold, in the order in which it is written.
pub(super) const KEYS: [&str; 6] = ["fact", "in", "at", "from", "note", "custom"];

/// The modules that were written.
#[derive(Default)]
pub(super) struct Stacks<'g> {
    by_place: HashMap<*const crate::ir::Frame, usize>,
    by_content: HashMap<(usize, &'g str, &'g str, u32), usize>,
}

impl<'g> Stacks<'g> {
    /// The number of the innermost module, 0 where there is none. What was not written yet is written to `out`, a line
    /// each.
    pub(super) fn number(&mut self, stack: &'g ModuleStack, out: &mut String) -> Result<usize, String> {
        let mut missing = Vec::new();
        let mut number = 0;
        for frame in stack.frames() {
            if let Some(&known) = self.by_place.get(&std::ptr::from_ref(frame)) {
                number = known;
                break;
            }
            missing.push(frame);
        }
        if missing.len() > MAX_MODULES || !missing.is_empty() && stack.depth() > MAX_MODULES {
            return Err(format!("it is recorded in more than {MAX_MODULES} modules inside of each other"));
        }
        for frame in missing.into_iter().rev() {
            let next = self.by_content.len() + 1;
            let outer = number;
            number = *self.by_content.entry((outer, frame.path.as_str(), &frame.type_name, frame.call)).or_insert(next);
            self.by_place.insert(std::ptr::from_ref(frame), number);
            if number == next {
                put(write_stack(number, frame, outer, out));
            }
        }
        Ok(number)
    }
}

fn write_stack(number: usize, frame: &crate::ir::Frame, outer: usize, out: &mut String) -> fmt::Result {
    write!(out, "    #{number} = ")?;
    write_word(frame.path.as_str(), is_dotted(frame.path.as_str()), out)?;
    if frame.call > 0 {
        write!(out, "@{}", frame.call)?;
    }
    out.write_str(": ")?;
    write_word(&frame.type_name, is_rust_path(&frame.type_name), out)?;
    if outer > 0 {
        write!(out, " in #{outer}")?;
    }
    out.write_str("\n")
}

/// Writes ` @{ … }` unless nothing is remembered. A fact that was written already is left out.
pub(super) fn write_clause(
    graph: &Graph,
    id: NodeId,
    module: usize,
    with_fact: bool,
    out: &mut String,
) -> Result<(), WriteError> {
    let node = graph.node(id);
    let meta = node.meta();
    let start = out.len();
    let entry = |out: &mut String, key: &str| {
        out.push_str(if out.len() == start { " @{ " } else { ", " });
        out.push_str(key);
        out.push_str(": ");
    };
    if with_fact && !meta.fact.is_unknown() {
        entry(out, "fact");
        if !write_fact(graph, &meta.fact, out) {
            return Err(WriteError::unwritable(node, "what is known of its value"));
        }
    }
    if module > 0 {
        entry(out, "in");
        put(write!(out, "#{module}"));
    }
    if let Some(source) = &meta.source {
        entry(out, "at");
        put(write!(out, "{:?}:{}", source.file(), source.line()));
    }
    if !meta.from().is_empty() {
        entry(out, "from");
        put(write_origins(meta, out));
    }
    if let Some(note) = meta.note() {
        entry(out, "note");
        put(write!(out, "{note:?}"));
    }
    if !meta.annotations().is_empty() {
        entry(out, "custom");
        out.push_str("{ ");
        for (i, (key, value)) in meta.annotations().iter().enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            put(write_word(key, is_identifier(key), out));
            out.push_str(": ");
            if !write_value(graph, value, Argument::MAX_DEPTH, out) {
                return Err(WriteError::unwritable(node, &format!("what is kept with it as `{key}`")));
            }
        }
        out.push_str(" }");
    }
    if out.len() > start {
        out.push_str(" }");
    }
    Ok(())
}

fn write_origins(meta: &Meta, out: &mut String) -> fmt::Result {
    for (i, origin) in meta.from().iter().enumerate() {
        out.write_str(if i > 0 { ", " } else { "[" })?;
        write_word(&origin.pass, is_identifier(&origin.pass), out)?;
        out.write_str(": ")?;
        write_word(&origin.node, is_identifier(&origin.node), out)?;
        out.write_str(" of ")?;
        write_word(&origin.graph, is_identifier(&origin.graph), out)?;
    }
    out.write_str("]")
}

/// Writes a value, unless a tensor is in it or it is nested too deep to be read.
fn write_value(graph: &Graph, value: &Value, room: usize, out: &mut impl Write) -> bool {
    match Argument::from_value(value) {
        Some(argument) if !argument.is_deeper_than(room) => write_argument(graph, &argument, out).is_ok(),
        _ => false,
    }
}

/// Writes what is known of a value, unless a tensor is in it or it is nested too deep to be read.
pub(super) fn write_fact(graph: &Graph, fact: &Fact, out: &mut impl Write) -> bool {
    write_fact_in(graph, fact, Argument::MAX_DEPTH, out)
}

fn write_fact_in(graph: &Graph, fact: &Fact, room: usize, out: &mut impl Write) -> bool {
    let (items, open, close) = match fact {
        Fact::Unknown | Fact::Tensor(_) | Fact::SymInt(_) => return write!(out, "{fact}").is_ok(),
        Fact::Data(value) => {
            // `[1, 2]` is a list of two facts.
            let mark = if matches!(value, Value::List(_) | Value::Tuple(_)) { "data " } else { "" };
            return out.write_str(mark).is_ok() && write_value(graph, value, room, out);
        }
        Fact::List(items) => (items, "[", "]"),
        Fact::Tuple(items) => (items, "(", ")"),
    };
    let Some(room) = room.checked_sub(1) else { return false };
    let mut ok = out.write_str(open).is_ok();
    for (i, item) in items.iter().enumerate() {
        ok = ok && out.write_str(if i > 0 { ", " } else { "" }).is_ok() && write_fact_in(graph, item, room, out);
    }
    ok && out.write_str(close).is_ok()
}

/// A string takes everything.
pub(super) fn put(written: fmt::Result) {
    written.expect("a string takes everything");
}
