//! [`SymInt`]: an integer that follows the sizes of a run, `batch * seq` or `(height + 1) / 2`; and [`Sizes`], what the
//! symbols are in one run.
//!
//! Invariant: arithmetic is exact; what overflows or divides by nothing is an error, never a wrong number. Expressions
//! are at most [`SymInt::MAX_DEPTH`] deep and [`SymInt::MAX_TERMS`] large, so that recursion over one is bounded.

use std::fmt;
use std::sync::Arc;

/// An integer as an expression over named sizes, with the value it had at the capture, its hint. Cheap to clone; equal by
/// structure.
///
/// ```
/// use fx_core::value::{Sizes, SymInt};
/// let (batch, seq) = (SymInt::symbol("batch", 2), SymInt::symbol("seq", 7));
/// let rows = batch.times(&seq)?;
/// assert_eq!((rows.to_string().as_str(), rows.hint()), ("batch * seq", 14));
/// let sizes = Sizes::from_iter([("batch", 3), ("seq", 5)]);
/// assert_eq!(rows.evaluate(&sizes)?, 15);
/// # Ok::<(), fx_core::value::SymError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SymInt(Arc<Expression>);

#[derive(PartialEq, Eq, Hash)]
struct Expression {
    term: Term,
    hint: i64,
    depth: u8,
    /// Of how many numbers and sizes it is put together, counted as often as they are written.
    terms: u16,
}

/// How an expression is put together, for those who write it in another language.
///
/// What a [`SymInt`] is made of, one level of it ([`SymInt::term`]). [`SymInt::binary`] and [`SymInt::symbol`] put them
/// together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Term {
    /// A number.
    Int(i64),
    /// A size by its name.
    Symbol(Arc<str>),
    /// Two expressions.
    Binary(SymOp, SymInt, SymInt),
}

/// What is done with two integers.
///
/// `+`, `-`, `*`, `/` and `%` are written between the operands, `min` and `max` before them. Division and remainder are
/// Euclidean, so that for positive sizes they are those of Rust's `usize`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`, rounded so that the remainder is not negative (`i64::div_euclid`): down, if `b` is positive.
    Div,
    /// `a % b`, never negative (`i64::rem_euclid`).
    Rem,
    /// `min(a, b)`
    Min,
    /// `max(a, b)`
    Max,
}

impl SymOp {
    /// All of them.
    pub const ALL: [Self; 7] = [Self::Add, Self::Sub, Self::Mul, Self::Div, Self::Rem, Self::Min, Self::Max];

    /// As it is written: `+`, or `min` before parentheses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::Min => "min",
            Self::Max => "max",
        }
    }

    /// How tightly it binds; what is written like a function has no rank.
    pub(crate) fn rank(self) -> Option<u8> {
        match self {
            Self::Add | Self::Sub => Some(1),
            Self::Mul | Self::Div | Self::Rem => Some(2),
            Self::Min | Self::Max => None,
        }
    }

    fn apply(self, a: i64, b: i64) -> Option<i64> {
        match self {
            Self::Add => a.checked_add(b),
            Self::Sub => a.checked_sub(b),
            Self::Mul => a.checked_mul(b),
            Self::Div => a.checked_div_euclid(b),
            Self::Rem => a.checked_rem_euclid(b),
            Self::Min => Some(a.min(b)),
            Self::Max => Some(a.max(b)),
        }
    }
}

/// Why an expression has no value.
///
/// Building an expression works out its hint, so it can fail as an evaluation can.
///
/// ```
/// use fx_core::value::{Sizes, SymError, SymInt, SymOp};
///
/// let half = SymInt::binary(SymOp::Div, &12.into(), &SymInt::symbol("seq", 3))?;
/// assert_eq!(half.evaluate(&Sizes::from_iter([("seq", 5)]))?, 2);
/// assert!(matches!(half.evaluate(&Sizes::from_iter([("seq", 0)])), Err(SymError::NoValue { .. })));
/// assert!(matches!(half.evaluate(&Sizes::default()), Err(SymError::Unknown(size)) if &*size == "seq"));
/// # Ok::<(), SymError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SymError {
    /// The numbers are too large, or something is divided by 0.
    #[error("`{expression}` has no value: {left} {op} {right} is not an integer of 64 bits")]
    NoValue {
        /// The expression.
        expression: String,
        /// Value of the left side.
        left: i64,
        /// The operation.
        op: &'static str,
        /// Value of the right side.
        right: i64,
    },
    /// A size that has no value.
    #[error("nothing says what `{0}` is")]
    Unknown(Arc<str>),
    /// The expression would be nested too deep.
    #[error("an expression of sizes is nested more than {} deep", SymInt::MAX_DEPTH)]
    TooDeep,
    /// The expression would be too long.
    #[error("an expression of sizes is made of more than {} numbers and sizes", SymInt::MAX_TERMS)]
    TooLong,
}

impl SymInt {
    /// How deep expressions can be nested.
    pub const MAX_DEPTH: u8 = 64;
    /// Of how many numbers and sizes expressions can be put together. One that is used twice in another is written twice.
    pub const MAX_TERMS: u16 = 4096;

    /// A size by its name, with the value it had at the capture.
    ///
    /// The name is not looked at here; [`Dynamic::is_legal_name`](crate::ir::Dynamic::is_legal_name) says what a graph
    /// accepts.
    pub fn symbol(name: impl Into<Arc<str>>, hint: i64) -> Self {
        Self(Arc::new(Expression { term: Term::Symbol(name.into()), hint, depth: 0, terms: 1 }))
    }

    /// The value it had at the capture.
    #[must_use]
    pub fn hint(&self) -> i64 {
        self.0.hint
    }

    /// How it is put together.
    #[must_use]
    pub fn term(&self) -> &Term {
        &self.0.term
    }

    /// Of how many numbers and sizes it is put together.
    pub(super) fn terms(&self) -> u16 {
        self.0.terms
    }

    /// The number, if it is the same in all runs.
    ///
    /// `None` for every expression over sizes, also one that happens to be the same in all runs, such as `seq - seq`.
    #[must_use]
    pub fn as_int(&self) -> Option<i64> {
        match self.0.term {
            Term::Int(int) => Some(int),
            _ => None,
        }
    }

    /// The name, if it is a size as such.
    #[must_use]
    pub fn as_symbol(&self) -> Option<&Arc<str>> {
        match &self.0.term {
            Term::Symbol(name) => Some(name),
            _ => None,
        }
    }

    /// Two expressions as one. What does nothing (`x + 0`, `x * 1`) is left out, numbers are worked out.
    ///
    /// # Errors
    /// When the hint has no value, or the expression would be too deep or too long.
    pub fn binary(op: SymOp, left: &Self, right: &Self) -> Result<Self, SymError> {
        let no_value = || SymError::NoValue {
            expression: format!("{left} {} {right}", op.as_str()),
            left: left.hint(),
            op: op.as_str(),
            right: right.hint(),
        };
        let hint = op.apply(left.hint(), right.hint()).ok_or_else(no_value)?;
        match (op, left.as_int(), right.as_int()) {
            (_, Some(_), Some(_)) => return Ok(hint.into()),
            (SymOp::Add | SymOp::Sub, _, Some(0)) | (SymOp::Mul | SymOp::Div, _, Some(1)) => return Ok(left.clone()),
            (SymOp::Add, Some(0), _) | (SymOp::Mul, Some(1), _) => return Ok(right.clone()),
            // `x - 1`, not `x + -1`.
            (SymOp::Add, _, Some(int)) if int < 0 && int != i64::MIN => {
                return Self::binary(SymOp::Sub, left, &(-int).into());
            }
            (SymOp::Min | SymOp::Max, ..) if left == right => return Ok(left.clone()),
            _ => {}
        }
        let depth = left.0.depth.max(right.0.depth) + 1;
        if depth > Self::MAX_DEPTH {
            return Err(SymError::TooDeep);
        }
        let terms = left.terms() + right.terms();
        if terms > Self::MAX_TERMS {
            return Err(SymError::TooLong);
        }
        Ok(Self(Arc::new(Expression { term: Term::Binary(op, left.clone(), right.clone()), hint, depth, terms })))
    }

    /// `self + other`.
    ///
    /// # Errors
    /// As [`SymInt::binary`].
    pub fn plus(&self, other: impl Into<Self>) -> Result<Self, SymError> {
        Self::binary(SymOp::Add, self, &other.into())
    }

    /// `self * other`.
    ///
    /// # Errors
    /// As [`SymInt::binary`].
    pub fn times(&self, other: impl Into<Self>) -> Result<Self, SymError> {
        Self::binary(SymOp::Mul, self, &other.into())
    }

    /// Its value in a run.
    ///
    /// # Errors
    /// When a number overflows, something is divided by 0, or a size is not known.
    pub fn evaluate(&self, sizes: &Sizes) -> Result<i64, SymError> {
        match &self.0.term {
            Term::Int(int) => Ok(*int),
            Term::Symbol(name) => sizes.get(name).ok_or_else(|| SymError::Unknown(name.clone())),
            Term::Binary(op, left, right) => {
                let (left, right) = (left.evaluate(sizes)?, right.evaluate(sizes)?);
                let op_name = op.as_str();
                op.apply(left, right).ok_or_else(|| SymError::NoValue {
                    expression: self.to_string(),
                    left,
                    op: op_name,
                    right,
                })
            }
        }
    }

    /// Calls `visit` with each size in it, as often as it occurs.
    pub fn for_each_symbol(&self, visit: &mut dyn FnMut(&Arc<str>)) {
        match &self.0.term {
            Term::Int(_) => {}
            Term::Symbol(name) => visit(name),
            Term::Binary(_, left, right) => {
                left.for_each_symbol(visit);
                right.for_each_symbol(visit);
            }
        }
    }

    /// The same with each size replaced by what `map` gives for it; none if it gives none for one of them.
    ///
    /// It is put together anew, so what does nothing is left out again, and the hint follows from those of what is put
    /// in.
    ///
    /// # Errors
    /// As [`SymInt::binary`].
    pub fn substitute(&self, map: &mut dyn FnMut(&Arc<str>) -> Option<Self>) -> Result<Option<Self>, SymError> {
        match &self.0.term {
            Term::Int(_) => Ok(Some(self.clone())),
            Term::Symbol(name) => Ok(map(name)),
            Term::Binary(op, left, right) => match (left.substitute(map)?, right.substitute(map)?) {
                (Some(left), Some(right)) => Self::binary(*op, &left, &right).map(Some),
                _ => Ok(None),
            },
        }
    }
}

impl From<i64> for SymInt {
    fn from(int: i64) -> Self {
        Self(Arc::new(Expression { term: Term::Int(int), hint: int, depth: 0, terms: 1 }))
    }
}

impl From<&Self> for SymInt {
    fn from(other: &Self) -> Self {
        other.clone()
    }
}

impl fmt::Display for SymInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (op, left, right) = match &self.0.term {
            Term::Int(int) => return int.fmt(f),
            Term::Symbol(name) => return f.write_str(name),
            Term::Binary(op, left, right) => (*op, left, right),
        };
        write_operation(f, (op.as_str(), op.rank()), (left, left.rank()), (right, right.rank()))
    }
}

/// An operation as it is written: between its operands, in parentheses where their ranks ask for them; before them, if it
/// has no rank.
pub(super) fn write_operation<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    (op, rank): (&str, Option<u8>),
    (left, left_rank): (&T, Option<u8>),
    (right, right_rank): (&T, Option<u8>),
) -> fmt::Result {
    let Some(rank) = rank else {
        return write!(f, "{op}({left}, {right})");
    };
    // Operations of one rank go from left to right.
    if left_rank.is_some_and(|inner| inner < rank) { write!(f, "({left})") } else { write!(f, "{left}") }?;
    write!(f, " {op} ")?;
    if right_rank.is_some_and(|inner| inner <= rank) { write!(f, "({right})") } else { write!(f, "{right}") }
}

impl SymInt {
    fn rank(&self) -> Option<u8> {
        match &self.0.term {
            Term::Binary(op, ..) => op.rank(),
            _ => None,
        }
    }
}

impl fmt::Debug for SymInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} (at {})", self.hint())
    }
}

/// What sizes are in one run.
///
/// A run reads them off its inputs ([`Size::places`](crate::ir::Size)); expressions are evaluated with them. They are
/// collected from pairs of a name and a value. Two of one name are no error: the first counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sizes(Vec<(Arc<str>, i64)>);

impl Sizes {
    /// The value of a size.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<i64> {
        // There are a handful.
        self.0.iter().find_map(|(known, value)| (**known == *name).then_some(*value))
    }

    /// Gives a size its value, unless it has one, which is returned.
    pub fn insert(&mut self, name: &Arc<str>, value: i64) -> Option<i64> {
        let known = self.get(name);
        if known.is_none() {
            self.0.push((name.clone(), value));
        }
        known
    }

    /// The sizes with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, i64)> {
        self.0.iter().map(|(name, value)| (name, *value))
    }
}

impl<S: Into<Arc<str>>> FromIterator<(S, i64)> for Sizes {
    fn from_iter<I: IntoIterator<Item = (S, i64)>>(sizes: I) -> Self {
        Self(sizes.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }
}

/// `batch = 2, seq = 7`.
impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.0.iter().enumerate() {
            write!(f, "{}{name} = {value}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

/// How two numbers compare.
///
/// What a [`Guard`](crate::ir::Guard) is made of. Floats compare as in Rust: nothing but `!=` holds of a NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl Relation {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Eq, Self::Ne, Self::Le, Self::Lt, Self::Ge, Self::Gt];

    /// As Rust writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }

    /// Whether it holds.
    #[must_use]
    pub fn holds<T: PartialOrd>(self, left: T, right: T) -> bool {
        match self {
            Self::Eq => left == right,
            Self::Ne => left != right,
            Self::Lt => left < right,
            Self::Le => left <= right,
            Self::Gt => left > right,
            Self::Ge => left >= right,
        }
    }

    /// The one that holds where this does not.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Lt => Self::Ge,
            Self::Le => Self::Gt,
            Self::Gt => Self::Le,
            Self::Ge => Self::Lt,
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes() -> (SymInt, SymInt) {
        (SymInt::symbol("batch", 2), SymInt::symbol("seq", 7))
    }

    fn binary(op: SymOp, left: &SymInt, right: impl Into<SymInt>) -> SymInt {
        SymInt::binary(op, left, &right.into()).unwrap()
    }

    #[test]
    fn expressions_are_written_with_the_parentheses_they_need() {
        let (batch, seq) = sizes();
        let sum = binary(SymOp::Add, &seq, 1);
        let half = binary(SymOp::Div, &sum, 2);
        let cases = [
            (sum.clone(), "seq + 1", 8),
            (half.clone(), "(seq + 1) / 2", 4),
            (binary(SymOp::Mul, &batch, &half), "batch * ((seq + 1) / 2)", 8),
            (binary(SymOp::Mul, &half, &batch), "(seq + 1) / 2 * batch", 8),
            (binary(SymOp::Sub, &batch, &sum), "batch - (seq + 1)", -6),
            (binary(SymOp::Min, &sum, 4), "min(seq + 1, 4)", 4),
            (binary(SymOp::Mul, &binary(SymOp::Max, &batch, &seq), 3), "max(batch, seq) * 3", 21),
            (binary(SymOp::Rem, &binary(SymOp::Sub, &3.into(), &seq), 4), "(3 - seq) % 4", 0),
        ];
        for (expression, text, hint) in cases {
            assert_eq!((expression.to_string().as_str(), expression.hint()), (text, hint));
        }
    }

    #[test]
    fn what_does_nothing_is_left_out() {
        let (_, seq) = sizes();
        assert_eq!(binary(SymOp::Add, &seq, 0), seq);
        assert_eq!(binary(SymOp::Mul, &1.into(), &seq), seq);
        assert_eq!(binary(SymOp::Add, &seq, -1).to_string(), "seq - 1");
        assert_eq!(binary(SymOp::Add, &2.into(), 3).as_int(), Some(5));
        assert_eq!(binary(SymOp::Min, &seq, &seq), seq);
    }

    #[test]
    fn values_are_exact_or_an_error() {
        let (batch, seq) = sizes();
        let product = binary(SymOp::Mul, &batch, &seq);
        let run = Sizes::from_iter([("batch", i64::MAX), ("seq", 2)]);
        assert!(matches!(product.evaluate(&run), Err(SymError::NoValue { .. })));
        let ratio = binary(SymOp::Div, &batch, &seq);
        assert!(matches!(ratio.evaluate(&Sizes::from_iter([("batch", 1), ("seq", 0)])), Err(SymError::NoValue { .. })));
        assert_eq!(product.evaluate(&Sizes::from_iter([("seq", 1)])), Err(SymError::Unknown("batch".into())));
        assert!(SymInt::binary(SymOp::Add, &i64::MAX.into(), &1.into()).is_err());
    }

    #[test]
    fn depth_is_bounded() {
        let (batch, mut deep) = sizes();
        for _ in 0..SymInt::MAX_DEPTH {
            deep = binary(SymOp::Max, &deep.plus(0).unwrap(), batch.plus(i64::from(deep.0.depth)).unwrap());
            if deep.0.depth >= SymInt::MAX_DEPTH - 1 {
                break;
            }
        }
        let deepest = SymInt::binary(SymOp::Sub, &deep, &batch).unwrap();
        assert_eq!(SymInt::binary(SymOp::Sub, &deepest, &batch), Err(SymError::TooDeep));
        // What is used twice is written twice, and so on.
        let doubled = (0..SymInt::MAX_DEPTH).try_fold(batch, |doubled, _| doubled.plus(&doubled));
        assert_eq!(doubled, Err(SymError::TooLong));
    }
}
