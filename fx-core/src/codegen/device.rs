//! Where a program makes its tensors: on the device of its inputs, whatever the capture ran on.
//!
//! A graph holds the device that the model asked its input for as plain data. What is written asks again, so that a program
//! captured on one device computes on another.
//!
//! Invariant: a model that was captured on several devices keeps them as they were.

use crate::ir::{Argument, Graph, NodeId};
use crate::module::{Attribute, Attributes};

use super::names::Names;

/// Whether everything that a graph names is on one device, which can then be any.
pub(super) fn is_one(graph: &Graph, attributes: &Attributes) -> bool {
    let named = graph.nodes().flat_map(|(_, node)| node.arguments()).filter_map(|argument| match argument {
        Argument::Device(device) => Some(device.0.location()),
        _ => None,
    });
    let held = attributes.iter().flat_map(|(_, attribute)| match attribute {
        Attribute::Tensor(tensor) => vec![tensor.device().location()],
        Attribute::Layer(layer) => layer
            .state()
            .into_iter()
            .flat_map(|state| state.tensors)
            .map(|(_, tensor)| tensor.device().location())
            .collect(),
        // A child graph says for itself.
        Attribute::Module(_) => Vec::new(),
    });
    let mut all = named.chain(held);
    let first = all.next();
    all.all(|device| Some(device) == first)
}

/// The first of these values that is a tensor for the whole of a function: its device is that of the program.
pub(super) fn asked(graph: &Graph, names: &Names, mut values: impl Iterator<Item = NodeId>) -> Option<NodeId> {
    values.find(|id| {
        let is_read = graph.users(*id).next().is_some();
        is_read && names.is_reference(*id) && graph.node(*id).meta().fact.as_tensor().is_some()
    })
}
