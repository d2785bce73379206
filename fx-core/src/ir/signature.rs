//! [`Signature`]: how a graph is called, where that is not one value for each placeholder.
//!
//! Invariant: a signature is made of nodes that were in the graph when it was set, and of plain data. That it names each
//! placeholder once and nothing else, [`Graph::verify`] checks, because edits pass through other states.

use std::sync::Arc;

use super::argument::Argument;
use super::graph::Graph;
use super::node::NodeId;

/// How a graph is called: its parameters, each made of placeholders and of the values it was specialised to.
///
/// A parameter that is a list of tensors has a list of placeholders; a number that was baked in is that number. This is
/// torch.fx's input spec of a pytree: `hs = [%hs_0, %hs_1], n = 3`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Signature {
    /// The parameters in order: the name, and what it is made of.
    pub parameters: Box<[(Arc<str>, Argument)]>,
}

impl Signature {
    /// Calls `visit` with each node in it, in order, as often as it occurs.
    pub fn for_each_node(&self, visit: &mut impl FnMut(NodeId)) {
        self.parameters.iter().for_each(|(_, made_of)| made_of.for_each_node(visit));
    }
}

impl Graph {
    /// How the graph is called, where that is not one value for each placeholder in order.
    #[must_use]
    pub fn signature(&self) -> Option<&Signature> {
        self.signature.as_ref()
    }

    /// Says how the graph is called; none is one value for each placeholder in order.
    ///
    /// A signature is no user of the placeholders: replacing their uses leaves it as it is, and they can be erased. It
    /// then names what is no more, which [`Graph::verify`] reports as V11 until another is set; ids are not used again,
    /// so it never comes to mean another node.
    ///
    /// # Panics
    ///
    /// If a node in it was erased or is of another graph; if a parameter is nested deeper than [`Argument::MAX_DEPTH`].
    #[track_caller]
    pub fn set_signature(&mut self, signature: Option<Signature>) {
        if let Some(signature) = &signature {
            for (_, made_of) in &signature.parameters {
                self.expect_arguments(std::slice::from_ref(made_of), &[]);
            }
        }
        self.signature = signature;
        self.revision += 1;
    }
}
