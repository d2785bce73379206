//! What an operation's parameters take: the kinds, and the Rust types that candle expressions see for those that candle
//! is generic over.
//!
//! Invariant: candle's own methods accept each of these types wherever they accept the user's argument.

use candle_core::scalar::{TensorOrScalar, TensorScalar};
use candle_core::shape::{Dim, Dims, ShapeWithOneHole};
use candle_core::{D, Result, Shape, Tensor, TensorIndexer, ToUsize2};

use crate::value::Value;

/// What a parameter takes.
///
/// It says what an argument may be and, for candle's own operations, the Rust type that the expression of the call
/// sees. Whether a parameter is given by position follows from it ([`Param::of`](super::def::Param::of)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `&Tensor`.
    Tensor,
    /// `Option<&Tensor>`.
    OptTensor,
    /// `&[Tensor]`.
    Tensors,
    /// A tensor or a number, by position: a side of `x + 1.0`.
    Operand,
    /// A tensor or a number, by name: `impl TensorOrScalar`.
    Scalar,
    /// Anything of several parts: what `getitem` takes one of.
    List,
    /// `impl Dim`; negative counts from the end.
    Axis,
    /// `impl Dims`.
    Axes,
    /// `impl Into<Shape>`.
    Shape,
    /// `impl ShapeWithOneHole`; the hole is -1.
    HoledShape,
    /// What `x.i(…)` takes.
    Index,
    /// Half-open ranges, one per dimension: `&[0..2, 1..3]`.
    Ranges,
    /// `usize`.
    Size,
    /// `impl ToUsize2`.
    Pair,
    /// `&[usize]`.
    Sizes,
    /// A signed integer.
    Int,
    /// `f64`.
    Float,
    /// `f32`.
    Single,
    /// `Option<f32>`.
    OptSingle,
    /// `AttnMask`: none, how many positions came before the first, or a tensor.
    Mask,
    /// A number whose Rust type is the tensor's: `impl WithDType`.
    Number,
    /// `bool`.
    Flag,
    /// `DType`.
    DType,
    /// The dtype that is the Rust type of the call's numbers: not an argument in Rust.
    NumberType,
    /// `&Device`.
    Device,
    /// Whatever a user's function takes.
    Any,
}

/// A dimension as the user named it: from the front, or negative from the end.
///
/// -1 is the last. Graphs keep it as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis(pub i64);

impl Axis {
    /// As candle's axis; one out of any range stays so, without candle's message overflowing.
    fn as_d(self) -> D {
        D::Minus(usize::try_from(self.0.unsigned_abs()).unwrap_or(usize::MAX).min(i32::MAX as usize))
    }
}

impl Dim for Axis {
    fn to_index(&self, shape: &Shape, op: &'static str) -> Result<usize> {
        match usize::try_from(self.0) {
            Ok(index) => index.to_index(shape, op),
            Err(_) => self.as_d().to_index(shape, op),
        }
    }

    fn to_index_plus_one(&self, shape: &Shape, op: &'static str) -> Result<usize> {
        match usize::try_from(self.0) {
            Ok(index) => index.to_index_plus_one(shape, op),
            Err(_) => self.as_d().to_index_plus_one(shape, op),
        }
    }
}

/// Several dimensions.
///
/// One number in a graph is one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axes(pub Vec<Axis>);

impl Dims for Axes {
    fn to_indexes_internal(self, shape: &Shape, op: &'static str) -> Result<Vec<usize>> {
        self.0.iter().map(|axis| axis.to_index(shape, op)).collect()
    }
}

/// A shape with at most one hole, -1, that takes what is left of the elements.
///
/// Extents in elements, the outermost dimension first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoledShape(pub Vec<i64>);

impl ShapeWithOneHole for HoledShape {
    fn into_shape(self, el_count: usize) -> Result<Shape> {
        let mut given = self.0.iter().filter_map(|&dim| usize::try_from(dim).ok());
        let known = given.try_fold(1usize, |known, dim| known.checked_mul(dim));
        let holes = self.0.iter().filter(|&&dim| dim < 0).count();
        let hole = match (holes, known) {
            (0, Some(known)) if known == el_count => 0,
            (1, Some(known)) if known > 0 && el_count.is_multiple_of(known) => el_count / known,
            _ => candle_core::bail!("cannot reshape tensor of {el_count} elements to {:?}", self.0),
        };
        Ok(self.0.iter().map(|&dim| usize::try_from(dim).unwrap_or(hole)).collect::<Vec<_>>().into())
    }
}

/// Two sizes: height and width.
///
/// One number in a graph is both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair(pub usize, pub usize);

impl ToUsize2 for Pair {
    fn to_usize2(self) -> (usize, usize) {
        (self.0, self.1)
    }
}

/// A tensor or a number.
///
/// Either side of an operator can be one, if the other is a tensor.
#[derive(Debug, Clone, Copy)]
pub enum Operand<'v> {
    /// A tensor.
    Tensor(&'v Tensor),
    /// A floating-point number.
    Float(f64),
    /// An integer.
    Int(i64),
}

impl TensorOrScalar for Operand<'_> {
    fn to_tensor_scalar(self) -> Result<TensorScalar> {
        match self {
            Self::Tensor(tensor) => tensor.to_tensor_scalar(),
            Self::Float(float) => float.to_tensor_scalar(),
            Self::Int(int) => int.to_tensor_scalar(),
        }
    }
}

macro_rules! operator {
    ($($trait:ident $method:ident $operator:tt)*) => {$(
        impl std::ops::$trait for Operand<'_> {
            type Output = Result<Tensor>;
            fn $method(self, rhs: Self) -> Result<Tensor> {
                match (self, rhs) {
                    (Operand::Tensor(lhs), Operand::Tensor(rhs)) => lhs $operator rhs,
                    (Operand::Tensor(lhs), Operand::Float(rhs)) => lhs $operator rhs,
                    (Operand::Tensor(lhs), Operand::Int(rhs)) => lhs $operator (rhs as f64),
                    (Operand::Float(lhs), Operand::Tensor(rhs)) => lhs $operator rhs,
                    (Operand::Int(lhs), Operand::Tensor(rhs)) => (lhs as f64) $operator rhs,
                    _ => candle_core::bail!("an operator needs a tensor on one side"),
                }
            }
        }
    )*};
}
operator! { Add add + Sub sub - Mul mul * Div div / }

/// The parts of a value of several, what `items` is in `items[index].clone()`.
///
/// Invariant: indexing does not panic; a part that is not there is an error once it is used.
#[derive(Debug)]
pub struct Items<'v> {
    parts: Vec<Part<'v>>,
    absent: Part<'v>,
}

/// One of several parts, or the lack of it.
///
/// What is not there is an error once it is used.
#[derive(Debug, Clone, Copy)]
pub struct Part<'v>(pub(super) Option<&'v Value>);

impl<'v> Items<'v> {
    /// These parts.
    pub(super) fn new(parts: &'v [Value]) -> Self {
        Self { parts: parts.iter().map(|part| Part(Some(part))).collect(), absent: Part(None) }
    }
}

impl<'v> std::ops::Index<usize> for Items<'v> {
    type Output = Part<'v>;
    fn index(&self, index: usize) -> &Part<'v> {
        self.parts.get(index).unwrap_or(&self.absent)
    }
}

/// What `x.i(…)` was given: one item per leading dimension.
///
/// At most seven, as in candle.
#[derive(Debug, Clone)]
pub struct Index<'v>(pub Vec<IndexItem<'v>>);

/// How one dimension is indexed.
///
/// A number, a range or a tensor of indices in a graph.
#[derive(Debug, Clone, Copy)]
pub enum IndexItem<'v> {
    /// One element; the dimension goes away.
    At(usize),
    /// A range of elements.
    Range(usize, Option<usize>),
    /// The elements whose numbers a one-dimensional tensor holds.
    Tensor(&'v Tensor),
}

impl From<IndexItem<'_>> for TensorIndexer {
    fn from(item: IndexItem<'_>) -> Self {
        match item {
            IndexItem::At(index) => Self::from(index),
            IndexItem::Range(start, Some(stop)) => Self::from(start..stop),
            IndexItem::Range(start, None) => Self::from(start..),
            IndexItem::Tensor(tensor) => Self::from(tensor),
        }
    }
}

/// candle's `IndexOp` for an index of any length.
pub(crate) trait IndexWith {
    fn i(&self, index: Index<'_>) -> Result<Tensor>;
}

impl IndexWith for Tensor {
    fn i(&self, index: Index<'_>) -> Result<Tensor> {
        use candle_core::IndexOp;
        match *index.0.as_slice() {
            [a] => IndexOp::i(self, a),
            [a, b] => IndexOp::i(self, (a, b)),
            [a, b, c] => IndexOp::i(self, (a, b, c)),
            [a, b, c, d] => IndexOp::i(self, (a, b, c, d)),
            [a, b, c, d, e] => IndexOp::i(self, (a, b, c, d, e)),
            [a, b, c, d, e, f] => IndexOp::i(self, (a, b, c, d, e, f)),
            [a, b, c, d, e, f, g] => IndexOp::i(self, (a, b, c, d, e, f, g)),
            ref other => candle_core::bail!("cannot index by {} items", other.len()),
        }
    }
}
