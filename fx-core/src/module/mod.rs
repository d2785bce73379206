//! The module a graph belongs to: the tensors and library layers that its `get_attr` and `call_module` nodes name.
//!
//! Invariant: attributes are shared, never copied; cloning a module clones no tensor data.

mod attributes;
mod graph_module;
mod layer;
mod layer_table;
mod saved;

pub use attributes::{Attribute, Attributes, MissingAttribute};
pub use graph_module::{CheckErrors, GraphModule};
pub use layer::{Called, LayerModule, LayerState};
pub use saved::{LoadError, SaveError};
pub use layer_table::{LayerKind, LayerTable, LayerTensor};
