//! The comparisons that a model made, as conditions on sizes.
//!
//! Invariant: the sides of a guard are what the model compared at every size that was tried and came that far, those at
//! which it then decided otherwise included: there the guard is false.

use super::agree::{Stop, fitted, fitted_float};
use super::domain::Domain;
use super::error::DynamicError;
use crate::ir::Guard;
use crate::trace::notes::{Comparison, Kind, Notes, OtherRounds, Place};
use crate::value::{Fitter, Number, Relation, Sizes, SymNumber};

/// The conditions under which the model decides as in the first capture; and whether one of a float that is made whole is not known.
pub(super) fn of(domain: &Domain<'_>, known: &Fitter) -> Result<(Vec<Guard>, bool), Stop> {
    let base = &domain.base().notes;
    let same: Vec<(&Sizes, &Notes)> = domain.same().map(|(sizes, recording)| (sizes, &recording.notes)).collect();
    // Where the model decided otherwise, and after how many comparisons.
    let by_causes = domain.goes_by_causes();
    let others = domain.others().filter_map(|(sizes, other)| Other::of(base, sizes, &other.notes, by_causes));
    let others: Vec<Other<'_>> = others.collect();
    let mut guards = Guards { domain, known, guards: Vec::new(), misses_bounds: false, fitter: None };
    for place in base.places() {
        let rows: Option<Vec<(&Sizes, &Place)>> = same
            .iter()
            .map(|(sizes, notes)| Some((*sizes, notes.same_place(place).filter(|there| there.count == place.count)?)))
            .collect();
        // In a loop that runs more or less often: what it decides is seen in the graph.
        let Some(rows) = rows else { continue };
        for (index, ours) in place.first.iter().enumerate() {
            let is_as_ours = |one: &Comparison| {
                place.relation.holds(one.left, one.right) == place.relation.holds(ours.left, ours.right)
            };
            let mut points: Vec<(&Sizes, Comparison)> = vec![(domain.base_sizes(), *ours)];
            points.extend(rows.iter().filter_map(|(sizes, there)| Some((*sizes, *there.first.get(index)?))));
            // It came out otherwise where the graph is the same: it decides nothing.
            if !points.iter().all(|(_, one)| is_as_ours(one)) {
                continue;
            }
            points.extend(others.iter().filter_map(|other| {
                let there =
                    other.notes.same_place(place).filter(|there| other.is_seen || there.count == place.count)?;
                Some((other.sizes, *there.first.get(index).filter(|there| there.order <= other.until)?))
            }));
            guards.add(place, &points)?;
        }
    }
    for (which, other) in others.iter().enumerate() {
        let Some(rounds) = &other.rounds else { continue };
        let is_new = |earlier: &Other<'_>| earlier.rounds.is_none_or(|earlier| !earlier.is_same_run(rounds));
        if others[..which].iter().all(is_new) {
            guards.add_rounds(rounds, &same, &others)?;
        }
    }
    let Guards { guards, misses_bounds, .. } = guards;
    check_others(domain, &guards)?;
    Ok((guards, misses_bounds))
}

/// A capture in which the model decided otherwise.
struct Other<'d> {
    sizes: &'d Sizes,
    notes: &'d Notes,
    /// After how many comparisons.
    until: usize,
    /// Whether what decided is in a place that is not passed equally often.
    is_seen: bool,
    /// The loop, if that decided.
    rounds: Option<OtherRounds>,
}

impl<'d> Other<'d> {
    fn of(base: &Notes, sizes: &'d Sizes, notes: &'d Notes, by_causes: bool) -> Option<Self> {
        let order = |(place, index): (&Place, usize)| Some(notes.same_place(place)?.first.get(index)?.order);
        let ours = |(place, index): (&Place, usize)| place.first[index].order;
        let (found, causes) = (base.divergence(notes), base.causes(notes));
        // What came before in a place that is not passed equally often decides, if that counts.
        let first = causes.comparison.filter(|cause| found.is_none_or(|found| by_causes && ours(*cause) < ours(found)));
        match (first, found) {
            (Some(first), _) => Some(Self { sizes, notes, until: order(first)?, is_seen: true, rounds: None }),
            (None, Some(found)) => Some(Self { sizes, notes, until: order(found)?, is_seen: false, rounds: None }),
            (None, None) => {
                let rounds = causes.rounds;
                Some(Self { sizes, notes, until: rounds?.until, is_seen: true, rounds })
            }
        }
    }
}

struct Guards<'d> {
    domain: &'d Domain<'d>,
    /// What was found in the graph.
    known: &'d Fitter,
    guards: Vec<Guard>,
    /// Whether a bound of a float that is made whole is not among them.
    misses_bounds: bool,
    /// For the same sizes as the last comparison.
    fitter: Option<(Vec<Sizes>, Fitter)>,
}

impl Guards<'_> {
    fn add(&mut self, place: &Place, points: &[(&Sizes, Comparison)]) -> Result<(), Stop> {
        let left = self.side(place, points, |one| one.left);
        let (left, right) = match left.and_then(|left| Ok((left, self.side(place, points, |one| one.right)?))) {
            Ok(sides) => sides,
            // What a float follows is not known, only what it is when it is made whole.
            Err(Stop::Error(_)) if place.kind == Kind::Bound => {
                self.misses_bounds = true;
                return Ok(());
            }
            Err(stop) => return Err(stop),
        };
        if left.is_constant() && right.is_constant() {
            return Ok(());
        }
        let holds = place.relation.holds(left.hint(), right.hint());
        let relation = if holds { place.relation } else { place.relation.negated() };
        let guard = Guard { left, relation, right, source: Some(place.at.into()) };
        let is_same =
            |other: &Guard| (&other.left, other.relation, &other.right) == (&guard.left, guard.relation, &guard.right);
        if !is_trivial(&guard) && !self.guards.iter().any(is_same) && !self.holds_everywhere(&guard) {
            self.guards.push(guard);
        }
        Ok(())
    }

    /// A loop that has to go round as often as in the first capture.
    fn add_rounds(
        &mut self,
        rounds: &OtherRounds,
        same: &[(&Sizes, &Notes)],
        others: &[Other<'_>],
    ) -> Result<(), Stop> {
        let comparison = |count: usize| {
            let number = |count: usize| Number::Int(i64::try_from(count).unwrap_or(i64::MAX));
            Comparison { order: 0, left: number(count), right: number(rounds.ours) }
        };
        // It went round otherwise where the graph is the same: it decides nothing.
        if same.iter().any(|(_, notes)| notes.rounds_of(rounds) != rounds.ours) {
            return Ok(());
        }
        let mut points: Vec<(&Sizes, Comparison)> = vec![(self.domain.base_sizes(), comparison(rounds.ours))];
        points.extend(same.iter().map(|(sizes, notes)| (*sizes, comparison(notes.rounds_of(rounds)))));
        points.extend(others.iter().filter_map(|other| {
            let theirs = other.rounds.filter(|theirs| theirs.is_same_run(rounds))?.theirs;
            Some((other.sizes, comparison(theirs)))
        }));
        let (at, relation) = (rounds.at, Relation::Eq);
        self.add(&Place { at, relation, kind: Kind::Decision, count: 1, first: Vec::new() }, &points)
    }

    /// Whether a guard of floats that follow one size holds wherever the graph runs, as where a half is made whole, which is exact.
    fn holds_everywhere(&self, guard: &Guard) -> bool {
        let mut symbols = Vec::new();
        for side in [&guard.left, &guard.right] {
            side.for_each_int(&mut |int| int.for_each_symbol(&mut |symbol| symbols.push(symbol.clone())));
        }
        symbols.dedup();
        let (SymNumber::Float(left), SymNumber::Float(right), [symbol]) = (&guard.left, &guard.right, &symbols[..])
        else {
            return false;
        };
        let holds = |sizes: Sizes| match (left.evaluate(&sizes), right.evaluate(&sizes)) {
            (Ok(left), Ok(right)) => guard.relation.holds(left, right),
            _ => false,
        };
        self.domain.each(symbol).all(holds)
    }

    fn side(
        &mut self,
        place: &Place,
        points: &[(&Sizes, Comparison)],
        side: fn(&Comparison) -> Number,
    ) -> Result<SymNumber, Stop> {
        let sizes: Vec<Sizes> = points.iter().map(|(sizes, _)| (*sizes).clone()).collect();
        let fitter = match &mut self.fitter {
            Some((known, fitter)) if *known == sizes => fitter,
            fitter => {
                let mut new = Fitter::new(sizes.clone(), self.domain.classes().to_vec());
                new.exclude(self.domain.outside());
                self.known.found().filter(|found| found.as_symbol().is_none()).for_each(|found| new.expect(found));
                &mut fitter.insert((sizes, new)).1
            }
        };
        let error = |second: usize| {
            let written = |one: &Comparison| format!("{} {} {}", one.left, place.relation, one.right);
            DynamicError::Comparison {
                comparison: written(&points[0].1),
                base: points[0].0.to_string(),
                second: written(&points[second].1),
                other: points[second].0.to_string(),
                at: place.at.to_string(),
            }
        };
        let (mut ints, mut floats) = (Vec::new(), Vec::new());
        for (_, one) in points {
            match side(one) {
                Number::Int(int) => ints.push(int),
                Number::Float(float) => floats.push(float),
            }
        }
        // The sides of a place have one type.
        Ok(if floats.is_empty() {
            fitted(fitter, &ints, error)?.into()
        } else {
            fitted_float(fitter, &floats, error)?.into()
        })
    }
}

/// Whether a guard holds for all sizes, which are not negative.
fn is_trivial(guard: &Guard) -> bool {
    let is_size = |side: &SymNumber| side.as_symbol().is_some();
    match (guard.relation, guard.left.as_int(), guard.right.as_int()) {
        (Relation::Ge, None, Some(0)) => is_size(&guard.left),
        (Relation::Gt, None, Some(-1)) => is_size(&guard.left),
        (Relation::Le, Some(0), None) => is_size(&guard.right),
        _ => guard.left == guard.right,
    }
}

/// Where the graph is another, a guard says so.
fn check_others(domain: &Domain<'_>, guards: &[Guard]) -> Result<(), Stop> {
    let is_refused = |sizes: &Sizes| {
        let fails = |guard: &Guard| match (guard.left.evaluate(sizes), guard.right.evaluate(sizes)) {
            (Ok(left), Ok(right)) => !guard.relation.holds(left, right),
            _ => true,
        };
        guards.iter().any(fails)
    };
    match domain.others().find(|(sizes, _)| !is_refused(sizes)) {
        None => Ok(()),
        Some((sizes, recording)) => Err(super::agree::other_graph(domain, sizes, recording)),
    }
}
