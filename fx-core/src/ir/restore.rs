//! Building a graph again from nodes that were written down.
//!
//! Invariant: the nodes are those that were given, in their order and under their names; arguments may name nodes that
//! come later, as in a graph that is being edited. Whether the graph is correct, [`Graph::verify`] says.

use std::sync::Arc;

use super::argument::Argument;
use super::bind;
use super::graph::Graph;
use super::meta::Meta;
use super::node::{Keyword, NodeId};
use super::target::Target;
use crate::entity::EntityRef;

/// A node as it was written down. The nodes in its arguments are named by their place among all nodes.
#[derive(Debug)]
pub(crate) struct Written<'t> {
    pub(crate) name: &'t str,
    pub(crate) target: Target,
    pub(crate) args: Box<[Argument]>,
    pub(crate) kwargs: Box<[(Keyword, Argument)]>,
    pub(crate) meta: Meta,
}

impl Graph {
    /// The graph of these nodes.
    ///
    /// # Errors
    ///
    /// The place of the first node whose name cannot be given: it is no legal name, or another node has it.
    ///
    /// # Panics
    ///
    /// If an argument names a place where no node is, or is nested deeper than [`Argument::MAX_DEPTH`].
    pub(crate) fn restore(name: impl Into<Arc<str>>, nodes: Vec<Written<'_>>) -> Result<Self, usize> {
        let mut graph = Self::new(name);
        let mut early = Vec::new();
        for (place, node) in nodes.into_iter().enumerate() {
            let Written { name, target, mut args, mut kwargs, meta } = node;
            if let Some(op) = target.operation() {
                bind::sort(op, &mut kwargs);
            }
            if reads_from(place, &args, &kwargs) {
                early.push((place, std::mem::take(&mut args), std::mem::take(&mut kwargs)));
            }
            let id = graph.insert(target, args, kwargs, meta, Some(name), None);
            if graph.node(id).name() != name {
                return Err(place);
            }
        }
        for (place, args, kwargs) in early {
            let id = NodeId::new(place);
            graph.set_args(id, args);
            graph.set_kwargs(id, kwargs);
        }
        Ok(graph)
    }
}

/// Whether arguments name this node or a later one.
fn reads_from(place: usize, args: &[Argument], kwargs: &[(Keyword, Argument)]) -> bool {
    let mut found = false;
    for argument in args.iter().chain(kwargs.iter().map(|(_, argument)| argument)) {
        argument.for_each_node(&mut |id| found |= id.index() >= place);
    }
    found
}
