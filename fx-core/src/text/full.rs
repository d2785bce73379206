//! The graph as text with everything that is remembered about its nodes: what files hold.
//!
//! Invariant: what is written reads back to the same graph with the same metadata; what cannot be written is an error,
//! never left out.

use super::write::{is_plain, write_guards, write_input, write_signature, write_sizes};
use super::write_meta::{Stacks, put, write_clause, write_fact};
use crate::ir::line::{write_node, write_word};
use crate::ir::{Graph, Node, NodeId, Op, is_identifier};

/// A graph that cannot be written in full.
///
/// The short form, `Display`, is always written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot write %{node}: {reason}")]
pub struct WriteError {
    /// Name of the node.
    pub node: String,
    /// Why not.
    pub reason: String,
}

impl WriteError {
    pub(super) fn new(node: &Node, reason: impl Into<String>) -> Self {
        Self { node: node.name().to_owned(), reason: reason.into() }
    }

    pub(super) fn unwritable(node: &Node, what: &str) -> Self {
        Self::new(node, format!("{what} holds a tensor or is nested too deep"))
    }
}

impl Graph {
    /// The graph as text that [`Graph::parse`] reads back with everything that is remembered about the nodes: facts,
    /// modules, source lines, provenance, notes and what users keep with them. `Display` writes the short form, for
    /// people.
    ///
    /// # Errors
    ///
    /// If a tensor is kept with a node, because text holds none: keep it as an attribute of the module. If a value that
    /// is kept with a node is nested deeper than [`Argument::MAX_DEPTH`](crate::ir::Argument::MAX_DEPTH), or a node is
    /// recorded in more than 1024 modules inside of each other.
    ///
    /// ```
    /// use fx_core::ir::{Graph, ModuleStack, Source};
    ///
    /// let mut graph = Graph::new("model");
    /// let x = graph.at_end().placeholder("x");
    /// let encoder = ModuleStack::ROOT.enter("encoder", "Encoder", 0);
    /// let mut cursor = graph.at_end().with_source(Source::text("src/model.rs", 10)).with_module(encoder);
    /// let y = cursor.call_module("encoder.linear", [x.into()], []);
    /// cursor.meta_mut(y).set_note("the only layer");
    /// let text = graph.to_text()?;
    /// assert_eq!(
    ///     text,
    ///     r#"graph model(%x) {
    ///     #1 = encoder: Encoder
    ///     %encoder_linear = call_module encoder.linear(%x) @{ in: #1, at: "src/model.rs":10, note: "the only layer" }
    /// }"#
    /// );
    /// assert_eq!(text.parse::<Graph>()?.to_text()?, text);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_text(&self) -> Result<String, WriteError> {
        let mut out = String::new();
        let mut next = write_header(self, &mut out)?;
        let mut stacks = Stacks::default();
        while let Some(id) = next {
            let node = self.node(id);
            let module =
                stacks.number(&node.meta().module, &mut out).map_err(|reason| WriteError::new(node, reason))?;
            out.push_str("    ");
            put(write_node(self, id, &mut out));
            write_clause(self, id, module, true, &mut out)?;
            out.push('\n');
            next = self.next(id);
        }
        out.push('}');
        Ok(out)
    }
}

/// An input's fact is written as the short form has it, if it can be.
fn check_fact(graph: &Graph, node: &Node, scratch: &mut String) -> Result<(), WriteError> {
    let is_written = write_fact(graph, &node.meta().fact, scratch);
    scratch.clear();
    if is_written { Ok(()) } else { Err(WriteError::unwritable(node, "what is known of its value")) }
}

/// Writes the header and returns the first node that is a line of its own. Inputs in the header are outside of modules.
fn write_header(graph: &Graph, out: &mut String) -> Result<Option<NodeId>, WriteError> {
    let inputs: Vec<(NodeId, &Node)> = graph
        .nodes()
        .take_while(|(_, node)| {
            node.op() == Op::Placeholder && is_plain(node) && node.meta().module.innermost().is_none()
        })
        .collect();
    let mut lines = Vec::with_capacity(inputs.len());
    let mut is_long = false;
    for &(id, node) in &inputs {
        let mut line = String::new();
        check_fact(graph, node, &mut line)?;
        put(write_input(graph, node, &mut line));
        let start = line.len();
        write_clause(graph, id, 0, false, &mut line)?;
        is_long |= line.len() > start;
        lines.push(line);
    }
    is_long |= lines.iter().map(|line| line.len() + 2).sum::<usize>() > 100;
    out.push_str("graph ");
    put(write_word(graph.name(), is_identifier(graph.name()), out));
    put(write_sizes(graph, out));
    if is_long {
        out.push_str("(\n");
        lines.iter().for_each(|line| out.extend(["    ", line, ",\n"]));
    } else {
        out.push('(');
        out.push_str(&lines.join(", "));
    }
    out.push(')');
    put(write_signature(graph, out));
    put(write_guards(graph, out));
    out.push_str(" {\n");
    Ok(graph.nodes().nth(inputs.len()).map(|(id, _)| id))
}
