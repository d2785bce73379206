//! Captures with several sizes changed: usual ones, the smallest, equal ones, and larger ones beside larger ones.
//!
//! Invariant: sizes are among those that were found to work along each one.

use std::sync::Arc;

use super::{Domain, LARGE, PERIODS, Record};
use crate::value::{SizeClass, Sizes};

/// How many captures with all sizes changed are tried.
const JOINT: usize = 6;
/// When the host computes so much in one capture, larger sizes are not tried beside others.
const WORK_BESIDE: usize = 1 << 14;

impl Domain<'_> {
    /// Tries sizes that differ from the first in all of them.
    pub(super) fn explore_jointly(&mut self, record: &mut Record<'_>) {
        if self.classes.len() < 2 {
            return;
        }
        let along: Vec<Vec<i64>> = self.classes.iter().map(|class| self.along(&class.name)).collect();
        let mut works = false;
        for i in 0..JOINT {
            let sizes: Sizes = self
                .classes
                .iter()
                .zip(&along)
                .enumerate()
                .map(|(which, (class, sizes))| {
                    // One after another, in an order of its own for each.
                    let size = sizes.get((i * (2 * which + 1) + which) % sizes.len().max(1));
                    (class.name.clone(), size.copied().unwrap_or_default())
                })
                .collect();
            works |= self.works_at(record, sizes);
        }
        if !works {
            self.explore_ties(record, &along);
        }
        self.explore_edges(record);
        self.explore_beside_larger(record);
    }

    /// Tries the two smallest sizes of all, where one is often nothing or all of another.
    fn explore_edges(&mut self, record: &mut Record<'_>) {
        let smallest = |class: &SizeClass| {
            let along = self.same().filter(|(sizes, _)| self.is_along(&class.name, sizes));
            let mut sizes: Vec<i64> = along.filter_map(|(sizes, _)| sizes.get(&class.name)).collect();
            sizes.push(self.hint(&class.name));
            sizes.sort_unstable();
            (class.name.clone(), sizes)
        };
        let smallest: Vec<(Arc<str>, Vec<i64>)> = self.classes.iter().map(smallest).collect();
        for larger in [[0, 0], [1, 0], [0, 1]] {
            let sizes = smallest.iter().zip(larger.iter().cycle());
            let sizes: Sizes =
                sizes.map(|((name, sizes), at)| (name.clone(), sizes[*at.min(&(sizes.len() - 1))])).collect();
            self.works_at(record, sizes);
        }
    }

    /// Where nothing works unless a size is as given, sizes may have to be equal, as those of two tensors that are added.
    fn explore_ties(&mut self, record: &mut Record<'_>, along: &[Vec<i64>]) {
        for one in 0..self.classes.len() {
            for other in one + 1..self.classes.len() {
                for &size in along[one].iter().filter(|size| along[other].contains(size)).take(3) {
                    let names = [&self.classes[one].name, &self.classes[other].name];
                    let tied = |(name, value): (&Arc<str>, i64)| {
                        (name.clone(), if names.contains(&name) { size } else { value })
                    };
                    let sizes: Sizes = self.base_sizes.iter().map(tied).collect();
                    self.works_at(record, sizes);
                }
            }
        }
    }

    /// A model that decides otherwise at larger sizes of one may decide as in the first capture if the others are larger, too.
    fn explore_beside_larger(&mut self, record: &mut Record<'_>) {
        for which in 0..self.classes.len() {
            let SizeClass { name, step, .. } = self.classes[which].clone();
            if !self.others_along(&name).any(|size| size > self.largest_same(&name)) {
                continue;
            }
            let largest: Sizes =
                self.classes.iter().map(|class| (class.name.clone(), self.largest_along(&class.name))).collect();
            for size in LARGE {
                let size = size - (size - self.hint(&name)).rem_euclid(PERIODS[0] * step);
                if size <= self.largest_same(&name) || size > self.limits[which].largest {
                    continue;
                }
                let sizes: Sizes = largest
                    .iter()
                    .map(|(known, value)| (known.clone(), if *known == name { size } else { value }))
                    .collect();
                self.works_at(record, sizes.clone());
                if self.work_at(&sizes) > WORK_BESIDE {
                    break;
                }
            }
        }
    }

    /// The largest size along one at which the graph is the same and the host computes little.
    fn largest_along(&self, name: &Arc<str>) -> i64 {
        let along = self.same().filter(|(sizes, _)| self.is_along(name, sizes) && self.work_at(sizes) <= WORK_BESIDE);
        along.filter_map(|(sizes, _)| sizes.get(name)).fold(self.hint(name), i64::max)
    }
}
