//! [`Signature`]: how a graph is called, where that is not one value for each placeholder.
//!
//! Invariant: a signature is made of the graph's own placeholders and of plain data. That it names each placeholder once,
//! [`Graph::verify`](super::Graph::verify) checks.

use std::sync::Arc;

use super::argument::Argument;

/// How a graph is called: its parameters, each made of placeholders and of the values it was specialised to.
///
/// A parameter that is a list of tensors has a list of placeholders; a number that was baked in is that number. This is
/// torch.fx's input spec of a pytree: `hs = [%hs_0, %hs_1], n = 3`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Signature {
    /// The parameters in order: the name, and what it is made of.
    pub parameters: Box<[(Arc<str>, Argument)]>,
}
