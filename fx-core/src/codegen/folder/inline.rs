//! What becomes a loop, and what is written into the next statement.
//!
//! Invariant: both compute what the steps one by one compute, and hold no memory longer.

use std::collections::HashMap;

use crate::ir::{Argument, NodeId, Target};

use super::body::Bodies;
use super::flow::Input;
use super::holder::Member;
use super::program::value_type;
use super::region::Item;
use super::slots::Step;
use super::unit::Unit;

/// The longest chain of calls in one statement.
const LONGEST_CHAIN: usize = 5;
impl Bodies<'_> {
    /// The list, the element and the region of an item that calls an element of a list.
    pub(super) fn element(&self, (number, region): (usize, usize), item: Item) -> Option<(usize, usize, usize)> {
        let Item::Call(inner) = item else { return None };
        let unit = &self.program.units[number];
        let holder = unit.holders.of(&unit.region(region).path);
        let called = Member::Holder(unit.holders.of(&unit.region(inner).path));
        let way = unit.holders.way(holder, &called)?;
        let [member] = way.as_slice() else { return None };
        let (field, element) = self.naming.element(self.program, number, holder, member)?;
        Some((field, element, inner))
    }

    /// How many items from this one on are calls of the elements of a list, each on the result of the one before.
    pub(super) fn repeated(&self, at: (usize, usize), last_items: &HashMap<NodeId, usize>, start: usize) -> usize {
        let unit = &self.program.units[at.0];
        let items = &unit.region(at.1).items;
        let Some((field, first, mut before)) = self.element(at, items[start]) else { return 1 };
        let functions = &self.program.function_of[at.0];
        let (mut count, mut passed_on) = (1, None);
        while let Some(item) = items.get(start + count) {
            let Some((other, element, inner)) = self.element(at, *item) else { break };
            let [made] = unit.flow.outputs[before].as_slice() else { break };
            let (old, new) = (&unit.flow.inputs[before], &unit.flow.inputs[inner]);
            let chained: Vec<usize> = (0..new.len()).filter(|i| new[*i] == Input::Value(*made)).collect();
            let [chained] = chained.as_slice() else { break };
            let is_next = other == field
                && element == first + count
                && functions[inner] == functions[before]
                && old.len() == new.len()
                && (0..new.len()).all(|i| i == *chained || is_passed_again(&old[i], &new[i]))
                && matches!(old[*chained], Input::Value(_))
                && last_items.get(made) == Some(&(start + count))
                && passed_on.is_none_or(|passed_on| passed_on == *chained);
            if !is_next {
                break;
            }
            passed_on = Some(*chained);
            before = inner;
            count += 1;
        }
        // What goes in must be only that.
        let is_one = unit.flow.outputs[before].len() == 1;
        if is_one { count } else { count.saturating_sub(1).max(1) }
    }

    /// What the value is called that goes round in a loop: as the function that is called calls it.
    pub(super) fn passed_on(&self, number: usize, unit: &Unit<'_>, item: Item) -> String {
        let Item::Call(inner) = item else { return "x".to_owned() };
        let ty = self.program.type_of[number][unit.holders.of(&unit.region(inner).path)];
        let parameters = &self.naming.types[ty].functions[&self.program.function_of[number][inner]].parameters;
        let values = unit.flow.inputs[inner].iter().zip(parameters);
        let mut values = values.filter(|(input, _)| matches!(input, Input::Value(_)));
        values.next().map_or_else(|| "x".to_owned(), |(_, name)| name.to_string().trim_start_matches("r#").to_owned())
    }

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

/// Whether a call is given what the one before was given: of the state, the next element of a list.
fn is_passed_again(before: &Input, next: &Input) -> bool {
    match (before, next) {
        (Input::State(before), Input::State(next)) => {
            let mut differing = before.iter().zip(next).filter(|(one, other)| one != other);
            let is_next = match differing.next() {
                Some((Step::Element(element), Step::Element(next))) => *next == *element + 1,
                _ => false,
            };
            is_next && differing.next().is_none() && before.len() == next.len()
        }
        (before, next) => before == next,
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
