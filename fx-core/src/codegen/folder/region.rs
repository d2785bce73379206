//! [`Regions`]: the steps of a graph as calls in each other: one region for each time that a module of the original ran.
//!
//! A region is a stretch of the program, so whatever passes did to a graph, it is a function of the values that it reads from
//! outside. Where the steps of one call of a module are torn apart, or there is only one, they belong to the module around it.
//! Long regions are cut into parts, where the fewest values are alive.
//!
//! Invariant: every step is in one region at least, regions are nested, and the steps of each are next to each other in
//! program order. The time is linear in the number of steps, times the depth of the modules.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use crate::entity::SecondaryMap;
use crate::ir::{Graph, ModulePath, NodeId, Op, Target};

/// How many steps and calls a function has at most.
const LONGEST: usize = 48;
/// How many items count nothing, one after the other, because they can become a loop.
const REPEATS: usize = 1024;
/// The most items that a round of a loop has.
pub(super) const LONGEST_ROUND: usize = 24;
/// How deep modules are followed; those deeper belong to the last one.
const DEEPEST: usize = 32;

/// A stretch of a graph that becomes a function.
#[derive(Debug)]
pub(super) struct Region {
    /// The module that it is of.
    pub(super) path: ModulePath,
    /// Name of the module's type.
    pub(super) type_name: Option<Arc<str>>,
    /// The region that calls it.
    pub(super) parent: Option<usize>,
    pub(super) items: Vec<Item>,
    /// Whether it is a part of a longer one, and not a whole call of its module.
    pub(super) is_part: bool,
    /// The numbers of its steps.
    pub(super) steps: Range<usize>,
}

/// What a function does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    /// A step of its own.
    Step(NodeId),
    /// A call of another region.
    Call(usize),
}

/// All regions of a graph; the first is the graph itself.
pub(super) struct Regions {
    pub(super) all: Vec<Region>,
    /// The calls of the graph, in program order.
    pub(super) steps: Vec<NodeId>,
    /// The number of each step.
    pub(super) number: SecondaryMap<NodeId, Option<u32>>,
    /// The innermost region of each step.
    pub(super) region_of: Vec<usize>,
    /// The last step that reads each step's value; none if no step does.
    pub(super) last_reads: Vec<Option<usize>>,
}

/// One call of a module.
type Key<'g> = (&'g ModulePath, u32);

/// The modules around a step, from the outside in.
type Around<'g> = Vec<(Key<'g>, &'g Arc<str>)>;

impl Regions {
    pub(super) fn new(graph: &Graph) -> Self {
        let is_call = |op| matches!(op, Op::CallFunction | Op::CallMethod | Op::CallModule);
        let steps: Vec<NodeId> = graph.nodes().filter(|(_, node)| is_call(node.op())).map(|(id, _)| id).collect();
        let mut number = SecondaryMap::new();
        for (i, id) in steps.iter().enumerate() {
            number[*id] = u32::try_from(i).ok();
        }
        let mut around: Vec<Around<'_>> = steps.iter().map(|id| around(graph, *id)).collect();
        let mut last = HashMap::new();
        for (i, around) in around.iter().enumerate() {
            last.extend(around.iter().map(|(key, _)| (*key, i)));
        }
        // Calls that are torn apart are not followed.
        let (mut opened, mut torn) = (HashSet::new(), HashSet::new());
        walk(&around, &last, &mut |event| {
            if let Event::Open { key, .. } = event
                && !opened.insert(key)
            {
                torn.insert(key);
            }
        });
        // Nor are those of a single step, as of a type that only wraps a layer.
        let mut counts: HashMap<Key<'_>, usize> = HashMap::new();
        for (key, _) in around.iter().flatten() {
            *counts.entry(*key).or_default() += 1;
        }
        around.iter_mut().for_each(|around| around.retain(|(key, _)| !torn.contains(key) && counts[key] > 1));
        let root = Region {
            path: ModulePath::ROOT,
            type_name: None,
            parent: None,
            items: Vec::new(),
            is_part: false,
            steps: 0..steps.len(),
        };
        let mut regions = Self { all: vec![root], steps, number, region_of: Vec::new(), last_reads: Vec::new() };
        regions.fill(&around, &last);
        regions.find_last_reads(graph);
        regions.find_extents();
        let alive = regions.alive(graph);
        let whole = regions.all.len();
        for region in 0..whole {
            regions.split(region, graph, &alive);
        }
        regions.find_extents();
        regions
    }

    /// Makes the regions, outer ones first.
    fn fill(&mut self, around: &[Around<'_>], last: &HashMap<Key<'_>, usize>) {
        let mut open = vec![0];
        walk(around, last, &mut |event| match event {
            Event::Open { depth, key: (path, _), type_name } => {
                open.truncate(depth + 1);
                let (parent, region) = (open[depth], self.all.len());
                self.all[parent].items.push(Item::Call(region));
                self.all.push(Region {
                    path: path.clone(),
                    type_name: Some(type_name.clone()),
                    parent: Some(parent),
                    items: Vec::new(),
                    is_part: false,
                    steps: 0..0,
                });
                open.push(region);
            }
            Event::Step { number, depth } => {
                open.truncate(depth + 1);
                self.all[open[depth]].items.push(Item::Step(self.steps[number]));
            }
        });
    }

    fn find_last_reads(&mut self, graph: &Graph) {
        self.last_reads = vec![None; self.steps.len()];
        for (reader, id) in self.steps.iter().enumerate() {
            for input in graph.node(*id).all_input_nodes() {
                if let Some(number) = self.number[input] {
                    self.last_reads[number as usize] = Some(reader);
                }
            }
        }
    }

    /// How many values are alive before each step.
    fn alive(&self, graph: &Graph) -> Vec<isize> {
        let mut change = vec![0; self.steps.len() + 2];
        let mut last_reads = self.last_reads.clone();
        let returned = graph.output_node().into_iter().flat_map(|output| graph.node(output).all_input_nodes());
        for number in returned.filter_map(|id| self.number[id]) {
            last_reads[number as usize] = Some(self.steps.len());
        }
        for (step, last) in last_reads.iter().enumerate() {
            if let Some(last) = last {
                change[step + 1] += 1;
                change[(last + 1).min(self.steps.len() + 1)] -= 1;
            }
        }
        let mut alive = 0;
        change
            .into_iter()
            .map(|change| {
                alive += change;
                alive
            })
            .collect()
    }

    /// Cuts a region into parts until it is short.
    fn split(&mut self, region: usize, graph: &Graph, alive: &[isize]) {
        loop {
            let items = &self.all[region].items;
            let weights = self.weights(graph, items);
            if weights.iter().sum::<usize>() <= LONGEST {
                return;
            }
            let (mut parts, mut start, mut weight, mut best) = (Vec::new(), 0, 0, None::<(isize, usize)>);
            for (i, item_weight) in weights.iter().enumerate() {
                // Never in what can become a loop, which has no weight.
                if weight + item_weight > LONGEST {
                    let end = best.map_or(i, |(_, end)| end);
                    parts.push(start..end);
                    (start, best) = (end, None);
                    weight = weights[end..i].iter().sum();
                }
                let cost = alive[self.first_step(items[i])];
                if *item_weight > 0 && weight >= LONGEST / 2 && best.is_none_or(|(least, _)| cost <= least) {
                    best = Some((cost, i));
                }
                weight += item_weight;
            }
            parts.push(start..items.len());
            let items = std::mem::take(&mut self.all[region].items);
            let (path, type_name) = (self.all[region].path.clone(), self.all[region].type_name.clone());
            let mut shorter = Vec::with_capacity(parts.len());
            for part in parts {
                let inside = items[part].to_vec();
                let steps = self.first_step(inside[0])..self.end_of(inside[inside.len() - 1]);
                let number = self.all.len();
                for item in &inside {
                    if let Item::Call(inner) = item {
                        self.all[*inner].parent = Some(number);
                    }
                }
                shorter.push(Item::Call(number));
                let (path, type_name) = (path.clone(), type_name.clone());
                self.all.push(Region { path, type_name, parent: Some(region), items: inside, is_part: true, steps });
            }
            self.all[region].items = shorter;
        }
    }

    /// What each item counts towards the length of a function: one that can be of a later round of a loop, nothing.
    fn weights(&self, graph: &Graph, items: &[Item]) -> Vec<usize> {
        let (mut weights, mut period, mut repeats) = (vec![1; items.len()], None, 0);
        for i in 0..items.len() {
            let is_next = |period: &usize| self.are_elements(graph, items[i - period], items[i]);
            let next = (1..=i.min(LONGEST_ROUND)).find(is_next);
            period = next.or(period).filter(|period| *period <= i);
            let is_repeat = match (next, period) {
                (Some(_), _) => true,
                (None, Some(period)) => self.are_alike(graph, items[i - period], items[i]),
                (None, None) => false,
            };
            if !is_repeat {
                (period, repeats) = (None, 0);
            }
            repeats += usize::from(is_repeat);
            if is_repeat && repeats < REPEATS {
                weights[i] = 0;
            }
        }
        weights
    }

    /// Whether two items call modules of one type, that stand side by side in a list.
    fn are_elements(&self, graph: &Graph, one: Item, other: Item) -> bool {
        let called = |item| match item {
            Item::Call(region) => Some((&self.all[region].path, self.all[region].type_name.as_ref())),
            Item::Step(id) => match graph.node(id).target() {
                Target::CallModule(path) => Some((path, None)),
                _ => None,
            },
        };
        let place = |path: &ModulePath| Some((path.parent()?, path.last()?.parse::<usize>().ok()?));
        let (Some((one, of)), Some((other, other_of))) = (called(one), called(other)) else { return false };
        match (place(one), place(other)) {
            (Some((list, first)), Some((other_list, second))) => {
                of == other_of && list == other_list && first + 1 == second
            }
            _ => false,
        }
    }

    /// Whether two items do the same with what they read.
    fn are_alike(&self, graph: &Graph, one: Item, other: Item) -> bool {
        match (one, other) {
            (Item::Step(one), Item::Step(other)) => graph.node(one).target() == graph.node(other).target(),
            (Item::Call(one), Item::Call(other)) => self.all[one].path == self.all[other].path,
            _ => false,
        }
    }

    fn first_step(&self, item: Item) -> usize {
        match item {
            Item::Step(id) => self.number[id].map_or(0, |number| number as usize),
            Item::Call(region) => self.all[region].steps.start,
        }
    }

    fn end_of(&self, item: Item) -> usize {
        match item {
            Item::Step(_) => self.first_step(item) + 1,
            Item::Call(region) => self.all[region].steps.end,
        }
    }

    /// Works out which steps each region has.
    fn find_extents(&mut self) {
        self.region_of = vec![0; self.steps.len()];
        for region in self.inner_first() {
            let items = &self.all[region].items;
            let (mut start, mut end) = (usize::MAX, 0);
            for item in items {
                start = start.min(self.first_step(*item));
                end = end.max(self.end_of(*item));
                if let Item::Step(id) = item
                    && let Some(number) = self.number[*id]
                {
                    self.region_of[number as usize] = region;
                }
            }
            self.all[region].steps = start.min(end)..end;
        }
    }

    /// The innermost region that holds both.
    pub(super) fn around_both(&self, one: usize, other: usize) -> usize {
        let around = |region: usize| std::iter::successors(Some(region), |region| self.all[*region].parent);
        let outer: HashSet<usize> = around(one).collect();
        around(other).find(|region| outer.contains(region)).unwrap_or(0)
    }

    /// The regions, each after those that it calls.
    pub(super) fn inner_first(&self) -> Vec<usize> {
        let (mut order, mut pending) = (Vec::with_capacity(self.all.len()), vec![(0, 0)]);
        while let Some((region, next)) = pending.pop() {
            let inner = self.all[region].items[next..].iter().enumerate().find_map(|(i, item)| match item {
                Item::Call(inner) => Some((next + i + 1, *inner)),
                Item::Step(_) => None,
            });
            match inner {
                Some((next, inner)) => pending.extend([(region, next), (inner, 0)]),
                None => order.push(region),
            }
        }
        order
    }
}

/// The modules around a step, from the outside in. A layer is called in the module that holds it.
fn around(graph: &Graph, id: NodeId) -> Around<'_> {
    let node = graph.node(id);
    let own = match node.target() {
        Target::CallModule(path) => Some(path),
        _ => None,
    };
    let mut frames: Vec<_> = node.meta().module.frames().collect();
    if frames.first().is_some_and(|innermost| Some(&innermost.path) == own) {
        frames.remove(0);
    }
    let frames = frames.into_iter().rev().filter(|frame| !frame.path.is_root());
    frames.take(DEEPEST).map(|frame| ((&frame.path, frame.call), &frame.type_name)).collect()
}

/// What a walk through the steps meets.
enum Event<'g> {
    /// A call of a module, inside of so many others.
    Open { depth: usize, key: Key<'g>, type_name: &'g Arc<str> },
    /// A step, inside of so many calls.
    Step { number: usize, depth: usize },
}

/// Goes through the steps. One that stands in the middle of a call of a module without being of it, as what passes put
/// there does, counts as of it.
fn walk<'g>(around: &[Around<'g>], last: &HashMap<Key<'g>, usize>, visit: &mut dyn FnMut(Event<'g>)) {
    let mut open: Vec<Key<'g>> = Vec::new();
    for (number, around) in around.iter().enumerate() {
        let common = open.iter().zip(around).take_while(|(open, (key, _))| *open == key).count();
        let mut kept = common;
        if common == around.len() {
            while kept < open.len() && last.get(&open[kept]).is_some_and(|&last| last > number) {
                kept += 1;
            }
        }
        open.truncate(kept);
        for (key, type_name) in around.iter().skip(common) {
            visit(Event::Open { depth: open.len(), key: *key, type_name });
            open.push(*key);
        }
        visit(Event::Step { number, depth: open.len() });
    }
}
