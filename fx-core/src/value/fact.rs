//! What is known of a value before it exists: shape and dtype of a tensor, or the structure around several.
//!
//! Invariant: a [`Fact`] that is not [`Fact::Unknown`] is true of every value its node can have at the captured sizes.

use std::fmt;
use std::sync::Arc;

use candle_core::{DType, Shape};

use super::datum::Value;
use super::literal::dtype_name;
use super::sym_int::{Sizes, SymInt};

/// Shape and dtype of a tensor.
///
/// In a graph that follows sizes ([`Dynamic`](crate::ir::Dynamic)) the extents can be expressions; `shape` is then what
/// they were at the capture.
///
/// ```
/// use candle_core::{DType, Shape};
/// use fx_core::value::{Sizes, SymInt, TensorFact};
///
/// let rows = TensorFact::symbolic([SymInt::symbol("batch", 2), 3.into()], DType::F32).expect("no extent is negative");
/// assert_eq!((rows.to_string().as_str(), rows.dims()), ("f32[batch, 3]", &[2, 3][..]));
/// assert!(rows.fits(&Shape::from((5, 3)), DType::F32, &Sizes::from_iter([("batch", 5)])));
/// // Another extent than the size says, and another dtype.
/// assert!(!rows.fits(&Shape::from((4, 3)), DType::F32, &Sizes::from_iter([("batch", 5)])));
/// assert!(!rows.fits(&Shape::from((5, 3)), DType::F16, &Sizes::from_iter([("batch", 5)])));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorFact {
    /// Extent of each dimension at the capture, outermost first.
    pub shape: Shape,
    /// Type of an element.
    pub dtype: DType,
    // Few graphs have any, and those that do share them.
    extents: Option<Arc<Box<[SymInt]>>>,
}

impl TensorFact {
    /// A tensor of this shape and dtype.
    ///
    /// It is of this shape in every run; extents that follow sizes are given by [`TensorFact::symbolic`].
    pub fn new(shape: impl Into<Shape>, dtype: DType) -> Self {
        Self { shape: shape.into(), dtype, extents: None }
    }

    /// A tensor whose extents follow the sizes of a run; its shape is that of the capture. Extents that are all numbers
    /// are the shape alone. None if an extent was negative at the capture.
    #[must_use]
    pub fn symbolic(extents: impl Into<Box<[SymInt]>>, dtype: DType) -> Option<Self> {
        let extents = extents.into();
        let dims: Option<Vec<usize>> = extents.iter().map(|extent| usize::try_from(extent.hint()).ok()).collect();
        let is_symbolic = extents.iter().any(|extent| extent.as_int().is_none());
        Some(Self { shape: dims?.into(), dtype, extents: is_symbolic.then(|| Arc::new(extents)) })
    }

    /// The extents as expressions over sizes, if some of them are.
    ///
    /// None if all are numbers: [`TensorFact::dims`] says everything then.
    #[must_use]
    pub fn extents(&self) -> Option<&[SymInt]> {
        self.extents.as_ref().map(|extents| &***extents)
    }

    /// Whether a tensor of this shape and dtype is what is known, in a run of these sizes.
    ///
    /// An expression that has no value for these sizes fits nothing.
    #[must_use]
    pub fn fits(&self, shape: &Shape, dtype: DType, sizes: &Sizes) -> bool {
        self.dtype == dtype
            && match self.extents() {
                None => self.shape == *shape,
                Some(extents) => {
                    extents.len() == shape.rank()
                        && extents.iter().zip(shape.dims()).all(|(extent, &dim)| {
                            extent.evaluate(sizes).is_ok_and(|value| i64::try_from(dim) == Ok(value))
                        })
                }
            }
    }

    /// The same without expressions: what it was at the capture.
    #[must_use]
    pub fn at_hint(&self) -> Self {
        Self { extents: None, ..self.clone() }
    }

    /// The extents, outermost first.
    ///
    /// Of a tensor that follows sizes, those at the capture.
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
            match self.extents().and_then(|extents| extents.get(i)) {
                Some(extent) => write!(f, "{extent}")?,
                None => write!(f, "{dim}")?,
            }
        }
        f.write_str("]")
    }
}

/// Finds the expression of numbers at several sizes; it is told what they are of.
pub(crate) type FitNumber<'f, E> = dyn FnMut(&str, &[i64]) -> Result<SymInt, E> + 'f;

/// What is known of a value before it runs.
///
/// Each node has one, [`Meta::fact`](crate::ir::Meta::fact). Captures write it, [`GraphModule::infer_facts`] works it
/// out anew, [`ShapeProp`](crate::interp::ShapeProp) takes it from a run. In text it is `f32[2, 3]`, `[f32[2],
/// f32[2]]`, `(f32[2], 7)`, or `?` for nothing.
///
/// ```
/// use candle_core::DType;
/// use fx_core::value::{Fact, Sizes, Value};
///
/// let known = Fact::Tuple(vec![Fact::tensor((2, 3), DType::F32), Fact::Data(Value::Int(7)), Fact::Unknown]);
/// assert_eq!(known.to_string(), "(f32[2, 3], 7, ?)");
/// assert_eq!(known.as_tensor(), None);
/// // Nothing known is true of everything.
/// assert!(Fact::Unknown.holds_of(&Value::Bool(true), &Sizes::default()));
/// assert!(!known.holds_of(&Value::Bool(true), &Sizes::default()));
/// ```
///
/// [`GraphModule::infer_facts`]: crate::module::GraphModule::infer_facts
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
    /// An integer that follows the sizes of a run.
    SymInt(SymInt),
}

impl Fact {
    /// A tensor of this shape and dtype.
    ///
    /// Short for [`TensorFact::new`] in [`Fact::Tensor`].
    pub fn tensor(shape: impl Into<Shape>, dtype: DType) -> Self {
        Self::Tensor(TensorFact::new(shape, dtype))
    }

    /// The tensor fact, if this is one.
    ///
    /// None of a list or tuple of tensors.
    #[must_use]
    pub fn as_tensor(&self) -> Option<&TensorFact> {
        match self {
            Self::Tensor(fact) => Some(fact),
            _ => None,
        }
    }

    /// Whether nothing is known.
    ///
    /// A list of unknown parts is not unknown: how many there are is known.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// Whether it says the same as another of the sizes at the capture.
    ///
    /// An expression and a number agree if the expression was that number at the capture, so this is weaker than `==`.
    /// Something unknown agrees with something unknown only.
    #[must_use]
    pub fn agrees_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Tensor(a), Self::Tensor(b)) => a.shape == b.shape && a.dtype == b.dtype,
            (Self::List(a), Self::List(b)) | (Self::Tuple(a), Self::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.agrees_with(b))
            }
            (Self::SymInt(a), Self::SymInt(b)) => a.hint() == b.hint(),
            (Self::SymInt(a), Self::Data(b)) | (Self::Data(b), Self::SymInt(a)) => *b == Value::Int(a.hint()),
            (a, b) => a == b,
        }
    }

    /// Whether it holds of a value, in a run of these sizes.
    ///
    /// Data holds of an equal value only, and a list of no tuple. [`Fact::Unknown`] holds of every value.
    #[must_use]
    pub fn holds_of(&self, value: &Value, sizes: &Sizes) -> bool {
        match (self, value) {
            (Self::Unknown, _) => true,
            (Self::Tensor(fact), Value::Tensor(tensor)) => fact.fits(tensor.shape(), tensor.dtype(), sizes),
            (Self::List(facts), Value::List(values)) | (Self::Tuple(facts), Value::Tuple(values)) => {
                facts.len() == values.len() && facts.iter().zip(values).all(|(fact, value)| fact.holds_of(value, sizes))
            }
            (Self::Data(data), value) => data == value,
            (Self::SymInt(expression), Value::Int(int)) => expression.evaluate(sizes).is_ok_and(|value| value == *int),
            _ => false,
        }
    }

    /// The same without expressions: what it is in a run of these sizes.
    #[must_use]
    pub(crate) fn at(&self, sizes: &Sizes) -> Self {
        let each = |items: &[Self]| items.iter().map(|item| item.at(sizes)).collect();
        let extent = |extent: &SymInt| usize::try_from(extent.evaluate(sizes).ok()?).ok();
        match self {
            Self::Tensor(fact) => {
                match fact.extents().map(|extents| extents.iter().map(extent).collect::<Option<Vec<usize>>>()) {
                    None => self.clone(),
                    Some(None) => Self::Unknown,
                    Some(Some(dims)) => Self::tensor(dims, fact.dtype),
                }
            }
            Self::SymInt(expression) => {
                expression.evaluate(sizes).map_or(Self::Unknown, |int| Self::Data(Value::Int(int)))
            }
            Self::List(items) => Self::List(each(items)),
            Self::Tuple(items) => Self::Tuple(each(items)),
            Self::Unknown | Self::Data(_) => self.clone(),
        }
    }

    /// The fact of all sizes, if these are known at several of them: `number` finds what the numbers at a place follow, and
    /// `differ` says what it means that two are of different kinds.
    pub(crate) fn of_all<E>(
        rows: &[&Self],
        number: &mut FitNumber<'_, E>,
        differ: &dyn Fn(&[&Self]) -> E,
    ) -> Result<Self, E> {
        let Some(first) = rows.first() else { return Ok(Self::Unknown) };
        if rows.iter().all(|fact| fact == first) {
            return Ok((*first).clone());
        }
        match first {
            Self::Tensor(first) => {
                let facts: Option<Vec<&TensorFact>> = rows.iter().map(|fact| fact.as_tensor()).collect();
                let facts = facts.ok_or_else(|| differ(rows))?;
                if facts.iter().any(|fact| fact.rank() != first.rank() || fact.dtype != first.dtype) {
                    return Err(differ(rows));
                }
                let extents: Vec<SymInt> = (0..first.rank())
                    .map(|axis| {
                        let row: Vec<i64> =
                            facts.iter().map(|fact| i64::try_from(fact.dims()[axis]).unwrap_or(i64::MAX)).collect();
                        number(&format!("dimension {axis} of the value"), &row)
                    })
                    .collect::<Result<_, _>>()?;
                TensorFact::symbolic(extents, first.dtype).map(Self::Tensor).ok_or_else(|| differ(rows))
            }
            Self::Data(Value::Int(_)) => {
                let int = |fact: &&Self| match fact {
                    Self::Data(Value::Int(int)) => Some(*int),
                    _ => None,
                };
                let row: Option<Vec<i64>> = rows.iter().map(int).collect();
                let expression = number("the value", &row.ok_or_else(|| differ(rows))?)?;
                Ok(match expression.as_int() {
                    Some(int) => Self::Data(Value::Int(int)),
                    None => Self::SymInt(expression),
                })
            }
            Self::List(items) | Self::Tuple(items) => {
                let parts = |fact: &Self| match fact {
                    Self::List(items) | Self::Tuple(items) => items.clone(),
                    _ => Vec::new(),
                };
                let all: Vec<Vec<Self>> = rows.iter().map(|fact| parts(fact)).collect();
                if all.iter().any(|parts| parts.len() != items.len()) {
                    return Err(differ(rows));
                }
                let parts = (0..items.len())
                    .map(|i| Self::of_all(&all.iter().map(|parts| &parts[i]).collect::<Vec<_>>(), number, differ));
                let parts = parts.collect::<Result<_, E>>()?;
                Ok(if matches!(first, Self::List(_)) { Self::List(parts) } else { Self::Tuple(parts) })
            }
            // Nothing that differs is known of all sizes.
            Self::Unknown | Self::Data(_) | Self::SymInt(_) => Ok(Self::Unknown),
        }
    }

    /// Whether something in it follows the sizes of a run.
    #[must_use]
    pub fn is_symbolic(&self) -> bool {
        match self {
            Self::Tensor(fact) => fact.extents().is_some(),
            Self::List(items) | Self::Tuple(items) => items.iter().any(Self::is_symbolic),
            Self::SymInt(_) => true,
            Self::Unknown | Self::Data(_) => false,
        }
    }

    /// Whether it is nested more than `limit` deep.
    pub(crate) fn is_deeper_than(&self, limit: usize) -> bool {
        match self {
            Self::List(items) | Self::Tuple(items) => {
                limit == 0 || items.iter().any(|item| item.is_deeper_than(limit - 1))
            }
            Self::Data(value) => value.is_deeper_than(limit),
            Self::Unknown | Self::Tensor(_) | Self::SymInt(_) => false,
        }
    }

    /// Whether the shapes in it are what their extents were at the capture.
    pub(crate) fn has_shapes_of_extents(&self) -> bool {
        match self {
            Self::Tensor(fact) => fact.extents().is_none_or(|extents| {
                extents.len() == fact.rank()
                    && extents.iter().zip(fact.dims()).all(|(extent, &dim)| i64::try_from(dim) == Ok(extent.hint()))
            }),
            Self::List(items) | Self::Tuple(items) => items.iter().all(Self::has_shapes_of_extents),
            Self::Unknown | Self::Data(_) | Self::SymInt(_) => true,
        }
    }

    /// Calls `visit` with each expression in it.
    pub fn for_each_expression(&self, visit: &mut dyn FnMut(&SymInt)) {
        match self {
            Self::Tensor(fact) => fact.extents().unwrap_or_default().iter().for_each(visit),
            Self::List(items) | Self::Tuple(items) => items.iter().for_each(|item| item.for_each_expression(visit)),
            Self::SymInt(expression) => visit(expression),
            Self::Unknown | Self::Data(_) => {}
        }
    }

    /// The fact that holds of a value that exists.
    ///
    /// Tensors are described, lists and tuples part by part, everything else is known exactly ([`Fact::Data`]): a
    /// structure as a whole too, with the tensors in it.
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
            Self::SymInt(expression) => expression.fmt(f),
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
