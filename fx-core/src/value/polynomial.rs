//! Sums of multiples: which terms polynomials of sizes are made of, and the factors, worked out exactly.
//!
//! Invariant: arithmetic is that of fractions of 128 bits; what overflows has no solution.

use super::sym_int::SymInt;

/// A term and what it is at every point.
type TermRow = (SymInt, Vec<i64>);

/// Lists of terms to try, the shorter ones first: products of different sizes, then squares as well. Not for more than
/// four sizes.
pub(super) fn terms(sizes: &[TermRow]) -> Vec<Vec<TermRow>> {
    if sizes.is_empty() || sizes.len() > 4 {
        return Vec::new();
    }
    let multiplied = |(x, xs): &TermRow, (y, ys): &TermRow| {
        let row: Option<Vec<i64>> = xs.iter().zip(ys).map(|(x, y)| x.checked_mul(*y)).collect();
        Some((x.times(y).ok()?, row?))
    };
    let mut products: Vec<TermRow> = Vec::new();
    for size in sizes {
        let more: Vec<TermRow> = products.iter().filter_map(|product| multiplied(product, size)).collect();
        products.push(size.clone());
        products.extend(more);
    }
    let mut squares: Vec<TermRow> = sizes.to_vec();
    for (i, size) in sizes.iter().enumerate() {
        squares.extend(sizes[i..].iter().filter_map(|other| multiplied(size, other)));
    }
    vec![sizes.to_vec(), products, squares]
}

#[derive(Clone, Copy)]
struct Fraction(i128, i128);

impl Fraction {
    fn new(over: i128, under: i128) -> Option<Self> {
        let (mut a, mut b) = (over.unsigned_abs(), under.unsigned_abs());
        while b > 0 {
            (a, b) = (b, a % b);
        }
        let common = i128::try_from(a).ok().filter(|common| *common > 0)? * under.signum();
        Some(Self(over.checked_div(common)?, under.checked_div(common)?))
    }

    fn minus_times(self, factor: Self, other: Self) -> Option<Self> {
        let (over, under) = (factor.0.checked_mul(other.0)?, factor.1.checked_mul(other.1)?);
        Self::new(self.0.checked_mul(under)?.checked_sub(over.checked_mul(self.1)?)?, self.1.checked_mul(under)?)
    }

    fn over(self, other: Self) -> Option<Self> {
        Self::new(self.0.checked_mul(other.1)?, self.1.checked_mul(other.0)?)
    }
}

/// The whole factors of the columns, and the number besides, whose sum is `row`; none if there are none, or several.
pub(super) fn solve(columns: &[&[i64]], row: &[i64]) -> Option<(Vec<i64>, i64)> {
    let count = columns.len() + 1;
    let mut lines: Vec<Vec<Fraction>> = (0..row.len())
        .map(|i| {
            let each = columns.iter().map(|column| column[i]).chain([1, row[i]]);
            each.map(|value| Fraction(value.into(), 1)).collect()
        })
        .collect();
    for at in 0..count {
        let pivot = (at..lines.len()).find(|&line| lines[line][at].0 != 0)?;
        lines.swap(at, pivot);
        let head = lines[at].clone();
        for (i, line) in lines.iter_mut().enumerate() {
            if i == at || line[at].0 == 0 {
                continue;
            }
            let factor = line[at].over(head[at])?;
            for (value, above) in line.iter_mut().zip(&head).skip(at) {
                *value = value.minus_times(factor, *above)?;
            }
        }
    }
    // What is left of the other lines says whether there is a solution.
    if lines[count..].iter().any(|line| line[count].0 != 0) {
        return None;
    }
    let whole = |at: usize| {
        let Fraction(over, under) = lines[at][count].over(lines[at][at])?;
        (under == 1).then(|| i64::try_from(over).ok()).flatten()
    };
    let mut factors: Vec<i64> = (0..count).map(whole).collect::<Option<_>>()?;
    let constant = factors.pop()?;
    Some((factors, constant))
}
