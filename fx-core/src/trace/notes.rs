//! [`Notes`]: the comparisons of numbers that a model makes while it is captured at one of several sizes.
//!
//! They are kept by place in the source. A loop that runs once for each of a dimension makes more of them the larger it is:
//! what it decides is seen in the graph, not here.
//!
//! Invariant: nothing is noted unless somebody asked for it, and only so many of one place are kept, however many there
//! are.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::panic::Location;

use crate::value::{Number, Relation};

/// A comparison that was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Comparison {
    /// How many were made before it.
    pub(crate) order: usize,
    pub(crate) left: Number,
    pub(crate) right: Number,
}

/// The comparisons of one place.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) at: &'static Location<'static>,
    pub(crate) relation: Relation,
    /// Whether the model made them, rather than that they hold of what it made.
    pub(crate) decides: bool,
    /// How many were made there.
    pub(crate) count: usize,
    /// The first of them.
    pub(crate) first: Vec<Comparison>,
}

impl Place {
    /// Results of the comparisons, in order.
    fn results(&self) -> impl Iterator<Item = bool> {
        self.first.iter().map(|one| self.relation.holds(one.left, one.right))
    }
}

/// Everything that was compared in one run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes {
    places: Vec<Place>,
    by_address: HashMap<(usize, Relation), usize, foldhash::fast::RandomState>,
    count: usize,
}

/// How many comparisons of one place are kept.
const KEPT: usize = 256;

impl Notes {
    fn add(
        &mut self,
        at: &'static Location<'static>,
        relation: Relation,
        (left, right): (Number, Number),
        decides: bool,
    ) {
        let next = self.places.len();
        // Each place in a program has a location of its own, which does not move.
        let index = *self.by_address.entry((std::ptr::from_ref(at).addr(), relation)).or_insert(next);
        if index == next {
            self.places.push(Place { at, relation, decides, count: 0, first: Vec::new() });
        }
        let place = &mut self.places[index];
        place.count += 1;
        if place.first.len() < KEPT {
            place.first.push(Comparison { order: self.count, left, right });
        }
        self.count += 1;
    }

    /// The places, in the order of their first comparisons.
    pub(crate) fn places(&self) -> &[Place] {
        &self.places
    }

    /// The same place in another run.
    pub(crate) fn same_place(&self, place: &Place) -> Option<&Place> {
        let key = (std::ptr::from_ref(place.at).addr(), place.relation);
        self.by_address.get(&key).map(|index| &self.places[*index])
    }

    /// How many comparisons there were.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Where another run first decides otherwise: the place, and which comparison there. Places at which the runs compare
    /// more or less often do not count.
    pub(crate) fn divergence(&self, other: &Self) -> Option<(&Place, usize)> {
        let of_place = |place| -> Option<(usize, (&Place, usize))> {
            let place: &Place = place;
            let there = other.same_place(place).filter(|there| there.count == place.count)?;
            let index = place.results().zip(there.results()).position(|(ours, theirs)| ours != theirs)?;
            Some((place.first[index].order, (place, index)))
        };
        self.places.iter().filter_map(of_place).min_by_key(|(order, _)| *order).map(|(_, found)| found)
    }
}

thread_local! {
    static NOTES: RefCell<Option<Notes>> = const { RefCell::new(None) };
    static NOTICED: Cell<Noticed> = const { Cell::new(Noticed { layout: false, memory: false, memory_matters: false }) };
}

/// What a model does that its graph does not tell.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Noticed {
    /// It asks how a tensor lies in memory, which no graph follows.
    pub(crate) layout: bool,
    /// It adds to a map that it only remembers.
    pub(crate) memory: bool,
    /// It adds to a map, and what it computes depends on what is in it.
    pub(crate) memory_matters: bool,
}

/// Runs something, and says what a model does meanwhile that its graph does not tell.
pub(crate) fn noticing<R>(run: impl FnOnce() -> R) -> (R, Noticed) {
    let outer = NOTICED.take();
    let result = run();
    (result, NOTICED.replace(outer))
}

/// Notes that a model asks how a tensor lies in memory.
pub(crate) fn note_layout() {
    NOTICED.set(Noticed { layout: true, ..NOTICED.get() });
}

/// Notes that a model adds to a map, and whether it does more than remember.
pub(crate) fn note_memory(matters: bool) {
    let noticed = NOTICED.get();
    NOTICED.set(Noticed { memory: true, memory_matters: noticed.memory_matters || matters, ..noticed });
}

/// Runs something, and gives what was compared meanwhile on this thread.
pub(crate) fn noting<R>(is_wanted: bool, run: impl FnOnce() -> R) -> (R, Notes) {
    let outer = NOTES.replace(is_wanted.then(Notes::default));
    let result = run();
    (result, NOTES.replace(outer).unwrap_or_default())
}

/// Whether anybody wants to know.
pub(crate) fn is_noting() -> bool {
    NOTES.with_borrow(Option::is_some)
}

/// Notes a comparison, if anybody wants to know.
pub(crate) fn note(at: &'static Location<'static>, relation: Relation, left: Number, right: Number) {
    NOTES.with_borrow_mut(|notes| {
        if let Some(notes) = notes {
            notes.add(at, relation, (left, right), true);
        }
    });
}

/// Notes what holds of a number that was made, if anybody wants to know.
pub(crate) fn note_bound(at: &'static Location<'static>, relation: Relation, left: Number, right: Number) {
    NOTES.with_borrow_mut(|notes| {
        if let Some(notes) = notes {
            notes.add(at, relation, (left, right), false);
        }
    });
}
