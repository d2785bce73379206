//! The graph: six opcodes, nodes in program order, users, names.
//!
//! | file | holds |
//! |---|---|
//! | `path`, `target`, `argument`, `module_stack`, `meta`, `node` | what a node is: data without behaviour |
//! | `signature` | how a graph is called |
//! | `layout`, `users`, `names`, `by_target` | the side structures that every edit keeps true |
//! | `bind` | whether arguments fit the parameters of an operation |
//! | `graph`, `walk`, `cursor`, `copy` | reading a graph, going through it, and adding to it |
//! | `edit`, `replace`, `order`, `dead` | changing nodes, who reads what, where they are, and taking them out |
//! | `hooks` | who is told of edits |
//! | `line` | how one node is written |
//! | `restore` | building a graph from nodes that were written |
//! | `verify` | the numbered rules of a correct graph |
//!
//! Invariant: this module names no operation of candle and holds no tensor. Nothing but [`Graph`] changes a node, and
//! nothing here recurses over the graph.

mod argument;
mod bind;
mod by_target;
mod copy;
mod cursor;
mod dead;
mod edit;
mod graph;
mod hooks;
mod layout;
pub(crate) mod line;
mod meta;
mod module_stack;
mod names;
mod node;
mod order;
mod path;
mod replace;
mod restore;
mod signature;
mod target;
mod users;
mod verify;
mod walk;

#[cfg(test)]
mod random_edits;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;

pub use argument::{Argument, Fields};
pub use bind::{BindError, Bound, bind};
pub use by_target::Found;
pub use copy::NodeMap;
pub use cursor::Cursor;
pub use dead::StillUsed;
pub use graph::Graph;
pub use hooks::{Edit, HookId};
pub use meta::{Meta, Origin, Source};
pub use module_stack::{Frame, ModuleStack};
pub use names::is_legal_name;
pub(crate) use names::{is_continue, is_identifier, is_start};
pub use node::{Keyword, Node, NodeId};
pub use order::Cycle;
pub use path::ModulePath;
pub use replace::MetaNotEmpty;
pub(crate) use restore::Written;
pub use signature::Signature;
pub use target::{Op, Target};
pub use verify::{Place, VerifyError, VerifyErrors};
pub use walk::{Nodes, Walk};
