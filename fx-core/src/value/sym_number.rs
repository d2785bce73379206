//! [`SymNumber`]: a number of either kind that follows the sizes of a run; and [`Number`], what it is in one run.
//!
//! Invariant: numbers of different kinds do not compare, as in Rust.

use std::fmt;
use std::sync::Arc;

use super::literal::Decimal;
use super::sym_float::SymFloat;
use super::sym_int::{Sizes, SymError, SymInt};

/// A number as an expression over sizes: what models compare with another.
///
/// Both sides of a [`Guard`](crate::ir::Guard) are one. `From` makes it of a [`SymInt`], an `i64` or a [`SymFloat`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SymNumber {
    /// An integer.
    Int(SymInt),
    /// A float.
    Float(SymFloat),
}

/// A number: what an expression is in one run. Numbers of different kinds do not compare.
///
/// ```
/// use fx_core::value::Number;
///
/// assert!(Number::Int(2) < Number::Int(3));
/// assert!(Number::Int(2) != Number::Float(2.0));
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Number {
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(std::cmp::Ordering::Equal)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a.partial_cmp(b),
            (Self::Float(a), Self::Float(b)) => a.partial_cmp(b),
            _ => None,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(int) => int.fmt(f),
            Self::Float(float) => Decimal(*float).fmt(f),
        }
    }
}

impl SymNumber {
    /// The value it had at the capture.
    #[must_use]
    pub fn hint(&self) -> Number {
        match self {
            Self::Int(int) => Number::Int(int.hint()),
            Self::Float(float) => Number::Float(float.hint()),
        }
    }

    /// Whether it is the same in all runs.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        match self {
            Self::Int(int) => int.as_int().is_some(),
            Self::Float(float) => float.as_float().is_some(),
        }
    }

    /// The integer, if it is one and the same in all runs.
    #[must_use]
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(int) => int.as_int(),
            Self::Float(_) => None,
        }
    }

    /// The name, if it is a size as such.
    ///
    /// None of any other expression, and of floats.
    #[must_use]
    pub fn as_symbol(&self) -> Option<&Arc<str>> {
        match self {
            Self::Int(int) => int.as_symbol(),
            Self::Float(_) => None,
        }
    }

    /// Its value in a run.
    ///
    /// # Errors
    /// When an integer in it has no value ([`SymInt::evaluate`]).
    pub fn evaluate(&self, sizes: &Sizes) -> Result<Number, SymError> {
        Ok(match self {
            Self::Int(int) => Number::Int(int.evaluate(sizes)?),
            Self::Float(float) => Number::Float(float.evaluate(sizes)?),
        })
    }

    /// Calls `visit` with each integer in it that follows sizes, or with itself.
    pub fn for_each_int(&self, visit: &mut dyn FnMut(&SymInt)) {
        match self {
            Self::Int(int) => visit(int),
            Self::Float(float) => float.for_each_int(visit),
        }
    }

    /// The same with each integer in it replaced by what `map` gives for it; none if it gives none for one of them.
    pub fn map_ints(&self, map: &mut dyn FnMut(&SymInt) -> Option<SymInt>) -> Option<Self> {
        Some(match self {
            Self::Int(int) => Self::Int(map(int)?),
            Self::Float(float) => Self::Float(float.map_ints(map)?),
        })
    }
}

impl From<SymInt> for SymNumber {
    fn from(int: SymInt) -> Self {
        Self::Int(int)
    }
}

impl From<i64> for SymNumber {
    fn from(int: i64) -> Self {
        Self::Int(int.into())
    }
}

impl From<SymFloat> for SymNumber {
    fn from(float: SymFloat) -> Self {
        Self::Float(float)
    }
}

impl fmt::Display for SymNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(int) => int.fmt(f),
            Self::Float(float) => float.fmt(f),
        }
    }
}
