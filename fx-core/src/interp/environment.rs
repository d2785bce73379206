//! [`Environment`]: the values of nodes while a graph runs node by node.
//!
//! Invariant: a node has at most one value.

use crate::entity::SecondaryMap;
use crate::ir::NodeId;
use crate::value::Value;

/// The values of the nodes of one graph, as far as they were computed and are still needed: torch.fx's `env`.
///
/// ```
/// use fx_core::{interp::Environment, ir::Graph, value::Value};
///
/// let mut graph = Graph::new("g");
/// let x = graph.at_end().placeholder("x");
/// let mut values = Environment::default();
/// assert_eq!(values.insert(x, Value::Int(3)), None);
/// assert_eq!(values.get(x), Some(&Value::Int(3)));
/// values.remove(x);
/// assert_eq!(values.get(x), None);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Environment(SecondaryMap<NodeId, Option<Value>>);

impl Environment {
    /// The value of a node, if it has one.
    ///
    /// None if it was not computed, or is dropped already.
    #[must_use]
    pub fn get(&self, id: NodeId) -> Option<&Value> {
        self.0[id].as_ref()
    }

    /// Gives a node a value; its old one.
    pub fn insert(&mut self, id: NodeId, value: Value) -> Option<Value> {
        self.0[id].replace(value)
    }

    /// Takes the value of a node away.
    ///
    /// It is returned.
    pub fn remove(&mut self, id: NodeId) -> Option<Value> {
        if self.0[id].is_none() { None } else { self.0[id].take() }
    }
}
