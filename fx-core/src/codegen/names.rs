//! Names of values in generated code.
//!
//! Invariant: every value has a name of its own that hides nothing the generated code refers to.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Span};

use crate::ir::{Graph, NodeId};

/// What generated code refers to by name: a value of the same name would hide it, or be taken for it in a pattern.
pub(super) const TAKEN: &[&str] = &[
    "drop",
    "Ok",
    "Err",
    "Some",
    "None",
    "D",
    "DType",
    "Device",
    "Tensor",
    "Result",
    "candle_core",
    "candle_nn",
    "half",
    "vec",
];

/// Names of a graph's values.
#[derive(Default)]
pub(super) struct Names {
    by_node: HashMap<NodeId, Ident>,
    references: HashSet<NodeId>,
}

impl Names {
    pub(super) fn new(graph: &Graph) -> Self {
        let all: HashSet<&str> = graph.nodes().map(|(_, node)| node.name()).collect();
        // Paths of wrapped functions start with a crate's name.
        let heads =
            graph.nodes().filter_map(|(_, node)| node.target().operation()).filter_map(|op| op.name.split_once("::"));
        let taken: HashSet<&str> = TAKEN.iter().copied().chain(heads.map(|(head, _)| head)).collect();
        let mut given: HashSet<String> = HashSet::new();
        let mut by_node = HashMap::new();
        for (id, node) in graph.nodes() {
            let name = node.name();
            let mut chosen = name.to_owned();
            let mut count = 0;
            while (chosen != name && all.contains(chosen.as_str()))
                || taken.contains(chosen.as_str())
                || given.contains(&chosen)
            {
                count += 1;
                chosen = format!("{name}_value{}", if count == 1 { String::new() } else { count.to_string() });
            }
            by_node.insert(id, Ident::new(&chosen, Span::call_site()));
            given.insert(chosen);
        }
        Self { by_node, references: graph.placeholders().collect() }
    }

    /// Gives a value a name, which is that of a reference to it or not.
    pub(super) fn give(&mut self, id: NodeId, name: Ident, is_reference: bool) {
        self.by_node.insert(id, name);
        if is_reference {
            self.references.insert(id);
        } else {
            self.references.remove(&id);
        }
    }

    /// Whether the name of a value is that of a reference. Inputs are references.
    pub(super) fn is_reference(&self, id: NodeId) -> bool {
        self.references.contains(&id)
    }

    /// The name of a value of the graph that these names were made for.
    pub(super) fn of(&self, id: NodeId) -> Ident {
        self.by_node.get(&id).cloned().unwrap_or_else(|| Ident::new("unknown", Span::call_site()))
    }
}
