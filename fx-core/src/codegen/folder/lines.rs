//! [`Lines`]: the lines of source that is being written, each with its node.
//!
//! Invariant: a line of a statement is of the statement's node.

use super::super::format::MAX_WIDTH;
use super::super::source::{Code, Statement};
use crate::ir::{Graph, NodeId};

/// The lines of the program, each with its node.
#[derive(Default)]
pub(super) struct Lines(Vec<(String, Option<NodeId>)>);

impl Lines {
    pub(super) fn push(&mut self, line: impl Into<String>) {
        self.0.push((line.into(), None));
    }

    /// Lines one level inside of a function of an impl.
    pub(super) fn inside(&mut self, text: &str, node: Option<NodeId>) {
        self.0.extend(text.lines().map(|line| (format!("        {line}").trim_end().to_owned(), node)));
    }

    /// The lines of a function's signature.
    pub(super) fn signature(&mut self, start: &str, parameters: &[String], returned: &str) {
        let line = format!("{start}{}) -> Result<{returned}> {{", parameters.join(", "));
        if line.chars().count() <= MAX_WIDTH && !line.contains('\n') {
            self.push(line);
        } else {
            self.push(start);
            parameters.iter().for_each(|parameter| self.push(format!("        {parameter},")));
            format!("    ) -> Result<{returned}> {{").lines().for_each(|line| self.push(line));
        }
    }

    /// The statements of a function, before each the line of the original source if that is wanted and changes. `of_model`
    /// says which node of the model a node stands for.
    pub(super) fn body(
        &mut self,
        graph: &Graph,
        statements: &[Statement],
        comments: bool,
        of_model: &dyn Fn(NodeId) -> NodeId,
    ) {
        let mut commented = None;
        for Statement { node, code } in statements {
            let source = node.and_then(|id| graph.try_node(id)).and_then(|node| node.meta().source.as_ref());
            // Several steps can be of one line.
            let at = source.map(ToString::to_string);
            let of = node.map(of_model);
            if comments && at.is_some() && at != commented {
                self.inside(&format!("// {}", at.as_deref().unwrap_or_default().escape_debug()), of);
                commented = at;
            }
            self.inside(code, of);
        }
    }

    /// All of them.
    pub(super) fn text(&self) -> String {
        self.0.iter().map(|(line, _)| format!("{line}\n")).collect()
    }

    pub(super) fn write_to(&self, code: &mut Code) {
        self.0.iter().for_each(|(line, node)| code.push(line, *node));
    }
}
