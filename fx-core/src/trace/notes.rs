//! [`Notes`]: what a model decides by while it is captured at one of several sizes: the comparisons of numbers that it makes,
//! how its other conditions come out, and how often its loops go round that record something.
//!
//! They are kept by place in the source. A loop that runs once for each of a dimension makes more comparisons the larger it
//! is; those decide something only where the graph is another ([`Notes::causes`]).
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

/// What is noted at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// A comparison that the model made.
    Decision,
    /// What holds of a number that it made.
    Bound,
    /// A condition of which nobody knows what it compares: it is 1 where it holds, and 0 where not.
    Condition,
}

/// The comparisons of one place.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) at: &'static Location<'static>,
    pub(crate) relation: Relation,
    /// What the numbers are.
    pub(crate) kind: Kind,
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

/// What there is more or less of. What a macro writes has one line, so loops and closures have a number besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Round {
    /// The body of a loop is run.
    Loop(u32),
    /// A closure is called.
    Closure(u32),
    /// Parts of the list that a call gives.
    Parts,
}

impl Round {
    /// A sentence about so many here, and so many there.
    pub(crate) fn told(self, here: (usize, &str), there: (usize, &str)) -> String {
        let ((ours, here), (theirs, there)) = (here, there);
        match self {
            Self::Loop(_) => format!("a loop runs {ours} times {here} and {theirs} times {there}"),
            Self::Closure(_) => format!("a closure is called {ours} times {here} and {theirs} times {there}"),
            Self::Parts => format!("a call gives {ours} parts {here} and {theirs} parts {there}"),
        }
    }
}

/// How often one loop went round each time it recorded something, or one closure was called that recorded something.
#[derive(Debug, Clone)]
pub(crate) struct Rounds {
    pub(crate) at: &'static Location<'static>,
    pub(crate) what: Round,
    /// Behind how many comparisons each run of the loop began, and its rounds.
    pub(crate) runs: Vec<(usize, usize)>,
}

/// A loop that went round otherwise in another run: which, how often in this one, and in the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OtherRounds {
    pub(crate) at: &'static Location<'static>,
    pub(crate) what: Round,
    /// Which of its runs.
    pub(crate) run: usize,
    pub(crate) ours: usize,
    pub(crate) theirs: usize,
    /// Behind how many comparisons of the other run.
    pub(crate) until: usize,
}

impl OtherRounds {
    /// Whether it is the same run of the same loop.
    pub(crate) fn is_same_run(&self, other: &Self) -> bool {
        std::ptr::eq(self.at, other.at) && (self.what, self.run) == (other.what, other.run)
    }
}

/// What can be the cause of two runs that recorded other graphs: each what comes first of its kind.
pub(crate) struct Causes<'n> {
    /// The comparison that came out otherwise.
    pub(crate) comparison: Option<(&'n Place, usize)>,
    /// The condition, of which nobody knows what it compares.
    pub(crate) condition: Option<(&'n Place, usize)>,
    /// The loop.
    pub(crate) rounds: Option<OtherRounds>,
}

/// Everything that was decided in one run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes {
    places: Vec<Place>,
    by_address: HashMap<(usize, Relation, Kind), usize, foldhash::fast::RandomState>,
    /// The place that was noted last, which is likely to be the next.
    last: Option<((usize, Relation, Kind), usize)>,
    rounds: Vec<Rounds>,
    rounds_by_address: HashMap<(usize, Round), usize, foldhash::fast::RandomState>,
    count: usize,
}

/// How many comparisons of one place are kept.
const KEPT: usize = 256;

impl Notes {
    fn add(&mut self, at: &'static Location<'static>, kind: Kind, relation: Relation, sides: [Number; 2]) {
        let next = self.places.len();
        // Each place in a program has a location of its own, which does not move.
        let key = (std::ptr::from_ref(at).addr(), relation, kind);
        let index = match self.last {
            Some((last, index)) if last == key => index,
            _ => *self.by_address.entry(key).or_insert(next),
        };
        self.last = Some((key, index));
        if index == next {
            self.places.push(Place { at, relation, kind, count: 0, first: Vec::new() });
        }
        let [left, right] = sides;
        let place = &mut self.places[index];
        place.count += 1;
        if place.first.len() < KEPT {
            place.first.push(Comparison { order: self.count, left, right });
        }
        self.count += usize::from(kind != Kind::Condition);
    }

    fn add_rounds(&mut self, at: &'static Location<'static>, what: Round, (began, rounds): (usize, usize)) {
        let next = self.rounds.len();
        let index = *self.rounds_by_address.entry((std::ptr::from_ref(at).addr(), what)).or_insert(next);
        if index == next {
            self.rounds.push(Rounds { at, what, runs: Vec::new() });
        }
        let runs = &mut self.rounds[index].runs;
        // Each call of a closure is told by itself.
        let calls = runs.last_mut().filter(|_| matches!(what, Round::Closure(_)));
        if let Some((_, calls)) = calls {
            *calls += rounds;
        } else if runs.len() < KEPT {
            runs.push((began, rounds));
        }
    }

    /// The places where numbers are compared, in the order of their first comparisons.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Place> {
        self.places.iter().filter(|place| place.kind != Kind::Condition)
    }

    /// The same place in another run.
    pub(crate) fn same_place(&self, place: &Place) -> Option<&Place> {
        let key = (std::ptr::from_ref(place.at).addr(), place.relation, place.kind);
        self.by_address.get(&key).map(|index| &self.places[*index])
    }

    /// How often a loop went round in one of its runs; never, if it recorded nothing.
    pub(crate) fn rounds_of(&self, other: &OtherRounds) -> usize {
        let index = self.rounds_by_address.get(&(std::ptr::from_ref(other.at).addr(), other.what));
        let runs = index.map(|index| &self.rounds[*index].runs);
        runs.and_then(|runs| runs.get(other.run)).map_or(0, |(_, rounds)| *rounds)
    }

    /// How many comparisons there were.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Where another run first decides otherwise: the place, and which comparison there. Places at which the runs compare
    /// more or less often do not count.
    pub(crate) fn divergence(&self, other: &Self) -> Option<(&Place, usize)> {
        self.first_otherwise(other, |place, there| place.kind != Kind::Condition && place.count == there.count)
    }

    /// The same where places count however often the runs come there: what a run does from there on need not be what the
    /// other does, so this says something only of runs that recorded other graphs.
    pub(crate) fn causes(&self, other: &Self) -> Causes<'_> {
        Causes {
            comparison: self.first_otherwise(other, |place, _| place.kind != Kind::Condition),
            condition: self.first_otherwise(other, |place, _| place.kind == Kind::Condition),
            rounds: self.other_rounds(other),
        }
    }

    fn first_otherwise(&self, other: &Self, counts: impl Fn(&Place, &Place) -> bool) -> Option<(&Place, usize)> {
        let of_place = |place| -> Option<(usize, (&Place, usize))> {
            let place: &Place = place;
            let there = other.same_place(place).filter(|there| counts(place, there))?;
            let index = place.results().zip(there.results()).position(|(ours, theirs)| ours != theirs)?;
            Some((place.first[index].order, (place, index)))
        };
        self.places.iter().filter_map(of_place).min_by_key(|(order, _)| *order).map(|(_, found)| found)
    }

    /// The first of the loops that went round otherwise; of those that begin together the outermost, which ended last.
    fn other_rounds(&self, other: &Self) -> Option<OtherRounds> {
        let of_place = |Rounds { at, what, .. }: &Rounds| {
            let runs = |notes: &Self| {
                let index = notes.rounds_by_address.get(&(std::ptr::from_ref(*at).addr(), *what));
                index.map_or_else(Vec::new, |index| notes.rounds[*index].runs.clone())
            };
            let (ours, theirs) = (runs(self), runs(other));
            let rounds = |runs: &[(usize, usize)], run: usize| runs.get(run).map_or(0, |(_, rounds)| *rounds);
            let run = (0..ours.len().max(theirs.len())).find(|run| rounds(&ours, *run) != rounds(&theirs, *run))?;
            let until = theirs.get(run).map_or(other.count, |(began, _)| *began);
            let began = ours.get(run).map_or(until, |(began, _)| *began);
            let (ours, theirs) = (rounds(&ours, run), rounds(&theirs, run));
            Some((began, OtherRounds { at, what: *what, run, ours, theirs, until }))
        };
        let all = self.rounds.iter().rev().chain(other.rounds.iter().rev());
        all.filter_map(of_place).min_by_key(|(began, _)| *began).map(|(_, found)| found)
    }
}

thread_local! {
    static NOTES: RefCell<Option<Notes>> = const { RefCell::new(None) };
    /// How many nodes were recorded on this thread.
    static RECORDED: Cell<usize> = const { Cell::new(0) };
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
            notes.add(at, Kind::Decision, relation, [left, right]);
        }
    });
}

/// Notes what holds of a number that was made, if anybody wants to know.
pub(crate) fn note_bound(at: &'static Location<'static>, relation: Relation, left: Number, right: Number) {
    NOTES.with_borrow_mut(|notes| {
        if let Some(notes) = notes {
            notes.add(at, Kind::Bound, relation, [left, right]);
        }
    });
}

/// Notes how a condition comes out, if anybody wants to know.
pub(crate) fn note_condition(at: &'static Location<'static>, holds: bool) {
    NOTES.with_borrow_mut(|notes| {
        if let Some(notes) = notes {
            notes.add(at, Kind::Condition, Relation::Eq, [holds, true].map(|is| Number::Int(is.into())));
        }
    });
}

/// Notes how many parts a call gives, if anybody wants to know.
pub(crate) fn note_parts(at: &'static Location<'static>, parts: usize) {
    NOTES.with_borrow_mut(|notes| {
        if let Some(notes) = notes {
            notes.add_rounds(at, Round::Parts, (notes.count, parts));
        }
    });
}

/// Notes that a node was recorded.
pub(crate) fn note_node() {
    RECORDED.set(RECORDED.get().wrapping_add(1));
}

/// Something that goes round, from its beginning on. Nothing of it is told if nothing was recorded meanwhile.
pub(crate) struct Going {
    at: &'static Location<'static>,
    what: Round,
    began: usize,
    recorded: usize,
    rounds: Cell<usize>,
}

impl Going {
    /// Begins, with so many rounds done.
    pub(crate) fn from(at: &'static Location<'static>, what: Round, rounds: usize) -> Self {
        let recorded = RECORDED.get();
        // Closures are called often, and few of them record something.
        let began = match what {
            Round::Loop(_) => NOTES.with_borrow(|notes| notes.as_ref().map_or(0, Notes::count)),
            Round::Closure(_) | Round::Parts => 0,
        };
        Self { at, what, began, recorded, rounds: Cell::new(rounds) }
    }

    /// Once more.
    pub(crate) fn round(&self) {
        self.rounds.set(self.rounds.get() + 1);
    }
}

impl Drop for Going {
    fn drop(&mut self) {
        if RECORDED.get() == self.recorded {
            return;
        }
        NOTES.with_borrow_mut(|notes| {
            if let Some(notes) = notes {
                let began = if matches!(self.what, Round::Loop(_)) { self.began } else { notes.count };
                notes.add_rounds(self.at, self.what, (began, self.rounds.get()));
            }
        });
    }
}
