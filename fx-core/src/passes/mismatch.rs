//! [`Mismatch`]: why a pattern does not occur.
//!
//! Invariant: a reason names the node of the pattern, the node of the graph, what was expected and what was found.

use std::fmt;

use super::matcher::TooAmbiguous;
use super::pattern::Pattern;
use crate::ir::{Argument, Graph, NodeId};

/// One place where a pattern was tried: how much of it fitted, and what did not.
pub(super) struct Attempted {
    pub(super) fitted: usize,
    pub(super) why: Why,
}

/// What does not fit. `pattern` is a node of the pattern, everything else of the graph.
#[derive(Debug)]
pub(super) enum Why {
    Target { pattern: NodeId, node: NodeId },
    Arguments { pattern: NodeId, node: NodeId },
    Argument { pattern: NodeId, node: NodeId, position: usize },
    Another { pattern: NodeId, found: Argument },
    StandsForTwo { pattern: NodeId, other: NodeId, node: NodeId },
    NotAnInput { pattern: NodeId, found: Argument },
    InputInside { pattern: NodeId, node: NodeId },
    Overlaps { pattern: NodeId, node: NodeId },
    Leaks { pattern: NodeId, node: NodeId, user: NodeId },
    NotTheOutput { output: NodeId },
    NoOutput,
    Cycle { node: NodeId },
    Order { node: NodeId },
}

/// Why a pattern does not occur: the place where most of it fits, and what does not fit there.
///
/// Shown, it has the pattern's node, the graph's, what was expected and what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The node of the pattern, as its graph prints it.
    pub pattern: Option<String>,
    /// The node of the graph, as it prints it.
    pub node: Option<String>,
    /// What the pattern asks for.
    pub expected: String,
    /// What is there.
    pub found: String,
    /// How many nodes of the pattern fit.
    pub fitted: usize,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found {}", self.expected, self.found)?;
        if let Some(pattern) = &self.pattern {
            write!(f, "\n  pattern: {pattern}")?;
        }
        if let Some(node) = &self.node {
            write!(f, "\n  graph:   {node}")?;
        }
        write!(f, "\n  {} nodes of the pattern fit", self.fitted)
    }
}

impl Mismatch {
    pub(super) fn ambiguous(error: &TooAmbiguous) -> Self {
        let (expected, found) = ("few ways to match".to_owned(), error.to_string());
        Self { pattern: None, node: None, expected, found, fitted: 0 }
    }

    pub(super) fn no_candidate(pattern: &Pattern, graph: &Graph, anchor: NodeId, name: &str) -> Self {
        let node = pattern.graph().node(anchor);
        let named = if name.is_empty() { String::new() } else { format!(" with `{name}` in its name") };
        Self {
            pattern: Some(pattern.graph().node_line(anchor)),
            node: None,
            expected: format!("a {} of `{}`{named}", node.op(), node.target()),
            found: format!("none in graph `{}`", graph.name()),
            fitted: 0,
        }
    }

    pub(super) fn new(pattern: &Pattern, graph: &Graph, attempted: &Attempted) -> Self {
        let inside = pattern.graph();
        let name = |id: NodeId| format!("%{}", graph.node(id).name());
        let target = |graph: &Graph, id: NodeId| format!("{} `{}`", graph.node(id).op(), graph.node(id).target());
        let (at, node, expected, found) = match &attempted.why {
            Why::Target { pattern, node } => {
                (Some(*pattern), Some(*node), target(inside, *pattern), target(graph, *node))
            }
            Why::Arguments { pattern, node } => (
                Some(*pattern),
                Some(*node),
                format!("{} arguments", inside.node(*pattern).arguments().count()),
                format!("{}, or other names", graph.node(*node).arguments().count()),
            ),
            Why::Argument { pattern, node, position } => {
                (Some(*pattern), Some(*node), argument(inside, *pattern, *position), argument(graph, *node, *position))
            }
            Why::Another { pattern, found } => (
                Some(*pattern),
                found.as_node(),
                format!("what %{} stands for elsewhere", inside.node(*pattern).name()),
                found.as_node().map_or_else(|| "a literal".to_owned(), name),
            ),
            Why::StandsForTwo { pattern, other, node } => (
                Some(*pattern),
                Some(*node),
                "a node of its own".to_owned(),
                format!("one that stands for %{} already", inside.node(*other).name()),
            ),
            Why::NotAnInput { pattern, found } => (
                Some(*pattern),
                found.as_node(),
                "an input of the graph".to_owned(),
                found.as_node().map_or_else(|| "a literal".to_owned(), |id| target(graph, id)),
            ),
            Why::InputInside { pattern, node } => (
                Some(*pattern),
                Some(*node),
                "an input from outside of the match".to_owned(),
                "a part of the match".to_owned(),
            ),
            Why::Overlaps { pattern, node } => (
                Some(*pattern),
                Some(*node),
                "a node of no other match".to_owned(),
                "one of an earlier match".to_owned(),
            ),
            Why::Leaks { pattern, node, user } => (
                Some(*pattern),
                Some(*node),
                "no readers outside of the match".to_owned(),
                format!("{}, which the pattern does not return it to", name(*user)),
            ),
            Why::NotTheOutput { output } => {
                (None, Some(*output), "the pattern's result as the graph's".to_owned(), "another".to_owned())
            }
            Why::NoOutput => (None, None, "an output".to_owned(), "a graph without".to_owned()),
            Why::Cycle { node } => (
                None,
                Some(*node),
                "nodes that can become one".to_owned(),
                format!("{}, which reads the match and which the match reads", name(*node)),
            ),
            Why::Order { node } => (
                None,
                Some(*node),
                "nodes that can become one".to_owned(),
                format!("%{}, which runs between them, and effects keep their order", graph.node(*node).name()),
            ),
        };
        Self {
            pattern: at.map(|id| inside.node_line(id)),
            node: node.map(|id| graph.node_line(id)),
            expected,
            found,
            fitted: attempted.fitted,
        }
    }
}

/// One argument of a node as the graph prints it.
fn argument(graph: &Graph, id: NodeId, position: usize) -> String {
    let node = graph.node(id);
    let keyword =
        position.checked_sub(node.args().len()).and_then(|at| node.kwargs().get(at)).map(|(keyword, _)| keyword);
    let mut text = String::new();
    if let Some(argument) = node.arguments().nth(position) {
        // Writing to a string cannot fail.
        let _ = crate::ir::line::write_argument(graph, argument, &mut text);
    }
    keyword.map_or_else(|| format!("`{text}`"), |keyword| format!("`{keyword} = {text}`"))
}
