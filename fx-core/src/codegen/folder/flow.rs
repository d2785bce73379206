//! [`Flow`]: what each region takes and gives, as a function.
//!
//! Invariant: a function takes what it or a function that it calls reads and does not make itself, each once; it gives
//! what is read after it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::ir::{Graph, ModulePath, NodeId, Target};

use super::cells::Cells;
use super::holder::{Holders, Member};
use super::region::{Item, Regions};
use super::slots::Way;
use super::structure::followed;
use crate::value::SymInt;

/// What a function takes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Input {
    /// A value of the graph.
    Value(NodeId),
    /// A tensor, layer or module that the function's struct does not hold.
    Held(Member),
    /// A size of the run, by its name.
    Size(Arc<str>),
    /// A piece of the state, to be changed.
    State(Way),
}

impl Input {
    /// What kinds come first: values, then sizes, what is held elsewhere, and the state.
    fn rank(&self) -> usize {
        match self {
            Self::Value(_) => 0,
            Self::Size(_) => 1,
            Self::Held(_) => 2,
            Self::State(_) => 3,
        }
    }
}

/// What each region takes and gives, each kind of it in the order of first use and of making.
pub(super) struct Flow {
    pub(super) inputs: Vec<Vec<Input>>,
    pub(super) outputs: Vec<Vec<NodeId>>,
}

impl Flow {
    pub(super) fn new(graph: &Graph, regions: &Regions, holders: &Holders, cells: &Cells) -> Self {
        let count = regions.all.len();
        let mut flow = Self { inputs: vec![Vec::new(); count], outputs: vec![Vec::new(); count] };
        let (mut seen, mut keepers) = (HashSet::new(), HashMap::<NodeId, usize>::new());
        for cell in cells.all.iter().filter(|cell| cell.region != 0) {
            cell.writes.for_each_node(&mut |id| {
                let keeper = keepers.entry(id).or_insert(cell.region);
                *keeper = regions.around_both(*keeper, cell.region);
            });
        }
        for (number, id) in regions.steps.iter().enumerate() {
            let region = regions.region_of[number];
            for input in graph.node(*id).all_input_nodes() {
                if !matches!(graph.node(input).target(), Target::GetAttr(_)) {
                    flow.take((regions, holders, cells), &mut seen, region, &Input::Value(input));
                }
            }
            for argument in graph.node(*id).arguments() {
                argument.for_each_expression(&mut |of| {
                    of.for_each_symbol(&mut |name| {
                        flow.take((regions, holders, cells), &mut seen, region, &Input::Size(name.clone()));
                    });
                });
            }
            for leaf in holders.used_by(graph, *id) {
                flow.take((regions, holders, cells), &mut seen, region, &Input::Held(Member::Leaf(leaf)));
            }
            let mut around = Some(region);
            let mut keeper = keepers.get(id).copied();
            while let Some(region) = around.filter(|region| *region != 0) {
                // Its function puts it into the state itself.
                keeper = keeper.filter(|keeper| *keeper != region);
                let is_read = regions.last_reads[number].is_some_and(|last| last >= regions.all[region].steps.end);
                if !is_read && keeper.is_none() && !cells.is_returned(*id) {
                    break;
                }
                flow.outputs[region].push(*id);
                around = regions.all[region].parent;
            }
        }
        for cell in cells.all.iter().filter(|cell| cell.region != 0) {
            let mut need = |of: &SymInt| {
                of.for_each_symbol(&mut |name| {
                    flow.take((regions, holders, cells), &mut seen, cell.region, &Input::Size(name.clone()));
                });
            };
            cell.writes.for_each_expression(&mut need);
            cell.writes.for_each_node(&mut |id| followed(graph, id).iter().for_each(&mut need));
        }
        // What is called must be in reach of who calls it.
        for region in regions.inner_first() {
            for item in &regions.all[region].items {
                if let Item::Call(inner) = item {
                    let called = Member::Holder(holders.of(&regions.all[*inner].path));
                    flow.take((regions, holders, cells), &mut seen, region, &Input::Held(called));
                }
            }
        }
        for (region, inputs) in flow.inputs.iter_mut().enumerate() {
            inputs.extend(cells.handed(region).iter().cloned().map(Input::State));
            inputs.sort_by_key(Input::rank);
        }
        flow
    }

    /// Notes what a region needs, in it and in those around it that do not have it.
    fn take(
        &mut self,
        (regions, holders, cells): (&Regions, &Holders, &Cells),
        seen: &mut HashSet<(usize, Input)>,
        region: usize,
        input: &Input,
    ) {
        let mut around = Some(region);
        while let Some(region) = around.filter(|region| *region != 0) {
            let has = match input {
                Input::Value(id) => {
                    let made = regions.number[*id].map(|number| number as usize);
                    made.is_some_and(|made| regions.all[region].steps.contains(&made)) || cells.is_taken_by(region, *id)
                }
                Input::Size(_) | Input::State(_) => false,
                Input::Held(member) => holders.way(holders.of(&regions.all[region].path), member).is_some(),
            };
            if has || !seen.insert((region, input.clone())) {
                return;
            }
            self.inputs[region].push(input.clone());
            around = regions.all[region].parent;
        }
    }
}

/// The last name in a path that is not a number.
pub(super) fn last_word(path: &ModulePath) -> Option<&str> {
    path.segments().rev().find(|segment| segment.parse::<usize>().is_err())
}
