//! The graph: six opcodes, nodes in program order, users, names.
//!
//! | file | holds |
//! |---|---|
//! | `path`, `target`, `argument`, `module_stack`, `meta`, `node` | what a node is: data without behaviour |
//! | `signature` | how a graph is called |
//! | `layout`, `users`, `names` | the three side structures that every edit keeps true |
//! | `bind` | whether arguments fit the parameters of an operation |
//! | `graph`, `edit`, `cursor` | reading, changing, and adding to a graph |
//! | `line` | how one node is written |
//! | `restore` | building a graph from nodes that were written |
//! | `verify` | the numbered rules of a correct graph |
//!
//! Invariant: this module names no operation of candle and holds no tensor. Nothing but [`Graph`] changes a node, and
//! nothing here recurses over the graph.

mod argument;
mod bind;
mod cursor;
mod edit;
mod graph;
mod layout;
pub(crate) mod line;
mod meta;
mod module_stack;
mod names;
mod node;
mod path;
mod restore;
mod signature;
mod target;
mod users;
mod verify;

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;

pub use argument::{Argument, Fields};
pub use bind::{BindError, Bound, bind};
pub use cursor::{Cursor, NodeMap};
pub use edit::StillUsed;
pub use graph::{Graph, Nodes};
pub use meta::{Meta, Origin, Source};
pub use module_stack::{Frame, ModuleStack};
pub(crate) use names::{is_continue, is_identifier, is_start};
pub use names::is_legal_name;
pub use node::{Keyword, Node, NodeId};
pub use path::ModulePath;
pub(crate) use restore::Written;
pub use signature::Signature;
pub use target::{Op, Target};
pub use verify::{Place, VerifyError, VerifyErrors};
