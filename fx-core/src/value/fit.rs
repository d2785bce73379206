//! [`Fitter`]: finds the expression that a number follows, from what it was at several sizes.
//!
//! The families that are tried, in this order: numbers, sizes, what was found before; `a*x + b` and `a*((p*x + q)/d) + b`;
//! `x % m + b`; the larger or smaller of `a*x + b` and a number; products of two; sums of two; the larger or smaller of two,
//! what one is more than the other, quotients and remainders of two; polynomials of all sizes.
//! `x` is a size or something found before, so that what follows from a number is found from it.
//!
//! Invariant: what is found gives the number at every one of the sizes. Where several divisions would, one more size tells
//! them apart ([`Fit::Unclear`]).

mod float;

use std::collections::HashMap;
use std::sync::Arc;

use super::polynomial;
use super::sym_int::{Sizes, SymError, SymInt, SymOp};

pub use float::FloatFit;
use float::FloatRow;

/// The sizes that one symbol can have.
///
/// `smallest`, `smallest + step`, …: some models take only sizes that are multiples.
#[derive(Debug, Clone)]
pub struct SizeClass {
    /// Its name.
    pub name: Arc<str>,
    /// The smallest.
    pub smallest: i64,
    /// The difference between one and the next.
    pub step: i64,
}

/// What was found.
///
/// [`Fitter::fit`] gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fit {
    /// This expression.
    Is(SymInt),
    /// Several expressions; at this size of a symbol, others being as at the first sizes, they differ.
    Unclear(Arc<str>, i64),
    /// None of those that are tried.
    No,
}

/// Finds expressions for numbers at the same list of sizes.
///
/// Captures for all sizes use one: the model is recorded at several sizes, and each number that differs is asked about.
///
/// ```
/// use fx_core::value::{Fit, Fitter, SizeClass, Sizes};
///
/// let points = [2, 3, 5, 8].map(|n| Sizes::from_iter([("n", n)]));
/// let class = SizeClass { name: "n".into(), smallest: 0, step: 1 };
/// let mut fitter = Fitter::new(points.into(), vec![class]);
/// let Fit::Is(found) = fitter.fit(&[7, 10, 16, 25]) else { panic!("it is affine") };
/// assert_eq!(found.to_string(), "3 * n + 1");
/// assert_eq!(fitter.fit(&[1, 1, 2, 9000]), Fit::No);
/// ```
pub struct Fitter {
    points: Vec<Sizes>,
    classes: Vec<SizeClass>,
    known: HashMap<Vec<i64>, Fit>,
    /// What expressions can be made of: sizes, and what was found.
    atoms: Vec<(SymInt, Vec<i64>)>,
    /// Floats that were found.
    floats: Vec<FloatRow>,
    /// Sizes that cannot be asked for.
    excluded: Vec<Sizes>,
}

/// How many of what was found before are tried in pairs.
const PAIRED: usize = 12;
/// How many of what was found before are tried alone.
const TRIED: usize = 48;
/// The largest divisor that is tried.
const DIVISOR: i64 = 128;
/// What casts to shorter integers divide by.
const CASTS: [i64; 3] = [1 << 8, 1 << 16, 1 << 32];
/// Larger numbers follow no size.
const LARGEST: i64 = 1 << 60;
/// How many sizes are looked through for one that tells two expressions apart.
const LOOKED_AT: i64 = 512;

impl Fitter {
    /// For numbers at these sizes, those of the capture first.
    #[must_use]
    pub fn new(points: Vec<Sizes>, classes: Vec<SizeClass>) -> Self {
        let atoms = classes.iter().filter_map(|class| {
            let row: Option<Vec<i64>> = points.iter().map(|point| point.get(&class.name)).collect();
            let row = row?;
            Some((SymInt::symbol(class.name.clone(), *row.first()?), row))
        });
        let atoms: Vec<_> = atoms.collect();
        Self { points, classes, known: HashMap::new(), atoms, floats: Vec::new(), excluded: Vec::new() }
    }

    /// An expression that numbers are likely to follow: it is found before others.
    pub fn expect(&mut self, expression: &SymInt) {
        let row: Result<Vec<i64>, SymError> = self.points.iter().map(|point| expression.evaluate(point)).collect();
        if let (Ok(row), Some(expression)) = (row, self.at_first(expression)) {
            self.atoms.push((expression, row));
        }
    }

    /// The same expression with the hints of the first sizes.
    fn at_first(&self, expression: &SymInt) -> Option<SymInt> {
        let base = self.points.first()?;
        expression.substitute(&mut |name| Some(SymInt::symbol(name.clone(), base.get(name)?))).ok().flatten()
    }

    /// What was found so far, sizes included.
    pub fn found(&self) -> impl Iterator<Item = &SymInt> {
        self.atoms.iter().map(|(expression, _)| expression)
    }

    /// Sizes that need not be told apart at: there is nothing to be fitted.
    pub fn exclude(&mut self, sizes: Vec<Sizes>) {
        self.excluded = sizes;
    }

    /// The expression that is `row[i]` at the sizes number `i`.
    ///
    /// A number that is the same everywhere is that number. What is found is remembered, so that later numbers are
    /// found from it.
    pub fn fit(&mut self, row: &[i64]) -> Fit {
        let Some(&first) = row.first() else { return Fit::No };
        if row.iter().all(|value| *value == first) {
            return Fit::Is(first.into());
        }
        if row.iter().any(|value| value.unsigned_abs() > LARGEST.unsigned_abs()) {
            return Fit::No;
        }
        if let Some((atom, _)) = self.atoms.iter().find(|(_, known)| known == row) {
            return Fit::Is(atom.clone());
        }
        if let Some(known) = self.known.get(row) {
            return known.clone();
        }
        let found = self.search(row);
        if let Fit::Is(expression) = &found {
            self.atoms.push((expression.clone(), row.to_vec()));
        }
        self.known.insert(row.to_vec(), found.clone());
        found
    }

    fn search(&self, row: &[i64]) -> Fit {
        let symbols = self.classes.len();
        // What was found last is the likeliest to be what comes next is made of.
        let tried = || self.atoms.iter().take(symbols).chain(self.atoms.iter().skip(symbols).rev().take(TRIED));
        for (x, xs) in tried() {
            let found = self.of_one(x, xs, row);
            if found != Fit::No {
                return found;
            }
        }
        let paired: Vec<_> = tried().take(symbols + PAIRED).collect();
        for (i, (x, xs)) in paired.iter().enumerate() {
            for (y, ys) in &paired[i..] {
                let product: Option<Vec<i64>> = xs.iter().zip(ys).map(|(x, y)| x.checked_mul(*y)).collect();
                if let (Ok(both), Some(products)) = (x.times(y), product)
                    && let Some(found) = self.affine(&both, &products, row)
                {
                    return Fit::Is(found);
                }
            }
        }
        for (i, (x, xs)) in paired.iter().enumerate() {
            for (y, ys) in &paired[i + 1..] {
                if let Some(found) = self.sum(&[(x.clone(), xs), (y.clone(), ys)], row) {
                    return Fit::Is(found);
                }
            }
        }
        for (i, (x, xs)) in paired.iter().enumerate() {
            for (j, (y, ys)) in paired.iter().enumerate() {
                if i != j
                    && let Some(found) = self.of_two_numbers((x, xs), (y, ys), row)
                {
                    return Fit::Is(found);
                }
            }
        }
        let sizes = &self.atoms[..symbols.min(self.atoms.len())];
        for terms in polynomial::terms(sizes) {
            let terms: Vec<(SymInt, &Vec<i64>)> = terms.iter().map(|(term, row)| (term.clone(), row)).collect();
            if let Some(found) = self.sum(&terms, row) {
                return Fit::Is(found);
            }
            // `n * (n - 1) / 2` is whole, its terms are not.
            let doubled: Option<Vec<i64>> = row.iter().map(|value| value.checked_mul(2)).collect();
            let half = doubled.and_then(|doubled| self.sum(&terms, &doubled));
            if let Some(found) = half.and_then(|sum| self.checked(binary(SymOp::Div, &sum, 2), row)) {
                return Fit::Is(found);
            }
        }
        Fit::No
    }

    /// A function of one number.
    fn of_one(&self, x: &SymInt, xs: &[i64], row: &[i64]) -> Fit {
        if let Some(found) = self.affine(x, xs, row) {
            return Fit::Is(found);
        }
        // `a * f(x) + b`: all differences are multiples of `a`.
        let first = row[0];
        let Some(a) = row.iter().try_fold(0, |a, value| Some(gcd(a, value.checked_sub(first)?))) else {
            return Fit::No;
        };
        let rest = first.rem_euclid(a);
        let inner: Vec<i64> = row.iter().map(|value| (value - rest) / a).collect();
        match self.quotient(x, xs, &inner) {
            Fit::No => {}
            Fit::Unclear(name, size) => return Fit::Unclear(name, size),
            Fit::Is(quotient) => {
                let found = SymInt::from(a).times(&quotient).and_then(|scaled| scaled.plus(rest));
                if let Some(found) = self.checked(found, row) {
                    return Fit::Is(found);
                }
            }
        }
        match self.remainder(x, xs, row) {
            Fit::No => self.clamped(x, xs, row).map_or(Fit::No, Fit::Is),
            found => found,
        }
    }

    /// What two numbers give that is no sum and no product: `min(x + a, y + b)`, `max(x - y + a, b)`, `x / y`, `x % y`.
    fn of_two_numbers(&self, (x, xs): (&SymInt, &[i64]), (y, ys): (&SymInt, &[i64]), row: &[i64]) -> Option<SymInt> {
        for (op, limit) in [(SymOp::Min, i64::max as fn(i64, i64) -> i64), (SymOp::Max, i64::min)] {
            // Each is so much more than what is wanted that it comes up to it somewhere.
            let shift = |xs: &[i64]| {
                let shifts: Option<Vec<i64>> = row.iter().zip(xs).map(|(t, x)| t.checked_sub(*x)).collect();
                shifts?.into_iter().reduce(limit)
            };
            if let (Some(a), Some(b)) = (shift(xs), shift(ys))
                && is_varied(xs, a, row)
                && is_varied(ys, b, row)
                && let (Ok(left), Ok(right)) = (x.plus(a), y.plus(b))
                && let Some(found) = self.checked(SymInt::binary(op, &left, &right), row)
            {
                return Some(found);
            }
        }
        let differences: Option<Vec<i64>> = xs.iter().zip(ys).map(|(x, y)| x.checked_sub(*y)).collect();
        if let (Ok(difference), Some(differences)) = (SymInt::binary(SymOp::Sub, x, y), differences)
            && distinct(row.iter().copied()) > 3
            && let Some(found) = self.clamped(&difference, &differences, row)
        {
            return Some(found);
        }
        [SymOp::Div, SymOp::Rem].into_iter().find_map(|op| self.checked(SymInt::binary(op, x, y), row))
    }

    /// `a*x + b`.
    fn affine(&self, x: &SymInt, xs: &[i64], row: &[i64]) -> Option<SymInt> {
        let (a, b) = line(xs, row, |_| true)?;
        self.checked(scaled(a, x).and_then(|scaled| scaled.plus(b)), row)
    }

    /// `(p*x + q) / d`, rounded down.
    fn quotient(&self, x: &SymInt, xs: &[i64], row: &[i64]) -> Fit {
        let (low, high) = (index_of(xs, |a, b| a < b), index_of(xs, |a, b| a > b));
        let (run, rise) = (i128::from(xs[high]) - i128::from(xs[low]), i128::from(row[high]) - i128::from(row[low]));
        if run < 8 || rise == 0 {
            return Fit::No;
        }
        for d in 2..=DIVISOR {
            // The nearest to `rise / run * d`.
            let p = (2 * rise * i128::from(d) + run).div_euclid(2 * run);
            let Ok(p) = i64::try_from(p) else { continue };
            if p == 0 || gcd(p, d) != 1 {
                continue;
            }
            // d*t <= p*x + q < d*t + d at every point.
            let bounds = xs.iter().zip(row).try_fold((i64::MIN, i64::MAX), |(least, most), (x, t)| {
                let q = d.checked_mul(*t)?.checked_sub(p.checked_mul(*x)?)?;
                let (least, most) = (least.max(q), most.min(q.checked_add(d - 1)?));
                (least <= most).then_some((least, most))
            });
            let Some((least, most)) = bounds else { continue };
            let with =
                |q: i64| scaled(p, x).and_then(|scaled| scaled.plus(q)).and_then(|sum| binary(SymOp::Div, &sum, d));
            // Half of what is possible differs from the other half somewhere, or all of it is the same.
            let middle = least + (most - least) / 2;
            for (one, other) in [(middle, middle + 1), (least, most)] {
                if least < most
                    && let (Ok(one), Ok(other)) = (with(one), with(other))
                    && let Some((name, size)) = self.difference(&one, &other)
                {
                    return Fit::Unclear(name, size);
                }
            }
            // Of what is the same everywhere, the simplest.
            let q = if (least..=most).contains(&0) {
                0
            } else if least > 0 {
                least
            } else {
                most
            };
            if let Some(found) = self.checked(with(q), row) {
                return Fit::Is(found);
            }
        }
        Fit::No
    }

    /// A size at which two expressions differ, that was not tried.
    fn difference(&self, one: &SymInt, other: &SymInt) -> Option<(Arc<str>, i64)> {
        self.where_differ(|sizes| one.evaluate(sizes) != other.evaluate(sizes))
    }

    /// A size at which `differ` says so, that was not tried.
    fn where_differ(&self, differ: impl Fn(&Sizes) -> bool) -> Option<(Arc<str>, i64)> {
        let base = self.points.first()?;
        for class in &self.classes {
            for i in 0..LOOKED_AT {
                let size = class.smallest + i * class.step;
                let sizes: Sizes = base
                    .iter()
                    .map(|(name, value)| (name.clone(), if *name == class.name { size } else { value }))
                    .collect();
                let is_known = || self.points.contains(&sizes) || self.excluded.contains(&sizes);
                if differ(&sizes) && !is_known() {
                    return Some((class.name.clone(), size));
                }
            }
        }
        None
    }

    /// `x % m + b` and `-x % m + b`.
    fn remainder(&self, x: &SymInt, xs: &[i64], row: &[i64]) -> Fit {
        let (Some(most), Some(least)) = (row.iter().max(), row.iter().min()) else { return Fit::No };
        let Some(spread) = most.checked_sub(*least) else { return Fit::No };
        let moduli = (2..=DIVISOR).chain(CASTS).filter(|m| *m > spread);
        let mut found = None;
        for m in moduli {
            for sign in [1, -1] {
                let rest = |x: i64| sign * x % m + if sign * x % m < 0 { m } else { 0 };
                let b = row[0] - rest(xs[0]);
                if !xs.iter().zip(row).all(|(x, t)| rest(*x) + b == *t) {
                    continue;
                }
                let base = if sign > 0 { Ok(x.clone()) } else { binary(SymOp::Sub, &0.into(), x) };
                let other = base.and_then(|base| binary(SymOp::Rem, &base, m)).and_then(|rest| rest.plus(b));
                let Some(other) = self.checked(other, row) else { continue };
                match &found {
                    None => found = Some(other),
                    // Of two that have the same rests so far, one more size tells which it is.
                    Some(found) => {
                        if let Some((name, size)) = self.difference(found, &other) {
                            return Fit::Unclear(name, size);
                        }
                    }
                }
            }
        }
        found.map_or(Fit::No, Fit::Is)
    }

    /// The larger or smaller of `a*x + b` and a number, or `a*x + b` between two numbers.
    fn clamped(&self, x: &SymInt, xs: &[i64], row: &[i64]) -> Option<SymInt> {
        for (op, limit) in [(SymOp::Max, *row.iter().min()?), (SymOp::Min, *row.iter().max()?)] {
            let at_limit = row.iter().filter(|value| **value == limit).count();
            let free = row.len() - at_limit;
            if at_limit < 2 || free < 3 {
                continue;
            }
            if let Some((a, b)) = line(xs, row, |value| value != limit) {
                let found = scaled(a, x).and_then(|scaled| scaled.plus(b)).and_then(|sum| binary(op, &sum, limit));
                if let Some(found) = self.checked(found, row) {
                    return Some(found);
                }
            }
        }
        let (least, most) = (*row.iter().min()?, *row.iter().max()?);
        let count = |limit: i64| row.iter().filter(|value| **value == limit).count();
        if count(least) < 2 || count(most) < 2 || distinct(row.iter().copied()) < 5 {
            return None;
        }
        let (a, b) = line(xs, row, |value| value != least && value != most)?;
        let free = scaled(a, x).and_then(|scaled| scaled.plus(b));
        let above = free.and_then(|free| binary(SymOp::Max, &free, least));
        self.checked(above.and_then(|above| binary(SymOp::Min, &above, most)), row)
    }

    /// A sum of multiples of these, and a number.
    fn sum(&self, terms: &[(SymInt, &Vec<i64>)], row: &[i64]) -> Option<SymInt> {
        // As many sizes more as make an accident improbable.
        if row.len() < terms.len() + 4 {
            return None;
        }
        let columns: Vec<&[i64]> = terms.iter().map(|(_, row)| row.as_slice()).collect();
        let (factors, constant) = polynomial::solve(&columns, row)?;
        let mut sum: Option<SymInt> = None;
        // What is taken away comes last.
        for is_added in [true, false] {
            for ((term, _), &factor) in terms.iter().zip(&factors) {
                if factor == 0 || (factor > 0) != is_added {
                    continue;
                }
                let scaled = scaled(factor, term).ok()?;
                sum = Some(match sum {
                    None => scaled,
                    Some(sum) => binary_of(&sum, &scaled).ok()?,
                });
            }
        }
        self.checked(sum?.plus(constant), row)
    }

    /// The expression, if it is what the row says at every point.
    fn checked(&self, found: Result<SymInt, SymError>, row: &[i64]) -> Option<SymInt> {
        let found = found.ok()?;
        let holds = self.points.iter().zip(row).all(|(sizes, value)| found.evaluate(sizes) == Ok(*value));
        holds.then_some(found)
    }
}

/// Whether `x + shift` is what is wanted for enough numbers that it is no accident.
fn is_varied(xs: &[i64], shift: i64, row: &[i64]) -> bool {
    distinct(xs.iter().zip(row).filter(|(x, t)| x.checked_add(shift) == Some(**t)).map(|(x, _)| *x)) > 2
}

fn distinct(numbers: impl Iterator<Item = i64>) -> usize {
    numbers.collect::<std::collections::HashSet<_>>().len()
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b > 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

fn index_of(xs: &[i64], better: impl Fn(i64, i64) -> bool) -> usize {
    (1..xs.len()).fold(0, |best, i| if better(xs[i], xs[best]) { i } else { best })
}

/// `a` and `b` of `a*x + b`, by two points of those that count.
fn line(xs: &[i64], row: &[i64], counts: impl Fn(i64) -> bool) -> Option<(i64, i64)> {
    let points = || xs.iter().zip(row).filter(|(_, value)| counts(**value));
    let (x, t) = points().next()?;
    let (other_x, other_t) = points().find(|(other, _)| *other != x)?;
    let (run, rise) = (other_x.checked_sub(*x)?, other_t.checked_sub(*t)?);
    if rise.checked_rem(run)? != 0 {
        return None;
    }
    let a = rise / run;
    Some((a, t.checked_sub(a.checked_mul(*x)?)?))
}

fn scaled(factor: i64, x: &SymInt) -> Result<SymInt, SymError> {
    match factor {
        -1 => binary(SymOp::Sub, &0.into(), x),
        factor => SymInt::from(factor).times(x),
    }
}

/// `sum + -2 * x` as `sum - 2 * x`.
fn binary_of(sum: &SymInt, term: &SymInt) -> Result<SymInt, SymError> {
    if let super::sym_int::Term::Binary(op @ (SymOp::Mul | SymOp::Sub), left, right) = term.term()
        && let Some(factor) = left.as_int()
    {
        match (op, factor) {
            (SymOp::Sub, 0) => return SymInt::binary(SymOp::Sub, sum, right),
            (SymOp::Mul, factor) if factor < 0 && factor != i64::MIN => {
                return SymInt::binary(SymOp::Sub, sum, &scaled(-factor, right)?);
            }
            _ => {}
        }
    }
    SymInt::binary(SymOp::Add, sum, term)
}

fn binary(op: SymOp, left: &SymInt, right: impl Into<SymInt>) -> Result<SymInt, SymError> {
    SymInt::binary(op, left, &right.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One size at a time, then both.
    fn points() -> Vec<Sizes> {
        let seq = [7, 1, 2, 3, 4, 5, 8, 9, 13, 32, 37, 64, 257, 2053];
        let batch = [1, 3, 4, 5, 17, 64, 131];
        let both = [(1, 1), (3, 12), (5, 33), (11, 6), (23, 101)];
        let alone = seq.iter().map(|&seq| (2, seq)).chain(batch.iter().map(|&batch| (batch, 7)));
        alone.chain(both).map(|(batch, seq)| Sizes::from_iter([("batch", batch), ("seq", seq)])).collect()
    }

    fn fitter() -> Fitter {
        let class = |name: &str| SizeClass { name: name.into(), smallest: 1, step: 1 };
        Fitter::new(points(), vec![class("batch"), class("seq")])
    }

    /// Fits a function, with as many more points as are asked for.
    fn fitted(of: impl Fn(i64, i64) -> i64) -> String {
        let mut points = points();
        for _ in 0..12 {
            let row: Vec<i64> =
                points.iter().map(|point| of(point.get("batch").unwrap(), point.get("seq").unwrap())).collect();
            let class = |name: &str| SizeClass { name: name.into(), smallest: 1, step: 1 };
            match Fitter::new(points.clone(), vec![class("batch"), class("seq")]).fit(&row) {
                Fit::Is(found) => return found.to_string(),
                Fit::No => return "none".to_owned(),
                Fit::Unclear(name, size) => {
                    let known = |other: &str, value| if *name == *other { size } else { value };
                    points.push(Sizes::from_iter([("batch", known("batch", 2)), ("seq", known("seq", 7))]));
                }
            }
        }
        "unclear".to_owned()
    }

    #[test]
    fn what_models_compute_is_found() {
        type Computed = fn(i64, i64) -> i64;
        let cases: [(&str, Computed); 17] = [
            ("3", |_, _| 3),
            ("seq", |_, s| s),
            ("seq + 1", |_, s| s + 1),
            ("12 * seq - 5", |_, s| 12 * s - 5),
            ("batch * seq", |b, s| b * s),
            ("4 * (batch * seq)", |b, s| 4 * b * s),
            ("seq * seq", |_, s| s * s),
            ("(seq + 1) / 2", |_, s| (s + 1) / 2),
            ("(seq + 31) / 32", |_, s| (((s + 1) / 2 + 1) / 2 + 7) / 8),
            ("seq / 14", |_, s| s / 14),
            ("2 * ((seq + 1) / 2) + 1", |_, s| s + 1 + s % 2),
            ("seq % 2 + 1", |_, s| s % 2 + 1),
            ("max(seq - 5, 0)", |_, s| (s - 5).max(0)),
            ("min(seq, 32)", |_, s| s.min(32)),
            ("batch + seq", |b, s| b + s),
            ("2 * batch - seq + 3", |b, s| 2 * b - s + 3),
            ("(seq * seq - seq) / 2", |_, s| s * (s - 1) / 2),
        ];
        for (expected, of) in cases {
            assert_eq!(fitted(of), expected);
        }
    }

    #[test]
    fn what_is_no_expression_is_not_found() {
        let cases: [fn(i64, i64) -> i64; 5] = [
            |_, s| (s as u64).next_power_of_two() as i64,
            |_, s| if s > 1000 { 2 } else { 1 },
            |_, s| s.ilog2().into(),
            |b, s| if b == s { 1 } else { 0 },
            |_, s| s ^ 5,
        ];
        for of in cases {
            assert_eq!(fitted(of), "none");
        }
    }

    #[test]
    fn what_was_found_helps_to_find_more() {
        let mut fitter = fitter();
        let row = |of: fn(i64, i64) -> i64| -> Vec<i64> {
            points().iter().map(|point| of(point.get("batch").unwrap(), point.get("seq").unwrap())).collect()
        };
        let Fit::Is(half) = fitter.fit(&row(|_, s| s * s + 1)) else { panic!() };
        assert_eq!(half.to_string(), "seq * seq + 1");
        let Fit::Is(more) = fitter.fit(&row(|b, s| b * (s * s + 1))) else { panic!() };
        assert_eq!(more.to_string(), "batch * (seq * seq + 1)");
    }
}
