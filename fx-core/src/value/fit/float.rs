//! Finds the expression that a float follows, from what it was at several sizes.
//!
//! The families that are tried: a function of an integer (`n`, its root, one over either, its logarithm), which is fitted
//! as one; such a function, or a float found before, with a number; two of them. Each in `f64`, in `f32`, and in `f64`
//! rounded at the end.
//!
//! Invariant: what is found has the bits of the float at every one of the sizes.

use std::sync::Arc;

use super::{Fit, Fitter, Sizes};
use crate::value::sym_float::{FloatFunction, FloatOp, SymFloat};
use crate::value::sym_int::{SymError, SymInt};

/// What was found.
///
/// As [`Fit`](super::Fit), of a float.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FloatFit {
    /// This expression.
    Is(SymFloat),
    /// Several expressions; at this size of a symbol, others being as at the first sizes, they differ.
    Unclear(Arc<str>, i64),
    /// None of those that are tried.
    No,
}

/// How many integers that were found before are tried.
const TRIED: usize = 12;
/// How many floats are tried in pairs.
const PAIRED: usize = 24;

/// What stands above an integer that is fitted.
const NUMERATORS: [i64; 9] = [-1, 2, 3, 4, 8, 16, 100, 255, 1000];

/// A float and what it is at every size.
pub(super) type FloatRow = (SymFloat, Vec<f64>);

/// In which precision something is worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Precision {
    Double,
    /// Rounded after each operation.
    Single,
    /// Rounded at the end.
    Rounded,
}

impl Precision {
    /// After an operation.
    fn step(self, x: f64) -> f64 {
        if self == Self::Single { FloatFunction::Single.apply(x) } else { x }
    }

    /// After the last operation.
    fn end(self, x: f64) -> f64 {
        if self == Self::Double { x } else { FloatFunction::Single.apply(x) }
    }

    fn stepped(self, of: SymFloat) -> Result<SymFloat, SymError> {
        if self == Self::Single { SymFloat::function(FloatFunction::Single, &of) } else { Ok(of) }
    }

    fn ended(self, of: SymFloat) -> Result<SymFloat, SymError> {
        if self == Self::Double { Ok(of) } else { SymFloat::function(FloatFunction::Single, &of) }
    }
}

/// A function of an integer, and what gives the integer back.
#[derive(Clone, Copy)]
struct Shape {
    root: bool,
    over: bool,
    logarithm: bool,
}

const SHAPES: [Shape; 5] = [
    Shape { root: false, over: false, logarithm: false },
    Shape { root: false, over: true, logarithm: false },
    Shape { root: true, over: false, logarithm: false },
    Shape { root: true, over: true, logarithm: false },
    Shape { root: false, over: false, logarithm: true },
];

impl Shape {
    fn inverse(self, t: f64) -> f64 {
        let x = if self.over { 1.0 / t } else { t };
        let x = if self.root { x * x } else { x };
        if self.logarithm { x.exp() } else { x }
    }

    fn applied(self, precision: Precision, int: &SymInt) -> Result<SymFloat, SymError> {
        let mut found = precision.stepped(SymFloat::of_int(int))?;
        if self.root {
            found = precision.stepped(SymFloat::function(FloatFunction::Sqrt, &found)?)?;
        }
        if self.logarithm {
            found = precision.stepped(SymFloat::function(FloatFunction::Ln, &found)?)?;
        }
        if self.over {
            found = precision.stepped(SymFloat::binary(FloatOp::Div, &1.0.into(), &found)?)?;
        }
        Ok(found)
    }
}

impl Fitter {
    /// The expression that has the bits of `row[i]` at the sizes number `i`.
    pub fn fit_float(&mut self, row: &[f64]) -> FloatFit {
        let Some(&first) = row.first() else { return FloatFit::No };
        if row.iter().all(|value| value.to_bits() == first.to_bits()) {
            return FloatFit::Is(first.into());
        }
        if let Some((known, _)) = self.floats.iter().find(|(_, known)| is_same(known, row)) {
            return FloatFit::Is(known.clone());
        }
        let is_single = row.iter().all(|value| value.is_nan() || f64::from(*value as f32) == *value);
        let all = [Precision::Double, Precision::Single, Precision::Rounded];
        for precision in if is_single { &all[..] } else { &all[..1] } {
            match self.float_in(*precision, row) {
                FloatFit::No => {}
                FloatFit::Is(found) => {
                    self.floats.push((found.clone(), row.to_vec()));
                    return FloatFit::Is(found);
                }
                unclear => return unclear,
            }
        }
        FloatFit::No
    }

    fn float_in(&mut self, precision: Precision, row: &[f64]) -> FloatFit {
        for shape in SHAPES {
            if let Some(ints) = integers(shape, precision, row) {
                match self.fit(&ints) {
                    Fit::Is(int) => {
                        let found = shape.applied(precision, &int).and_then(|found| precision.ended(found));
                        if let Some(found) = self.checked_float(found, row) {
                            return FloatFit::Is(found);
                        }
                    }
                    Fit::Unclear(name, size) => return FloatFit::Unclear(name, size),
                    Fit::No => {}
                }
            }
        }
        match self.quotient_of_ints(precision, row) {
            FloatFit::No => {}
            found => return found,
        }
        let parts = self.parts(precision);
        for part in &parts {
            match self.with_number(precision, part, row) {
                FloatFit::No => {}
                found => return found,
            }
        }
        let found = self
            .of_two(precision, &parts, row)
            .or_else(|| parts.iter().find_map(|part| self.line(precision, part, row)));
        found.map_or(FloatFit::No, FloatFit::Is)
    }

    /// An integer that is known over another one, which is fitted.
    fn quotient_of_ints(&mut self, precision: Precision, row: &[f64]) -> FloatFit {
        let symbols = self.classes.len();
        let known = self.atoms.iter().take(symbols).chain(self.atoms.iter().skip(symbols).rev().take(TRIED));
        let numbers = NUMERATORS.map(|number| (SymInt::from(number), vec![number; row.len()]));
        let above: Vec<(SymInt, Vec<i64>)> = known.cloned().chain(numbers).collect();
        for (int, ints) in above {
            let below: Vec<f64> = ints.iter().zip(row).map(|(int, t)| *int as f64 / t).collect();
            // 0 over something is 0, whatever that is.
            let fitted = if below.iter().any(|below| below.is_nan()) {
                let points = self.points.iter().zip(&below).filter(|(_, below)| !below.is_nan());
                let known: Vec<f64> = below.iter().copied().filter(|below| !below.is_nan()).collect();
                let Some(known) = integers(SHAPES[0], precision, &known) else { continue };
                let mut fitter = Fitter::new(points.map(|(point, _)| point.clone()).collect(), self.classes.clone());
                fitter.exclude(self.excluded.clone());
                match fitter.fit(&known) {
                    Fit::Is(below) => self.at_first(&below).map_or(Fit::No, Fit::Is),
                    other => other,
                }
            } else {
                let Some(below) = integers(SHAPES[0], precision, &below) else { continue };
                self.fit(&below)
            };
            match fitted {
                Fit::Is(below) => {
                    let float = |int: &SymInt| precision.stepped(SymFloat::of_int(int));
                    let found = float(&int)
                        .and_then(|int| SymFloat::binary(FloatOp::Div, &int, &float(&below)?))
                        .and_then(|found| precision.stepped(found))
                        .and_then(|found| precision.ended(found));
                    if let Some(found) = self.checked_float(found, row) {
                        return FloatFit::Is(found);
                    }
                }
                Fit::Unclear(name, size) => return FloatFit::Unclear(name, size),
                Fit::No => {}
            }
        }
        FloatFit::No
    }

    /// What floats can be made of: what was found last first, then functions of integers.
    fn parts(&self, precision: Precision) -> Vec<FloatRow> {
        let symbols = self.classes.len();
        let ints = self.atoms.iter().take(symbols).chain(self.atoms.iter().skip(symbols).rev().take(TRIED));
        let mut parts: Vec<FloatRow> = self.floats.iter().rev().take(TRIED).cloned().collect();
        for shape in SHAPES.into_iter().filter(|shape| !shape.over) {
            for (int, _) in ints.clone() {
                let Ok(found) = shape.applied(precision, int) else { continue };
                let row: Result<Vec<f64>, SymError> = self.points.iter().map(|point| found.evaluate(point)).collect();
                if let Ok(row) = row {
                    parts.push((found, row));
                }
            }
        }
        parts
    }

    /// A float and a number: `x * c`, `x / c`, `c / x`, `x + c`, `c - x`, `pow(x, c)`.
    ///
    /// `x * c` and `x / d` can have the same bits at all sizes so far and differ in the last one elsewhere.
    fn with_number(&self, precision: Precision, (part, xs): &FloatRow, row: &[f64]) -> FloatFit {
        type Solve = fn(f64, f64) -> f64;
        let forms: [(FloatOp, bool, Solve); 6] = [
            (FloatOp::Mul, false, |t, x| t / x),
            (FloatOp::Div, false, |t, x| x / t),
            (FloatOp::Div, true, |t, x| t * x),
            (FloatOp::Add, false, |t, x| t - x),
            (FloatOp::Sub, true, |t, x| t + x),
            (FloatOp::Pow, false, |t, x| t.ln() / x.ln()),
        ];
        let mut first: Option<SymFloat> = None;
        for (op, number_first, solve) in forms {
            for number in candidates(precision, xs.iter().zip(row).map(|(x, t)| solve(*t, *x))) {
                let value = |x: f64| if number_first { op.apply(number, x) } else { op.apply(x, number) };
                if xs.iter().zip(row).all(|(x, t)| is_bits(precision.end(precision.step(value(*x))), *t)) {
                    let number = SymFloat::from(number);
                    let (left, right) = if number_first { (&number, part) } else { (part, &number) };
                    let found = SymFloat::binary(op, left, right).and_then(|found| precision.ended(found));
                    let Some(other) = self.checked_float(found, row) else { continue };
                    let Some(first) = &first else {
                        first = Some(other);
                        continue;
                    };
                    let bits = |of: &SymFloat, sizes: &Sizes| of.evaluate(sizes).ok().map(f64::to_bits);
                    let differ = |sizes: &Sizes| bits(first, sizes) != bits(&other, sizes);
                    if let Some((name, size)) = self.where_differ(differ) {
                        return FloatFit::Unclear(name, size);
                    }
                }
            }
        }
        first.map_or(FloatFit::No, FloatFit::Is)
    }

    /// Two floats.
    fn of_two(&self, precision: Precision, parts: &[FloatRow], row: &[f64]) -> Option<SymFloat> {
        for (x, xs) in parts.iter().take(PAIRED) {
            for (y, ys) in parts.iter().take(PAIRED) {
                for op in [FloatOp::Div, FloatOp::Mul, FloatOp::Add, FloatOp::Sub] {
                    let value = |x: f64, y: f64| precision.end(precision.step(op.apply(x, y)));
                    if xs.iter().zip(ys).zip(row).all(|((x, y), t)| is_bits(value(*x, *y), *t)) {
                        let found = SymFloat::binary(op, x, y).and_then(|found| precision.ended(found));
                        if let Some(found) = self.checked_float(found, row) {
                            return Some(found);
                        }
                    }
                }
            }
        }
        None
    }

    /// `x * a + b`.
    fn line(&self, precision: Precision, (part, xs): &FloatRow, row: &[f64]) -> Option<SymFloat> {
        let points = || xs.iter().zip(row).filter(|(x, t)| x.is_finite() && t.is_finite());
        let (x, t) = points().next()?;
        let slopes = points().filter(|(other, _)| *other != x).map(|(other, value)| (value - t) / (other - x));
        for slope in candidates(precision, slopes) {
            let scaled = |x: f64| precision.step(x * slope);
            for shift in candidates(precision, points().map(|(x, t)| t - scaled(*x))) {
                if xs.iter().zip(row).all(|(x, t)| is_bits(precision.end(precision.step(scaled(*x) + shift)), *t)) {
                    let found = SymFloat::binary(FloatOp::Mul, part, &slope.into())
                        .and_then(|scaled| precision.stepped(scaled))
                        .and_then(|scaled| SymFloat::binary(FloatOp::Add, &scaled, &shift.into()))
                        .and_then(|found| precision.ended(found));
                    if let Some(found) = self.checked_float(found, row) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// The expression, if it has the bits of the row at every point.
    fn checked_float(&self, found: Result<SymFloat, SymError>, row: &[f64]) -> Option<SymFloat> {
        let found = found.ok()?;
        let holds = |(sizes, value): (_, &f64)| found.evaluate(sizes).is_ok_and(|found| is_bits(found, *value));
        self.points.iter().zip(row).all(holds).then_some(found)
    }
}

/// The integers that floats are this function of, if that is what they are.
fn integers(shape: Shape, precision: Precision, row: &[f64]) -> Option<Vec<i64>> {
    let tolerance = if precision == Precision::Double { 1e-9 } else { 1e-4 };
    let each = row.iter().map(|value| {
        let found = shape.inverse(*value);
        let whole = found.round();
        let is_whole = (found - whole).abs() <= tolerance * whole.abs().max(1.0) && whole.abs() < 1e15;
        is_whole.then_some(whole as i64)
    });
    each.collect()
}

/// The numbers that something that is nearly one number everywhere can be: as it comes out, its neighbours, and the
/// nearest of few digits.
fn candidates(precision: Precision, found: impl Iterator<Item = f64>) -> Vec<f64> {
    let found: Vec<f64> = found.filter(|number| number.is_finite() && *number != 0.0).collect();
    let Some(&first) = found.last() else { return Vec::new() };
    let near = |number: &f64| (number - first).abs() <= 1e-4 * first.abs().max(1e-9);
    // Differences of large numbers are not exact, but a number is nearly the same everywhere.
    if found.iter().filter(|number| near(number)).count() * 4 < found.len() * 3 {
        return Vec::new();
    }
    let mut all: Vec<f64> = Vec::new();
    let mut add = |number: f64| {
        let number = precision.step(number);
        if !all.iter().any(|known| known.to_bits() == number.to_bits()) {
            all.push(number);
        }
    };
    for digits in [3, 6, 12] {
        if let Ok(number) = format!("{first:.digits$e}").parse() {
            add(number);
        }
    }
    for &number in found.iter().rev().take(4).chain(found.iter().take(4)) {
        add(number);
        add(f64::from_bits(number.to_bits() + 1));
        add(f64::from_bits(number.to_bits() - 1));
    }
    all
}

/// Whether a float has these bits; all that are not a number are one.
fn is_bits(found: f64, wanted: f64) -> bool {
    found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan()
}

fn is_same(one: &[f64], other: &[f64]) -> bool {
    one.iter().zip(other).all(|(one, other)| is_bits(*one, *other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{SizeClass, Sizes};

    fn fitted(of: impl Fn(i64, i64) -> f64) -> String {
        let seq = [7, 0, 1, 2, 3, 4, 5, 8, 9, 13, 32, 37, 64, 257, 523, 2053];
        let batch = [1, 3, 4, 5, 17, 64, 131];
        let alone = seq.iter().map(|&seq| (2, seq)).chain(batch.iter().map(|&batch| (batch, 7)));
        let points = alone.chain([(3, 12), (11, 6), (23, 101)]);
        let mut points: Vec<Sizes> = points.map(|(b, s)| Sizes::from_iter([("batch", b), ("seq", s)])).collect();
        for _ in 0..12 {
            let row: Vec<f64> = points.iter().map(|at| of(at.get("batch").unwrap(), at.get("seq").unwrap())).collect();
            let class = |name: &str| SizeClass { name: name.into(), smallest: 0, step: 1 };
            match Fitter::new(points.clone(), vec![class("batch"), class("seq")]).fit_float(&row) {
                FloatFit::Is(found) => return found.to_string(),
                FloatFit::No => return "none".to_owned(),
                FloatFit::Unclear(name, size) => {
                    let known = |other: &str, value| if *name == *other { size } else { value };
                    points.push(Sizes::from_iter([("batch", known("batch", 2)), ("seq", known("seq", 7))]));
                }
            }
        }
        "unclear".to_owned()
    }

    #[test]
    fn what_models_compute_is_found() {
        type Computed = fn(i64, i64) -> f64;
        let cases: [(&str, Computed); 20] = [
            ("f64(seq)", |_, s| s as f64),
            ("sqrt(f64(seq))", |_, s| (s as f64).sqrt()),
            ("1.0 / sqrt(f64(seq))", |_, s| 1.0 / (s as f64).sqrt()),
            ("1.0 / f64(seq)", |_, s| 1.0 / s as f64),
            ("1.0 / sqrt(f64(batch * seq))", |b, s| 1.0 / ((b * s) as f64).sqrt()),
            ("f64(batch) / f64(seq)", |b, s| b as f64 / s as f64),
            ("f64(seq) / f64(seq + 1)", |_, s| s as f64 / (s + 1) as f64),
            ("2.0 / f64(seq - 1)", |_, s| 2.0 / (s - 1) as f64),
            ("f64(seq) * 0.1", |_, s| 0.1 * s as f64),
            ("f64(seq) / 10.0", |_, s| s as f64 / 10.0),
            ("f64(seq) + 0.5", |_, s| s as f64 + 0.5),
            ("-3.0 / f64(seq)", |_, s| -3.0 / s as f64),
            ("ln(f64(seq))", |_, s| (s as f64).ln()),
            ("ln(f64(seq)) / 6.238324625039508", |_, s| (s as f64).ln() / 512f64.ln()),
            ("ln(f64(seq)) * 0.1602994489876626", |_, s| (s as f64).ln() * 0.1602994489876626),
            ("pow(f64(seq), -0.25)", |_, s| (s as f64).powf(-0.25)),
            ("f64(seq) * 0.3 + 0.7", |_, s| s as f64 * 0.3 + 0.7),
            ("f32(1.0 / f32(sqrt(f32(f64(seq)))))", |_, s| (1.0 / (s as f32).sqrt()).into()),
            ("f32(f32(f64(seq)) / 3.0)", |_, s| (s as f32 / 3.0).into()),
            // A quotient of two floats that 32 bits hold, rounded once or twice, is the same.
            ("f32(1.0 / f32(f64(seq + 1)))", |_, s| ((1.0 / (s + 1) as f64) as f32).into()),
        ];
        for (expected, of) in cases {
            assert_eq!(fitted(of), expected);
        }
    }

    #[test]
    fn what_is_no_expression_is_not_found() {
        let cases: [fn(i64, i64) -> f64; 4] = [
            |_, s| (s as f64).sin(),
            |_, s| if s > 1000 { 2.0 } else { 1.0 },
            |b, s| (b as f64).powf(s as f64),
            |_, s| f64::from_bits(s as u64 ^ 0x3ff0_0000_0000_0005),
        ];
        for of in cases {
            assert_eq!(fitted(of), "none");
        }
    }
}
