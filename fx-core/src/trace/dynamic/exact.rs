//! Sizes at which a quotient is exact. A float that a function without the attribute makes whole follows a quotient of integers
//! everywhere but there: `(100 as f64 * 0.29) as usize` is 28.
//!
//! Invariant: of divisors that are powers of two nothing is asked, because floats divide by them exactly.

use std::sync::Arc;

use super::domain::Domain;
use crate::value::{Fitter, Sizes, SymInt, SymOp, Term};

/// At how many multiples of a divisor a model is tried.
const MULTIPLES: usize = 16;
/// A quotient by more may be one of many that come to the same at few sizes,
const FEW: i64 = 16;
/// so all sizes up to this one are tried.
const ALL: i64 = 128;

/// The sizes at which quotients that were found are exact, and that were not tried.
pub(super) fn untried(domain: &Domain<'_>, fitter: &Fitter) -> Vec<Sizes> {
    let mut divisors = Vec::new();
    fitter.found().for_each(|found| collect(found, &mut divisors));
    divisors.sort();
    divisors.dedup();
    let mut untried = Vec::new();
    for (name, divisor) in &divisors {
        let mut multiples = 0;
        for sizes in domain.each(name) {
            let size = sizes.get(name).unwrap_or_default();
            let is_multiple = multiples < MULTIPLES && size > 0 && size % divisor == 0;
            multiples += usize::from(is_multiple);
            if (is_multiple || (*divisor > FEW && size <= ALL)) && !domain.is_tried(&sizes) {
                untried.push(sizes);
            }
        }
    }
    untried
}

/// Adds the divisors of quotients that follow one size.
fn collect(expression: &SymInt, divisors: &mut Vec<(Arc<str>, i64)>) {
    let mut pending = vec![expression.clone()];
    while let Some(expression) = pending.pop() {
        let Term::Binary(op, left, right) = expression.term() else { continue };
        if let (SymOp::Div, Some(divisor)) = (op, right.as_int())
            && divisor > 2
            && !divisor.unsigned_abs().is_power_of_two()
        {
            let mut names = Vec::new();
            left.for_each_symbol(&mut |name| names.push(name.clone()));
            names.dedup();
            if let [name] = &names[..] {
                divisors.push((name.clone(), divisor));
            }
        }
        pending.extend([left.clone(), right.clone()]);
    }
}
