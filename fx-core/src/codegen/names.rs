//! Names of values in generated code.
//!
//! Invariant: every value has a name of its own that hides nothing the generated code refers to.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Span};

use crate::ir::NodeId;

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

    /// The name of a value, if it has one.
    pub(super) fn try_of(&self, id: NodeId) -> Option<Ident> {
        self.by_node.get(&id).cloned()
    }

    /// The name of a value of the graph that these names were made for.
    pub(super) fn of(&self, id: NodeId) -> Ident {
        self.try_of(id).unwrap_or_else(|| Ident::new("unknown", Span::call_site()))
    }
}
