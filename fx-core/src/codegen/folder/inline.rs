//! What is written into the next statement.
//!
//! Invariant: it computes what the steps one by one compute, and holds no memory longer.

use crate::ir::{Argument, NodeId, Target};

use super::body::Bodies;
use super::program::value_type;
use super::region::Item;
use super::unit::Unit;

/// The longest chain of calls in one statement.
const LONGEST_CHAIN: usize = 5;

impl Bodies<'_> {
    /// Whether an item is written into the next one: as what its method is called on, where nothing else reads it, and
    /// where no memory is held longer for it than if it were dropped. `length` is that of the chain so far.
    pub(super) fn is_inlined(&self, unit: &Unit<'_>, items: &[Item], i: usize, length: &mut usize) -> bool {
        let is_inlined = *length < LONGEST_CHAIN && self.can_be_inlined(unit, items, i, *length);
        *length = if is_inlined { *length + 1 } else { 0 };
        is_inlined
    }

    fn can_be_inlined(&self, unit: &Unit<'_>, items: &[Item], i: usize, length: usize) -> bool {
        let graph = unit.graph();
        let Some(Item::Step(reader)) = items.get(i + 1) else { return false };
        let Some(value) = value_of(unit, items[i]) else { return false };
        let node = graph.node(*reader);
        let is_receiver = match node.target() {
            Target::CallMethod(op) => !op.source.is_empty() && node.args().first() == Some(&Argument::Node(value)),
            _ => false,
        };
        let mut reads = 0;
        node.arguments().for_each(|argument| argument.for_each_node(&mut |id| reads += usize::from(id == value)));
        if !is_receiver || reads != 1 || graph.user_count(value) != 1 || value_type(unit, value) != "Tensor" {
            return false;
        }
        let of = graph.node(value);
        let is_other_line =
            || of.meta().source.as_ref().map(|at| at.line()) != node.meta().source.as_ref().map(|at| at.line());
        if self.explain || (self.comments && is_other_line()) {
            return false;
        }
        match items[i] {
            // What it is made of is held as long as itself.
            Item::Step(_) => length == 0 || of.target().operation().is_some_and(|op| self.views.contains(op)),
            // The last of a list may be in a loop.
            Item::Call(inner) => unit.region(inner).path.last().is_none_or(|last| last.parse::<usize>().is_err()),
        }
    }
}

/// The one value that an item makes.
pub(super) fn value_of(unit: &Unit<'_>, item: Item) -> Option<NodeId> {
    match item {
        Item::Step(id) => Some(id),
        Item::Call(inner) => match unit.flow.outputs[inner].as_slice() {
            [one] => Some(*one),
            _ => None,
        },
    }
}
