//! The module a graph belongs to: the tensors, library layers and child graphs that its `get_attr` and `call_module`
//! nodes name.
//!
//! | file | holds |
//! |---|---|
//! | `layer` | what a layer is that a graph calls whole |
//! | `attributes` | the tree of tensors, layers and child graphs, by path |
//! | `graph_module` | a graph with its tree |
//! | `inputs` | what a graph is called with |
//! | `children` | child graphs |
//! | `check` | whether graph and tree fit each other |
//! | `mode` | training and evaluation |
//!
//! Invariant: attributes are shared, never copied; cloning a module clones no tensor data.

mod attributes;
mod check;
mod children;
mod graph_module;
pub(crate) mod inputs;
mod layer;
mod mode;

pub use attributes::{Attribute, Attributes, MissingAttribute};
pub use check::CheckErrors;
pub use graph_module::GraphModule;
pub use inputs::{BindInputsError, DEFAULT_INPUT};
pub use layer::{Called, LayerModule, LayerState};
