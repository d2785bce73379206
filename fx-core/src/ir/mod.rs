//! The graph: six opcodes, nodes in program order, users, names.
//!
//! A [`Graph`] owns its nodes. It is built, and added to, through a [`Cursor`], which stands where the next node goes; read
//! as [`Node`]s, by id, by name, by target or in order; and changed by methods of the graph, which keep users, order and names
//! right. What a node does is a [`Target`], what it reads are [`Argument`]s, what is remembered about it is [`Meta`]. What edits
//! can get wrong, [`Graph::verify`] finds, by numbered rules ([`VerifyError`]).
//!
//! | to | use |
//! |---|---|
//! | add nodes | [`Graph::at_end`], [`Graph::inserting_before`], [`Graph::inserting_after`], and the methods of [`Cursor`] |
//! | find nodes | [`Graph::nodes`], [`Graph::find_nodes`], [`Graph::calls`], [`Graph::node_named`], [`Graph::users`] |
//! | edit while going through | [`Walk`] |
//! | read another value | [`Graph::replace_all_uses_with`], [`Graph::replace_input_with`], [`Graph::set_args`] |
//! | take out | [`Graph::erase_node`], [`Graph::eliminate_dead_code`] |
//! | do something else | [`Graph::set_target`], [`Graph::set_call`] |
//! | move | [`Graph::prepend`], [`Graph::append`], [`Graph::stable_topological_sort`] |
//! | copy from another graph | [`Cursor::node_copy`], [`Cursor::graph_copy`] with a [`NodeMap`] |
//! | say how it is called, what it keeps, which sizes it follows | [`Signature`], [`StateSlot`], [`Dynamic`] |
//! | write and read as text | `Display`, [`Graph::to_text`], [`Graph::parse`]; see [`text`](crate::text) |
//! | be told of edits | [`Graph::register_hook`] |
//!
//! | file | holds |
//! |---|---|
//! | `path`, `target`, `argument`, `module_stack`, `meta`, `node` | what a node is: data without behaviour |
//! | `signature`, `dynamic` | how a graph is called, which sizes it follows |
//! | `identifier` | what can be the name of a node |
//! | `layout`, `users`, `occurrences`, `names`, `by_target` | the side structures that every edit keeps true |
//! | `bind` | whether arguments fit the parameters of an operation, and which is whose |
//! | `graph`, `walk`, `cursor`, `copy` | reading a graph, going through it, and adding to it |
//! | `edit`, `replace`, `order`, `dead` | changing nodes, who reads what, where they are, and taking them out |
//! | `hooks` | who is told of edits |
//! | `line` | how one node is written |
//! | `restore` | building a graph from nodes that were written |
//! | `verify` | the numbered rules of a correct graph |
//!
//! Who knows torch.fx finds its names here, and where they differ:
//!
//! | torch.fx | here |
//! |---|---|
//! | `graph.nodes`, iterated while it is edited | [`Walk`] either way; [`Cursor::advance`]; [`Graph::nodes`] without edits |
//! | `with graph.inserting_before(n):` | [`Graph::inserting_before`] gives a [`Cursor`], the scope is its life |
//! | `n.prepend(x)`, `n.append(x)` | [`Graph::prepend`]`(n, x)`, [`Graph::append`]`(n, x)` |
//! | `n.args = …`, `n.kwargs = …`, `n.target = …`, `n.name = …` | [`Graph::set_args`], [`Graph::set_kwargs`], [`Graph::set_target`], [`Graph::rename`] |
//! | `n.replace_all_uses_with(m, delete_user_cb, propagate_meta)` | [`Graph::replace_all_uses_with`], [`Graph::replace_uses_where`], [`Graph::propagate_meta`] |
//! | `a < b` | [`Graph::is_before`] |
//! | `n.meta["nn_module_stack"]`, `["stack_trace"]`, `["from_node"]`, `["custom"]` | [`Meta::module`], [`Meta::source`], [`Meta::from`], [`Meta::annotations`] |
//! | `graph.find_nodes(op=…, target=…)` | [`Graph::find_nodes`]; of an operation [`Graph::calls`] |
//! | `graph.lint()` | [`Graph::verify`], every fault at once |
//! | `has_side_effect(f)` | [`OpDef::with_effect`](crate::ops::OpDef::with_effect) |
//! | `module._register_create_node_hook(f)`, … | [`Graph::register_hook`] |
//! | `legalize_graph`, `stable_topological_sort` | [`Graph::stable_topological_sort`] |
//! | `copy.deepcopy(graph)` | `clone`, which keeps ids |
//! | `map_arg(a, f)` | [`Argument::map_nodes`], [`Argument::for_each_node`] |
//!
//! Invariant: this module names no operation of candle and holds no tensor. Nothing but [`Graph`] changes a node, and
//! nothing here recurses over the graph.

mod argument;
mod bind;
mod by_target;
mod copy;
mod cursor;
mod dead;
mod dynamic;
mod edit;
mod graph;
mod hooks;
mod identifier;
mod layout;
pub(crate) mod line;
mod meta;
mod module_stack;
mod names;
mod node;
mod occurrences;
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
pub(crate) mod random_edits;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;

pub use argument::{Argument, Fields};
pub(crate) use bind::by_parameter;
pub use bind::{BindError, Bound, NormalizedArguments, bind};
pub use by_target::Found;
pub use copy::NodeMap;
pub use cursor::Cursor;
pub use dead::{IsImpure, StillUsed};
pub use dynamic::{Dynamic, Guard, Size, SizeOf};
pub use graph::Graph;
pub use hooks::{Edit, HookId};
pub use identifier::is_legal_name;
pub(crate) use identifier::{is_continue, is_identifier, is_start};
pub use meta::{Meta, Origin, Source};
pub use module_stack::{Frame, ModuleStack};
pub use node::{Keyword, Node, NodeId};
pub use order::Cycle;
pub use path::ModulePath;
pub use replace::MetaNotEmpty;
pub(crate) use restore::Written;
pub use signature::{Signature, StateSlot};
pub use target::{Op, Target};
pub use verify::{Place, VerifyError, VerifyErrors};
pub use walk::{Nodes, Walk};
