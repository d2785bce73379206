//! The comparisons that a model made, as conditions on sizes.
//!
//! Invariant: a guard is false at every tried size at which the model decided otherwise, or the capture is refused.

use super::agree::{Stop, fitted};
use super::domain::Domain;
use super::error::DynamicError;
use crate::ir::Guard;
use crate::trace::probe::Comparison;
use crate::value::{Fitter, Relation, Sizes, SymInt};

/// The conditions under which the model decides as in the first capture.
pub(super) fn of(domain: &Domain<'_>, fitter: &mut Fitter) -> Result<Vec<Guard>, Stop> {
    let base = &domain.base().comparisons;
    let same: Vec<&[Comparison]> = domain.same().map(|(_, recording)| recording.comparisons.as_slice()).collect();
    let mut sides: Vec<(SymInt, SymInt)> = Vec::with_capacity(base.len());
    let mut guards: Vec<Guard> = Vec::new();
    for (i, comparison) in base.iter().enumerate() {
        let row = |side: fn(&Comparison) -> i64| -> Vec<i64> {
            std::iter::once(side(comparison)).chain(same.iter().map(|comparisons| side(&comparisons[i]))).collect()
        };
        let left = side(domain, fitter, i, &row(|comparison| comparison.left))?;
        let right = side(domain, fitter, i, &row(|comparison| comparison.right))?;
        let relation = if comparison.holds() { comparison.relation } else { comparison.relation.negated() };
        let guard = Guard { left: left.clone(), relation, right: right.clone(), source: Some(comparison.at.into()) };
        let is_known = |known: &Guard| (&known.left, known.relation, &known.right) == (&left, relation, &right);
        if (left.as_int().is_none() || right.as_int().is_none()) && !is_trivial(&guard) && !guards.iter().any(is_known)
        {
            guards.push(guard);
        }
        sides.push((left, right));
    }
    for (sizes, recording) in domain.others() {
        check_other(domain, &sides, sizes, &recording.comparisons)?;
    }
    Ok(guards)
}

/// Whether a guard holds for all sizes, which are not negative.
fn is_trivial(guard: &Guard) -> bool {
    let is_size = |side: &SymInt| side.as_symbol().is_some();
    match (guard.relation, guard.left.as_int(), guard.right.as_int()) {
        (Relation::Ge, None, Some(0)) => is_size(&guard.left),
        (Relation::Gt, None, Some(-1)) => is_size(&guard.left),
        (Relation::Le, Some(0), None) => is_size(&guard.right),
        _ => guard.left == guard.right,
    }
}

fn side(domain: &Domain<'_>, fitter: &mut Fitter, index: usize, row: &[i64]) -> Result<SymInt, Stop> {
    fitted(fitter, row, |second| {
        let comparison = &domain.base().comparisons[index];
        let others: Vec<_> = domain.same().collect();
        let Some((sizes, other)) = second.checked_sub(1).and_then(|at| others.get(at)) else {
            return DynamicError::Unclear { rounds: 0 };
        };
        let written = |one: &Comparison| format!("{} {} {}", one.left, one.relation, one.right);
        DynamicError::Comparison {
            comparison: written(comparison),
            base: domain.base_sizes().to_string(),
            second: written(&other.comparisons[index]),
            other: sizes.to_string(),
            at: comparison.at.to_string(),
        }
    })
}

/// Where a model decided otherwise, a guard has to be false.
fn check_other(
    domain: &Domain<'_>,
    sides: &[(SymInt, SymInt)],
    sizes: &Sizes,
    comparisons: &[Comparison],
) -> Result<(), Stop> {
    let base = &domain.base().comparisons;
    for ((ours, theirs), (left, right)) in base.iter().zip(comparisons).zip(sides) {
        if ours.at != theirs.at || ours.relation != theirs.relation {
            break;
        }
        if ours.holds() == theirs.holds() {
            continue;
        }
        let predicted = (left.evaluate(sizes), right.evaluate(sizes));
        if predicted == (Ok(theirs.left), Ok(theirs.right)) {
            return Ok(());
        }
        let written = |one: &Comparison| format!("{} {} {}", one.left, one.relation, one.right);
        return Err(Stop::error(DynamicError::Comparison {
            comparison: written(ours),
            base: domain.base_sizes().to_string(),
            second: written(theirs),
            other: sizes.to_string(),
            at: ours.at.to_string(),
        }));
    }
    let at = |comparisons: &[Comparison]| {
        comparisons.last().map_or_else(String::new, |last| format!(", last compared at {}", last.at))
    };
    Err(Stop::error(DynamicError::OtherGraph {
        base: domain.base_sizes().to_string(),
        other: sizes.to_string(),
        here: format!("{} comparisons of sizes", base.len()),
        here_at: at(base),
        there: format!("{} comparisons of sizes", comparisons.len()),
        there_at: at(comparisons),
    }))
}
