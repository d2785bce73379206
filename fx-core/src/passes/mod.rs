//! Passes: what finds, replaces, merges, folds and groups nodes.
//!
//! | file | holds |
//! |---|---|
//! | `pass` | what a pass is, and how many rewrites it may do |
//! | `manager` | running passes in order, checked, undone when one fails |
//! | `facts`, `held` | what is known of the values of new nodes, what the module holds for them |
//! | `sequence` | calls that have to keep their order |
//! | `pattern` | small graphs, captured from functions |
//! | `unify`, `route`, `closed`, `mismatch`, `matcher` | where a pattern occurs, and why not |
//! | `splice`, `rewriter` | putting another graph in its place |
//! | `cse`, `fold`, `dead_code` | calls that need not run again, or at all |
//! | `fuse`, `partitioner` | groups of nodes that become child graphs |
//!
//! | to | use |
//! |---|---|
//! | replace one small graph by another | [`replace_pattern`]; [`PatternRewriter`] for filters, literals, a replacement made for each match |
//! | find where a pattern is, or why it is not | [`SubgraphMatcher`] |
//! | merge equal calls, fold constants, take out what is not needed | [`CommonSubexpressions`], [`ConstantFolding`], [`DeadCode`] |
//! | make child graphs | [`split_module`] of parts that you name, [`Partitioner`] of what a backend supports |
//! | run several, in order, checked, undone when one fails | [`PassManager`] |
//! | find the rewrite that is wrong | [`PassManager::stop_after`], with fewer and fewer |
//!
//! A pass of one's own is a closure from `&mut GraphModule` to whether it changed anything, or implements [`Pass`].
//! What a pass knows of new nodes follows from the rules of their operations; where a new node came from is kept with
//! it ([`Meta::from`](crate::ir::Meta::from)).
//!
//! Invariant: a pass that fails leaves the module as it was, and one that changes it leaves it correct. Passes work on
//! any operation; none is named here.

mod closed;
mod cse;
mod dead_code;
mod facts;
mod fold;
mod fuse;
mod held;
mod manager;
mod matcher;
mod mismatch;
mod partitioner;
mod pass;
mod pattern;
mod rewriter;
mod route;
mod sequence;
mod splice;
mod unify;

pub use crate::trace::Proxy;
pub use cse::CommonSubexpressions;
pub use dead_code::DeadCode;
pub use fold::ConstantFolding;
pub use fuse::{FuseError, split_module};
pub use manager::{ManagerError, PassManager, Report};
pub use matcher::{InternalMatch, NodesMap, SubgraphMatcher, TooAmbiguous};
pub use mismatch::Mismatch;
pub use partitioner::{Partition, Partitioner};
pub use pass::{Fuel, Pass, PassFailure};
pub use pattern::{IntoPattern, Names, Pattern, PatternError, pattern};
pub use rewriter::{
    MatchFilter, PatternRewriter, ReplacedPattern, RewriteError, replace_pattern, replace_pattern_with_filters,
};
