//! What is known of a value before it exists: shape and dtype of a tensor, or the structure around several.
//!
//! Invariant: a [`Fact`] that is not [`Fact::Unknown`] is true of every value its node can have at the captured sizes.

use std::fmt;

use candle_core::{DType, Shape};

use super::datum::Value;
use super::literal::dtype_name;

/// Shape and dtype of a tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorFact {
    /// Extent of each dimension, outermost first.
    pub shape: Shape,
    /// Type of an element.
    pub dtype: DType,
}

impl TensorFact {
    /// A tensor of this shape and dtype.
    pub fn new(shape: impl Into<Shape>, dtype: DType) -> Self {
        Self { shape: shape.into(), dtype }
    }

    /// The extents, outermost first.
    #[must_use]
    pub fn dims(&self) -> &[usize] {
        self.shape.dims()
    }

    /// Number of dimensions.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }
}

impl fmt::Display for TensorFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(dtype_name(self.dtype))?;
        f.write_str("[")?;
        for (i, dim) in self.dims().iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{dim}")?;
        }
        f.write_str("]")
    }
}

/// What is known of a value before it runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Fact {
    /// Nothing: the value depends on an input whose shape was not given.
    #[default]
    Unknown,
    /// A tensor of known shape and dtype.
    Tensor(TensorFact),
    /// Several values in order, a `Vec`: what `chunk` returns.
    List(Vec<Fact>),
    /// Several values in order, a tuple.
    Tuple(Vec<Fact>),
    /// Plain data, known exactly.
    Data(Value),
}

impl Fact {
    /// A tensor of this shape and dtype.
    pub fn tensor(shape: impl Into<Shape>, dtype: DType) -> Self {
        Self::Tensor(TensorFact::new(shape, dtype))
    }

    /// The tensor fact, if this is one.
    #[must_use]
    pub fn as_tensor(&self) -> Option<&TensorFact> {
        match self {
            Self::Tensor(fact) => Some(fact),
            _ => None,
        }
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// The fact that holds of a value that exists.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Tensor(tensor) => Self::tensor(tensor.shape(), tensor.dtype()),
            Value::List(items) => Self::List(items.iter().map(Self::of).collect()),
            Value::Tuple(items) => Self::Tuple(items.iter().map(Self::of).collect()),
            other => Self::Data(other.clone()),
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("?"),
            Self::Tensor(fact) => fact.fmt(f),
            Self::Data(value) => value.fmt(f),
            Self::List(items) | Self::Tuple(items) => {
                let (open, close) = if matches!(self, Self::List(_)) { ("[", "]") } else { ("(", ")") };
                f.write_str(open)?;
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    item.fmt(f)?;
                }
                f.write_str(close)
            }
        }
    }
}
