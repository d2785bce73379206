//! [`Domain`]: the sizes at which a model is tried, what came of it, and between which limits it works.
//!
//! Sizes are looked for along each one alone, others being as given, then some with all of them changed: by which step the
//! size can change (an image that has to be a multiple of patches), small ones from 0 on, and larger ones until the model
//! fails, some thousands are reached, or the host would fill with tensors.
//!
//! Invariant: every limit is between a size that works and one that does not, or the largest that was tried.

mod joint;

use std::sync::Arc;

use super::Record;
use super::error::DynamicError;
use crate::ir::Guard;
use crate::module::Attribute;
use crate::trace::error::TraceError;
use crate::trace::probe::{Declared, Probe};
use crate::trace::recording::Recording;
use crate::value::{Relation, SizeClass, Sizes, SymInt, SymOp};

/// What a capture at some sizes gave.
pub(super) enum Outcome {
    /// Every comparison came out as in the first capture.
    Same(Recording),
    /// The model decided otherwise somewhere.
    Other(Recording),
    /// The model failed, or fx refused it.
    Fails(Box<TraceError>),
}

/// Which sizes along one were found to work.
struct Limits {
    smallest: i64,
    largest: i64,
    /// Whether something larger fails, others being as given.
    fails_above: Option<i64>,
}

/// Everything that was tried.
pub(super) struct Domain<'d> {
    declared: &'d Declared,
    base: Recording,
    base_sizes: Sizes,
    classes: Vec<SizeClass>,
    limits: Vec<Limits>,
    tried: Vec<(Sizes, Outcome)>,
}

/// Steps from the smallest size, of those that are tried first.
const SMALL: [i64; 18] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 23, 32, 37, 64, 101];
/// Larger sizes.
const LARGE: [i64; 5] = [251, 523, 1021, 2039, 4099];
/// When the host computes so much in one capture, larger sizes are not tried.
const MOST_WORK: usize = 1 << 19;
/// What a model decides by remainders (`n % 16`, windows of 14) it decides as in the first capture at sizes that differ from
/// the first by one of these.
const PERIODS: [i64; 3] = [240, 420, 1680];
/// Multiples of the first size that are tried where the graph is the same at few sizes.
const MULTIPLES: [i64; 4] = [2, 3, 4, 5];
/// At how many sizes the graph has to be the same so that multiples need not be tried.
const PLENTY: usize = 8;
/// The largest divisor of the first size that is tried as a step.
const LARGEST_STEP: i64 = 1 << 16;
/// What is larger is no size.
const LARGEST_SIZE: i64 = 1 << 48;
/// At how many sizes a graph has to be the same, so that an expression is no accident.
const LEAST: usize = 4;

impl<'d> Domain<'d> {
    pub(super) fn explore(
        declared: &'d Declared,
        record: &mut Record<'_>,
        base: Recording,
        base_sizes: Sizes,
    ) -> Result<Self, TraceError> {
        let (classes, limits, tried) = Default::default();
        let mut domain = Self { declared, base, base_sizes, classes, limits, tried };
        for name in declared.names() {
            domain.explore_one(record, &name)?;
        }
        domain.widen(record);
        domain.explore_jointly(record);
        if domain.check_counts().is_err() {
            // Comparisons that come out otherwise decide nothing if the graph is the same: they fill tensors, say.
            domain.go_by_graphs();
            domain.check_counts()?;
        }
        Ok(domain)
    }

    /// The sizes at which the graph is the same, the first first.
    pub(super) fn points(&self) -> Vec<Sizes> {
        std::iter::once(&self.base_sizes).chain(self.same().map(|(sizes, _)| sizes)).cloned().collect()
    }

    /// The sizes that are nearest to the first, of those at which the graph is the same.
    pub(super) fn nearest(&self, count: usize) -> Vec<Sizes> {
        let away = |sizes: &Sizes| {
            let each = self.base_sizes.iter().map(|(name, first)| first.abs_diff(sizes.get(name).unwrap_or(first)));
            each.fold(0, u64::saturating_add)
        };
        let mut sizes: Vec<Sizes> = self.same().map(|(sizes, _)| sizes.clone()).collect();
        sizes.sort_by_key(away);
        sizes.truncate(count);
        sizes
    }

    /// What was recorded where the graph is the same, but for the first.
    pub(super) fn same(&self) -> impl Iterator<Item = (&Sizes, &Recording)> {
        self.tried.iter().filter_map(|(sizes, outcome)| match outcome {
            Outcome::Same(recording) => Some((sizes, recording)),
            _ => None,
        })
    }

    /// What was recorded where the model decided otherwise.
    pub(super) fn others(&self) -> impl Iterator<Item = (&Sizes, &Recording)> {
        self.tried.iter().filter_map(|(sizes, outcome)| match outcome {
            Outcome::Other(recording) => Some((sizes, recording)),
            _ => None,
        })
    }

    /// The sizes that tell nothing about the graph.
    pub(super) fn outside(&self) -> Vec<Sizes> {
        let is_outside = |outcome: &Outcome| !matches!(outcome, Outcome::Same(_));
        self.tried.iter().filter(|(_, outcome)| is_outside(outcome)).map(|(sizes, _)| sizes.clone()).collect()
    }

    pub(super) fn classes(&self) -> &[SizeClass] {
        &self.classes
    }

    pub(super) fn base(&self) -> &Recording {
        &self.base
    }

    pub(super) fn base_sizes(&self) -> &Sizes {
        &self.base_sizes
    }

    pub(super) fn into_base(self) -> Recording {
        self.base
    }

    /// Each size that one can be, others being as given.
    pub(super) fn each(&self, name: &Arc<str>) -> impl Iterator<Item = Sizes> {
        let of = self.classes.iter().zip(&self.limits).find(|(class, _)| class.name == *name);
        let found = of.map(|(class, limits)| (limits.smallest, limits.largest, class.step));
        let (smallest, largest, step) = found.unwrap_or((0, -1, 1));
        let count = (largest - smallest) / step.max(1) + 1;
        (0..count).map(move |i| self.with(name, smallest + i * step))
    }

    /// The limits of sizes, as guards.
    pub(super) fn limits(&self, guards: &mut Vec<Guard>) {
        for (class, limits) in self.classes.iter().zip(&self.limits) {
            let hint = self.hint(&class.name);
            let symbol = SymInt::symbol(class.name.clone(), hint);
            let mut add = |left: SymInt, relation, right: i64| {
                // `n > 1` says more than `n >= 1`.
                let is_implied = guards.iter().any(|guard| {
                    guard.left == left.clone().into()
                        && guard.right.as_int().is_some_and(|other| match (guard.relation, relation) {
                            (Relation::Gt, Relation::Ge) => other >= right - 1,
                            (Relation::Ge, Relation::Ge) => other >= right,
                            (Relation::Lt, Relation::Le) => other <= right + 1,
                            (Relation::Le, Relation::Le) => other <= right,
                            _ => false,
                        })
                });
                if !is_implied {
                    guards.push(Guard { left: left.into(), relation, right: right.into(), source: None });
                }
            };
            if limits.smallest > 0 {
                add(symbol.clone(), Relation::Ge, limits.smallest);
            }
            add(symbol.clone(), Relation::Le, self.largest(&class.name, limits));
            if class.step > 1
                && let Ok(rest) = SymInt::binary(SymOp::Rem, &symbol, &class.step.into())
            {
                add(rest, Relation::Eq, hint.rem_euclid(class.step));
            }
        }
    }

    /// The largest size at which the graph is known to be as in the first capture: where the model decides otherwise at a
    /// size that was tried, and at all larger ones, nothing is known of what follows.
    fn largest(&self, name: &Arc<str>, limits: &Limits) -> i64 {
        let same = self.largest_same(name);
        self.others_along(name).filter(|&size| size > same).fold(limits.largest, i64::min)
    }

    /// The largest size at which the graph is the same, whatever the others are.
    fn largest_same(&self, name: &Arc<str>) -> i64 {
        self.same().filter_map(|(sizes, _)| sizes.get(name)).fold(self.hint(name), i64::max)
    }

    /// The sizes along one at which the model decides otherwise.
    fn others_along(&self, name: &Arc<str>) -> impl Iterator<Item = i64> {
        let others = self.others().filter(|(sizes, _)| self.is_along(name, sizes));
        others.filter_map(|(sizes, _)| sizes.get(name))
    }

    /// Whether sizes are as given, but for one.
    fn is_along(&self, name: &Arc<str>, sizes: &Sizes) -> bool {
        self.base_sizes.iter().all(|(known, value)| *known == *name || sizes.get(known) == Some(value))
    }

    /// Tries one size, others being as given.
    pub(super) fn try_one(&mut self, record: &mut Record<'_>, name: &Arc<str>, size: i64) {
        self.works(record, name, size);
    }

    /// Tries these sizes.
    pub(super) fn try_sizes(&mut self, record: &mut Record<'_>, sizes: Sizes) {
        self.works_at(record, sizes);
    }

    /// Whether these sizes were tried.
    pub(super) fn is_tried(&self, sizes: &Sizes) -> bool {
        *sizes == self.base_sizes || self.tried.iter().any(|(tried, _)| tried == sizes)
    }

    fn hint(&self, name: &str) -> i64 {
        self.base_sizes.get(name).unwrap_or_default()
    }

    /// The sizes of the first capture, but one.
    fn with(&self, name: &str, size: i64) -> Sizes {
        self.base_sizes
            .iter()
            .map(|(known, value)| (known.clone(), if **known == *name { size } else { value }))
            .collect()
    }

    /// Whether the model works at one size, others being as given.
    fn works(&mut self, record: &mut Record<'_>, name: &Arc<str>, size: i64) -> bool {
        self.works_at(record, self.with(name, size))
    }

    fn works_at(&mut self, record: &mut Record<'_>, sizes: Sizes) -> bool {
        if sizes == self.base_sizes {
            return true;
        }
        if !self.tried.iter().any(|(tried, _)| *tried == sizes) {
            self.try_at(record, sizes.clone());
        }
        let found = self.tried.iter().find(|(tried, _)| *tried == sizes);
        found.is_some_and(|(_, outcome)| !matches!(outcome, Outcome::Fails(_)))
    }

    fn try_at(&mut self, record: &mut Record<'_>, sizes: Sizes) {
        let outcome = match record(&Probe { declared: self.declared, sizes: Some(sizes.clone()) }) {
            Err(error) => Outcome::Fails(Box::new(error)),
            Ok(recording) => {
                let decides_otherwise = self.base.notes.divergence(&recording.notes).is_some();
                if decides_otherwise { Outcome::Other(recording) } else { Outcome::Same(recording) }
            }
        };
        self.tried.push((sizes, outcome));
    }

    /// How much the host computes at some sizes: comparisons, and elements of tensors.
    fn work_at(&self, sizes: &Sizes) -> usize {
        let found = self.tried.iter().find(|(tried, _)| tried == sizes);
        let Some((_, Outcome::Same(recording) | Outcome::Other(recording))) = found else { return 0 };
        let built = recording.attributes.iter().filter(|(path, _)| path.as_str().starts_with("_tensor_constant"));
        let counts = built.map(|(_, attribute)| match attribute {
            Attribute::Tensor(tensor) => tensor.elem_count(),
            _ => 0,
        });
        counts.sum::<usize>().max(recording.notes.count())
    }

    /// Whether the model decides otherwise at one size, others being as given.
    fn is_other(&self, name: &Arc<str>, size: i64) -> bool {
        self.others_along(name).any(|other| other == size)
    }

    /// Whether the graph at some sizes has other nodes though the model decided the same: then it is not for all sizes.
    fn is_another_graph(&self, sizes: &Sizes) -> bool {
        let found = self.tried.iter().find(|(tried, _)| tried == sizes);
        matches!(found, Some((_, Outcome::Same(recording)))
            if super::agree::first_difference(&self.base.graph, &recording.graph).is_some())
    }

    fn explore_one(&mut self, record: &mut Record<'_>, name: &Arc<str>) -> Result<(), TraceError> {
        let hint = self.hint(name);
        let range = self.declared.ranges.iter().find(|(known, _)| **known == **name).map(|(_, range)| *range);
        let (least, most) = range.unwrap_or((0, i64::MAX));
        if !(least..=most).contains(&hint) {
            let reason = format!("it is {hint} in what was given, which is not between {least} and {most}");
            return Err(DynamicError::BadSize { size: name.to_string(), reason }.into());
        }
        if hint > LARGEST_SIZE {
            let reason = format!("it is {hint} in what was given, which is too large for a size");
            return Err(DynamicError::BadSize { size: name.to_string(), reason }.into());
        }
        let step = self.step(record, name, (least, most))?;
        let first = hint.rem_euclid(step);
        let member = |k: i64| first + k * step;
        let mut sizes: Vec<i64> = SMALL.iter().map(|&k| member(k)).collect();
        let largest_small = sizes.last().copied().unwrap_or(hint);
        let round = |size: i64| member((size - first) / step);
        sizes.extend(LARGE.iter().map(|&size| round(size)).filter(|&size| size > largest_small));
        if range.is_some() {
            sizes.extend([round(least + step - 1), round(most)]);
        }
        sizes.retain(|size| (least..=most).contains(size) && *size >= 0);
        sizes.sort_unstable();
        sizes.dedup();

        let mut limits = Limits { smallest: hint, largest: hint, fails_above: None };
        for &size in sizes.iter().rev().filter(|&&size| size < hint) {
            if self.works(record, name, size) {
                limits.smallest = size;
            } else {
                limits.smallest = self.boundary(record, name, (limits.smallest, size), step);
                break;
            }
        }
        for &size in sizes.iter().filter(|&&size| size > hint) {
            let is_asked_for = range.is_some() && size <= most;
            if !is_asked_for && self.work_at(&self.with(name, limits.largest)) > MOST_WORK {
                break;
            }
            let before = limits.largest;
            if self.works(record, name, size) {
                limits.largest = size;
                if self.is_another_graph(&self.with(name, size)) {
                    break;
                }
                let alike = PERIODS.map(|period| size - (size - hint).rem_euclid(period * step));
                let mut is_other = self.is_other(name, size);
                for alike in alike.into_iter().filter(|alike| *alike > before) {
                    is_other = is_other && (!self.works(record, name, alike) || self.is_other(name, alike));
                }
            } else {
                limits.largest = self.boundary(record, name, (limits.largest, size), step);
                limits.fails_above = Some(size);
                break;
            }
        }
        if self.along(name).len() < PLENTY && !self.is_another_graph(&self.with(name, limits.largest)) {
            for multiple in MULTIPLES.map(|by| hint * by).into_iter().filter(|size| *size < limits.largest) {
                self.works(record, name, multiple);
            }
        }
        self.classes.push(SizeClass { name: name.clone(), smallest: limits.smallest, step });
        self.limits.push(limits);
        Ok(())
    }

    /// By what the size can change: 1, or what the given size is a multiple of.
    fn step(&mut self, record: &mut Record<'_>, name: &Arc<str>, (least, most): (i64, i64)) -> Result<i64, TraceError> {
        let hint = self.hint(name);
        let divisors = (2..=hint.min(LARGEST_STEP)).filter(|step| hint % step == 0);
        for step in std::iter::once(1).chain(divisors) {
            let mut works = |size: i64| (least.max(0)..=most).contains(&size) && self.works(record, name, size);
            let (up, down) = (works(hint + step), works(hint - step));
            if (up && (down || works(hint + 2 * step))) || (down && works(hint - 2 * step)) {
                return Ok(step);
            }
        }
        let failed = |wanted: i64| {
            let sizes = self.with(name, wanted);
            self.tried.iter().find_map(|(tried, outcome)| match outcome {
                Outcome::Fails(error) if *tried == sizes => Some((wanted, error.clone())),
                _ => None,
            })
        };
        let size = name.to_string();
        Err(match failed(hint + 1).or_else(|| failed(hint - 1)) {
            Some((tried, reason)) => DynamicError::CannotVary { size, hint, tried, reason }.into(),
            None => {
                let reason = format!("between {least} and {most} there are too few sizes");
                DynamicError::BadSize { size, reason }.into()
            }
        })
    }

    /// Where a size is limited by others (all of a sequence and what was before it fit into a table), it is limited
    /// by the smallest that these can be.
    fn widen(&mut self, record: &mut Record<'_>) {
        for (which, class) in self.classes.clone().into_iter().enumerate() {
            let Some(mut fails) = self.limits[which].fails_above else { continue };
            // Where there is nothing, everything fits.
            let smallest = |at: usize, class: &SizeClass| {
                self.limits[at].smallest + i64::from(self.limits[at].smallest == 0) * class.step
            };
            let others: Sizes = self
                .classes
                .iter()
                .enumerate()
                .map(|(at, class)| (class.name.clone(), smallest(at, class).min(self.hint(&class.name))))
                .collect();
            let with = |size: i64| -> Sizes {
                others
                    .iter()
                    .map(|(name, value)| (name.clone(), if *name == class.name { size } else { value }))
                    .collect()
            };
            let mut works = self.limits[which].largest;
            if !self.works_at(record, with(works)) {
                continue;
            }
            while fails < LARGE[LARGE.len() - 1] && self.works_at(record, with(fails)) {
                (works, fails) = (fails, fails + (fails - works).max(class.step));
            }
            while fails - works > class.step {
                let middle = works + (fails - works) / class.step / 2 * class.step;
                if self.works_at(record, with(middle)) { works = middle } else { fails = middle }
            }
            self.limits[which].largest = works;
        }
    }

    /// The last size that works between one that does and one that does not.
    fn boundary(&mut self, record: &mut Record<'_>, name: &Arc<str>, (works, fails): (i64, i64), step: i64) -> i64 {
        let (mut works, mut fails) = (works, fails);
        while (fails - works).abs() > step {
            let middle = works + (fails - works) / step / 2 * step;
            if self.works(record, name, middle) {
                works = middle;
            } else {
                fails = middle;
            }
        }
        works
    }

    /// The sizes along one at which the graph is the same, those that are not too large.
    fn along(&self, name: &Arc<str>) -> Vec<i64> {
        let hint = self.hint(name);
        let mut sizes: Vec<i64> = self
            .same()
            .filter_map(|(sizes, _)| sizes.get(name))
            .filter(|&size| size != hint && (1..=128.max(2 * hint)).contains(&size))
            .collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// From here on the model is said to decide the same wherever its graph has the same nodes.
    fn go_by_graphs(&mut self) {
        let base = &self.base.graph;
        let reclassified = std::mem::take(&mut self.tried).into_iter().map(|(sizes, outcome)| match outcome {
            Outcome::Other(recording) if super::agree::is_alike(base, &recording.graph) => {
                (sizes, Outcome::Same(recording))
            }
            outcome => (sizes, outcome),
        });
        self.tried = reclassified.collect();
    }

    /// Where, along a size, the graph has other nodes though the model decided the same.
    fn other_nodes(&self, name: &Arc<str>) -> Option<(&Sizes, &Recording)> {
        self.same().find(|(sizes, recording)| {
            sizes.get(name) != Some(self.hint(name))
                && super::agree::first_difference(&self.base.graph, &recording.graph).is_some()
        })
    }

    fn check_counts(&self) -> Result<(), TraceError> {
        self.classes.iter().try_for_each(|class| self.check_count(&class.name))
    }

    /// Refuses a size at which the graph is the same at hardly any other.
    fn check_count(&self, name: &Arc<str>) -> Result<(), TraceError> {
        let hint = self.hint(name);
        let mut sizes: Vec<i64> = self.same().filter_map(|(sizes, _)| sizes.get(name)).chain([hint]).collect();
        sizes.sort_unstable();
        sizes.dedup();
        if sizes.len() >= LEAST {
            return Ok(());
        }
        let decides = self.others().find_map(|(sizes, other)| {
            let (place, index) = self.base.notes.divergence(&other.notes)?;
            (sizes.get(name) != Some(hint)).then_some((place, place.first[index]))
        });
        match decides {
            Some((place, ours)) => {
                let (size, count, at) = (name.to_string(), sizes.len(), place.at.to_string());
                let comparison = format!("{} {} {}", ours.left, place.relation, ours.right);
                Err(DynamicError::OneWay { size, hint, count, comparison, at }.into())
            }
            None if let Some((sizes, other)) = self.other_nodes(name) => {
                Err(super::agree::other_nodes(self, sizes, &other.graph).into())
            }
            None => {
                let reason =
                    format!("the model works at {} sizes only, which are too few to tell what follows", sizes.len());
                Err(DynamicError::BadSize { size: name.to_string(), reason }.into())
            }
        }
    }
}
