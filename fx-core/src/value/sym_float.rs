//! [`SymFloat`]: a float that follows the sizes of a run, `1.0 / sqrt(f64(seq))`.
//!
//! Invariant: an expression is evaluated as Rust evaluates it, operation by operation, so its value has the bits that the
//! model's own would have. Expressions are at most [`SymInt::MAX_DEPTH`] deep and
//! [`SymInt::MAX_TERMS`] large.

use std::fmt;
use std::sync::Arc;

use super::literal::Decimal;
use super::sym_int::{Sizes, SymError, SymInt, write_operation};

/// A float as an expression over named sizes, with the value it had at the capture, its hint. Cheap to clone; equal by
/// structure, numbers by their bits.
///
/// ```
/// use fx_core::value::{FloatFunction, FloatOp, Sizes, SymFloat, SymInt};
/// let root = SymFloat::function(FloatFunction::Sqrt, &SymInt::symbol("seq", 4).into())?;
/// let scale = SymFloat::binary(FloatOp::Div, &1.0.into(), &root)?;
/// assert_eq!((scale.to_string().as_str(), scale.hint()), ("1.0 / sqrt(f64(seq))", 0.5));
/// assert_eq!(scale.evaluate(&Sizes::from_iter([("seq", 16)]))?, 0.25);
/// # Ok::<(), fx_core::value::SymError>(())
/// ```
#[derive(Clone)]
pub struct SymFloat(Arc<Expression>);

struct Expression {
    term: FloatTerm,
    hint: f64,
    depth: u8,
    terms: u16,
}

/// How a float is put together, for those who write it in another language.
///
/// What a [`SymFloat`] is made of, one level of it ([`SymFloat::term`]).
#[derive(Debug, Clone)]
pub enum FloatTerm {
    /// A number.
    Float(f64),
    /// An integer as a float, `n as f64`.
    Int(SymInt),
    /// A function of a float.
    Function(FloatFunction, SymFloat),
    /// Two floats.
    Binary(FloatOp, SymFloat, SymFloat),
}

/// A function of one float.
///
/// Written before parentheses: `sqrt(f64(seq))`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatFunction {
    /// `x.sqrt()`
    Sqrt,
    /// `x.ln()`
    Ln,
    /// `x as f32`: what is worked out in `f32` is rounded after each operation.
    Single,
}

impl FloatFunction {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Sqrt, Self::Ln, Self::Single];

    /// As it is written before parentheses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sqrt => "sqrt",
            Self::Ln => "ln",
            Self::Single => "f32",
        }
    }

    pub(crate) fn apply(self, x: f64) -> f64 {
        match self {
            Self::Sqrt => x.sqrt(),
            Self::Ln => x.ln(),
            Self::Single => f64::from(x as f32),
        }
    }
}

/// What is done with two floats.
///
/// Each is one operation of Rust on `f64`, rounded once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// `a.powf(b)`
    Pow,
}

impl FloatOp {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Add, Self::Sub, Self::Mul, Self::Div, Self::Pow];

    /// As it is written: `+`, or `pow` before parentheses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Pow => "pow",
        }
    }

    /// How tightly it binds; what is written like a function has no rank.
    pub(crate) fn rank(self) -> Option<u8> {
        match self {
            Self::Add | Self::Sub => Some(1),
            Self::Mul | Self::Div => Some(2),
            Self::Pow => None,
        }
    }

    pub(crate) fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Sub => a - b,
            Self::Mul => a * b,
            Self::Div => a / b,
            Self::Pow => a.powf(b),
        }
    }
}

impl SymFloat {
    /// What an integer is as a float of 64 bits.
    ///
    /// Above 2⁵³ it is rounded, as `as f64` rounds.
    #[must_use]
    pub fn of_int(int: &SymInt) -> Self {
        let term = match int.as_int() {
            Some(int) => FloatTerm::Float(int as f64),
            None => FloatTerm::Int(int.clone()),
        };
        Self(Arc::new(Expression { term, hint: int.hint() as f64, depth: 0, terms: int.terms() }))
    }

    /// A function of a float. That of a number is worked out.
    ///
    /// # Errors
    /// When the expression would be too deep or too long.
    pub fn function(function: FloatFunction, of: &Self) -> Result<Self, SymError> {
        let hint = function.apply(of.hint());
        if of.as_float().is_some() {
            return Ok(hint.into());
        }
        // What was rounded stays as it is.
        if function == FloatFunction::Single && matches!(of.0.term, FloatTerm::Function(FloatFunction::Single, _)) {
            return Ok(of.clone());
        }
        Self::made(FloatTerm::Function(function, of.clone()), hint, of.0.depth, of.0.terms)
    }

    /// Two expressions as one. Numbers are worked out.
    ///
    /// # Errors
    /// When the expression would be too deep or too long.
    pub fn binary(op: FloatOp, left: &Self, right: &Self) -> Result<Self, SymError> {
        let hint = op.apply(left.hint(), right.hint());
        if left.as_float().is_some() && right.as_float().is_some() {
            return Ok(hint.into());
        }
        let (depth, terms) = (left.0.depth.max(right.0.depth), left.0.terms + right.0.terms);
        Self::made(FloatTerm::Binary(op, left.clone(), right.clone()), hint, depth, terms)
    }

    fn made(term: FloatTerm, hint: f64, inside: u8, terms: u16) -> Result<Self, SymError> {
        let depth = inside + 1;
        if depth > SymInt::MAX_DEPTH {
            return Err(SymError::TooDeep);
        }
        if terms > SymInt::MAX_TERMS {
            return Err(SymError::TooLong);
        }
        Ok(Self(Arc::new(Expression { term, hint, depth, terms })))
    }

    /// The value it had at the capture.
    #[must_use]
    pub fn hint(&self) -> f64 {
        self.0.hint
    }

    /// How it is put together.
    #[must_use]
    pub fn term(&self) -> &FloatTerm {
        &self.0.term
    }

    /// The number, if it is the same in all runs.
    #[must_use]
    pub fn as_float(&self) -> Option<f64> {
        match self.0.term {
            FloatTerm::Float(float) => Some(float),
            _ => None,
        }
    }

    /// Its value in a run.
    ///
    /// # Errors
    /// When an integer in it has no value ([`SymInt::evaluate`]).
    pub fn evaluate(&self, sizes: &Sizes) -> Result<f64, SymError> {
        let value = self.value_of(&mut |int| int.evaluate(sizes).map(Some))?;
        // An integer that is there has a value.
        Ok(value.unwrap_or(f64::NAN))
    }

    /// The value, if `of` says what the integers in it are; none if it says none of one.
    pub(crate) fn value_of<E>(&self, of: &mut impl FnMut(&SymInt) -> Result<Option<i64>, E>) -> Result<Option<f64>, E> {
        Ok(match &self.0.term {
            FloatTerm::Float(float) => Some(*float),
            FloatTerm::Int(int) => of(int)?.map(|int| int as f64),
            FloatTerm::Function(function, inside) => inside.value_of(of)?.map(|x| function.apply(x)),
            FloatTerm::Binary(op, left, right) => match (left.value_of(of)?, right.value_of(of)?) {
                (Some(left), Some(right)) => Some(op.apply(left, right)),
                _ => None,
            },
        })
    }

    /// Calls `visit` with each integer in it that follows sizes.
    pub fn for_each_int(&self, visit: &mut dyn FnMut(&SymInt)) {
        match &self.0.term {
            FloatTerm::Float(_) => {}
            FloatTerm::Int(int) => visit(int),
            FloatTerm::Function(_, inside) => inside.for_each_int(visit),
            FloatTerm::Binary(_, left, right) => {
                left.for_each_int(visit);
                right.for_each_int(visit);
            }
        }
    }

    /// The same with each integer in it replaced by what `map` gives for it; none if it gives none for one of them.
    ///
    /// None too if what is put in makes it nested deeper than [`SymInt::MAX_DEPTH`].
    pub fn map_ints(&self, map: &mut dyn FnMut(&SymInt) -> Option<SymInt>) -> Option<Self> {
        match &self.0.term {
            FloatTerm::Float(_) => Some(self.clone()),
            FloatTerm::Int(int) => map(int).map(|int| Self::of_int(&int)),
            // What was not too deep is not too deep with others in its place.
            FloatTerm::Function(function, inside) => Self::function(*function, &inside.map_ints(map)?).ok(),
            FloatTerm::Binary(op, left, right) => Self::binary(*op, &left.map_ints(map)?, &right.map_ints(map)?).ok(),
        }
    }

    fn rank(&self) -> Option<u8> {
        match &self.0.term {
            FloatTerm::Binary(op, ..) => op.rank(),
            _ => None,
        }
    }
}

impl From<f64> for SymFloat {
    fn from(float: f64) -> Self {
        Self(Arc::new(Expression { term: FloatTerm::Float(float), hint: float, depth: 0, terms: 1 }))
    }
}

impl From<SymInt> for SymFloat {
    fn from(int: SymInt) -> Self {
        Self::of_int(&int)
    }
}

impl PartialEq for SymFloat {
    fn eq(&self, other: &Self) -> bool {
        let (one, other) = (&*self.0, &*other.0);
        one.hint.to_bits() == other.hint.to_bits()
            && match (&one.term, &other.term) {
                (FloatTerm::Float(a), FloatTerm::Float(b)) => a.to_bits() == b.to_bits(),
                (FloatTerm::Int(a), FloatTerm::Int(b)) => a == b,
                (FloatTerm::Function(f, a), FloatTerm::Function(g, b)) => f == g && a == b,
                (FloatTerm::Binary(op, a, b), FloatTerm::Binary(other, c, d)) => op == other && a == c && b == d,
                _ => false,
            }
    }
}

impl Eq for SymFloat {}

impl std::hash::Hash for SymFloat {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hint.to_bits().hash(state);
        match &self.0.term {
            FloatTerm::Float(_) => {}
            FloatTerm::Int(int) => int.hash(state),
            FloatTerm::Function(function, inside) => (function, inside).hash(state),
            FloatTerm::Binary(op, left, right) => (op, left, right).hash(state),
        }
    }
}

impl fmt::Display for SymFloat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (op, left, right) = match &self.0.term {
            FloatTerm::Float(float) => return Decimal(*float).fmt(f),
            FloatTerm::Int(int) => return write!(f, "f64({int})"),
            FloatTerm::Function(function, inside) => return write!(f, "{}({inside})", function.as_str()),
            FloatTerm::Binary(op, left, right) => (*op, left, right),
        };
        write_operation(f, (op.as_str(), op.rank()), (left, left.rank()), (right, right.rank()))
    }
}

impl fmt::Debug for SymFloat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} (at {})", Decimal(self.hint()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_written_with_the_parentheses_they_need() -> Result<(), SymError> {
        let n = SymFloat::of_int(&SymInt::symbol("n", 4));
        let binary = |op, a: &SymFloat, b: &SymFloat| SymFloat::binary(op, a, b);
        let sum = binary(FloatOp::Add, &n, &0.5.into())?;
        let cases = [
            (sum.clone(), "f64(n) + 0.5"),
            (binary(FloatOp::Div, &1.0.into(), &sum)?, "1.0 / (f64(n) + 0.5)"),
            (binary(FloatOp::Mul, &sum, &sum)?, "(f64(n) + 0.5) * (f64(n) + 0.5)"),
            (binary(FloatOp::Add, &sum, &n)?, "f64(n) + 0.5 + f64(n)"),
            (binary(FloatOp::Add, &n, &sum)?, "f64(n) + (f64(n) + 0.5)"),
            (binary(FloatOp::Pow, &sum, &(-0.5).into())?, "pow(f64(n) + 0.5, -0.5)"),
            (SymFloat::function(FloatFunction::Single, &sum)?, "f32(f64(n) + 0.5)"),
        ];
        for (float, text) in cases {
            assert_eq!(float.to_string(), text);
            assert_eq!(float.evaluate(&Sizes::from_iter([("n", 4)]))?, float.hint());
        }
        Ok(())
    }
}
