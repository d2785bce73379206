//! The module a graph belongs to: the tensors, library layers and child graphs that its `get_attr` and `call_module`
//! nodes name.
//!
//! | to | read |
//! |---|---|
//! | hold a graph and what it names; run, edit, train, save it | [`GraphModule`] |
//! | put tensors, layers and child graphs at paths | [`Attributes`], [`Attribute`] |
//! | go through the tree of modules | [`GraphModule::named_modules`], [`Submodule`] |
//! | keep caches between runs, hand them on, save them | [`State`] |
//! | have a layer of one's own in a graph | [`LayerModule`]; to load it, [`LayerKind`] in a [`LayerTable`] |
//! | know what is wrong | [`CheckErrors`] |
//!
//! | file | holds |
//! |---|---|
//! | `layer` | what a layer is that a graph calls whole |
//! | `attributes` | the tree of tensors, layers and child graphs, by path |
//! | `graph_module` | a graph with its tree |
//! | `inputs` | what a graph is called with |
//! | `normalize` | the arguments of calls matched to parameters |
//! | `children` | child graphs |
//! | `shared` | child graphs, each once |
//! | `check` | whether graph and tree fit each other |
//! | `infer` | facts of a whole module |
//! | `tree` | the attributes as a tree of modules |
//! | `dead` | what calls do, and taking out what is not needed |
//! | `mode` | training and evaluation |
//! | `convert` | other devices and dtypes |
//! | `state` | tensors by path: saved, loaded, trained |
//! | `held_state` | what a graph keeps from one run to the next |
//! | `layer_table` | layers by the names of their types |
//! | `saved` | whole modules as files |
//!
//! Invariant: attributes are shared, never copied; cloning a module clones no tensor data.

mod attributes;
mod check;
mod children;
mod convert;
pub(crate) mod dead;
mod class_name;
mod graph_module;
mod held_state;
pub(crate) mod infer;
pub(crate) mod infer_sizes;
pub(crate) mod inputs;
mod layer;
mod layer_table;
mod mode;
pub(crate) mod normalize;
mod saved;
mod shared;
mod state;
pub(crate) mod tree;

pub use attributes::{Attribute, Attributes, CONSTANT, MissingAttribute};
pub use check::CheckErrors;
pub use convert::ConvertError;
pub use graph_module::GraphModule;
pub(crate) use held_state::Kept;
pub use held_state::{ShareStateError, State};
pub use infer::RefusedNode;
pub use inputs::{BindInputsError, DEFAULT_INPUT};
pub use layer::{Called, LayerModule, LayerSource, LayerState, PartSource};
pub use layer_table::{LayerKind, LayerTable, LayerTensor, kept_name};
pub use normalize::NormalizeError;
pub use saved::{LoadModuleError, SaveError};
pub use state::{LoadError, Loaded};
pub use tree::{InTheWay, Submodule};
