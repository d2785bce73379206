//! Functions of one number that are no line and no quotient by a number: `n.abs_diff(2)`, `60 / n`, `60 % n`.
//!
//! Invariant: what is found gives the number at every one of the sizes.

use super::{Fit, Fitter, SymInt, SymOp, index_of, line, scaled};

impl Fitter {
    /// The larger or smaller of two `a*x + b`, one at smaller `x`, the other at larger ones: `n.abs_diff(2)`.
    pub(super) fn bent(&self, x: &SymInt, xs: &[i64], row: &[i64]) -> Option<SymInt> {
        let mut points: Vec<(i64, i64)> = xs.iter().copied().zip(row.iter().copied()).collect();
        points.sort_unstable();
        points.dedup_by_key(|(x, _)| *x);
        // Each line has to be seen at more points than it takes to draw it.
        let [first, second, .., last_but_one, last] = points[..] else { return None };
        let through = |(x, t): (i64, i64), (other_x, other_t): (i64, i64)| line(&[x, other_x], &[t, other_t], |_| true);
        let ((a, b), (c, d)) = (through(first, second)?, through(last_but_one, last)?);
        let is_on = |(a, b): (i64, i64)| {
            let on = |(x, t): &&(i64, i64)| a.checked_mul(*x).and_then(|ax| ax.checked_add(b)) == Some(*t);
            points.iter().filter(on).count()
        };
        if a == c || is_on((a, b)) < 2 || is_on((c, d)) < 3 || points.len() < 6 {
            return None;
        }
        let (left, right) = (scaled(a, x).ok()?.plus(b).ok()?, scaled(c, x).ok()?.plus(d).ok()?);
        let op = if c > a { SymOp::Max } else { SymOp::Min };
        self.checked(SymInt::binary(op, &left, &right), row)
    }

    /// `m % x` and `m / x`.
    pub(super) fn divided(&self, x: &SymInt, xs: &[i64], row: &[i64]) -> Fit {
        let high = index_of(xs, |a, b| a > b);
        // What is left where a larger number divides is all of it.
        if (1..xs[high]).contains(&row[high])
            && let Some(found) = self.checked(SymInt::binary(SymOp::Rem, &row[high].into(), x), row)
        {
            return Fit::Is(found);
        }
        let bounds = xs.iter().zip(row).try_fold((1, i64::MAX), |(least, most), (x, t)| {
            let from = x.checked_mul(*t).filter(|_| *x > 0)?;
            let (least, most) = (i64::max(least, from), i64::min(most, from.checked_add(x - 1)?));
            (least <= most).then_some((least, most))
        });
        let Some((least, most)) = bounds else { return Fit::No };
        let with = |m: i64| SymInt::binary(SymOp::Div, &m.into(), x);
        let (Ok(one), Ok(other)) = (with(least), with(most)) else { return Fit::No };
        match self.difference(&one, &other) {
            Some((name, size)) if least < most => Fit::Unclear(name, size),
            _ => self.checked(Ok(one), row).map_or(Fit::No, Fit::Is),
        }
    }
}
