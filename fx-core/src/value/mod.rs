//! What flows along the edges of a graph: [`Value`] when it runs, [`Fact`] before it runs.
//!
//! Values and facts are the two sides of one thing. A [`Value`] exists while a graph runs: a tensor, a number, or a
//! structure of both. A [`Fact`] is what can be said of it before: a tensor's shape and dtype, plain data exactly, or
//! nothing. The rules of operations compute facts from facts as candle computes values from values.
//!
//! | to | use |
//! |---|---|
//! | give a graph something, read what it returned | [`Value`] and its `From`s; [`FromValue`](crate::ops::FromValue) |
//! | say or read the shape and dtype of a node | [`Fact::tensor`], [`Fact::as_tensor`], [`TensorFact`] |
//! | write a number that follows the sizes of a run | [`SymInt`], [`SymFloat`], one of both [`SymNumber`] |
//! | say what the sizes of a run are | [`Sizes`] |
//! | find which expression numbers of several captures follow | [`Fitter`] |
//! | write dtypes and floats as graphs do, and read them | [`dtype_name`], [`dtype_from_name`], [`Decimal`] |
//!
//! Shapes are extents in elements, the outermost dimension first, as candle has them. Axes are counted from 0, or from
//! the end where they are negative. Sizes in bytes are named so.
//!
//! Invariant: this module knows tensors and plain data only; it has never heard of nodes, graphs or ops.

mod literal;
mod sym_int;
mod sym_float;
mod sym_number;
mod polynomial;
mod fit;
mod fact;
mod datum;

pub use datum::{Device, Value};
pub use fact::{Fact, TensorFact};
pub use fit::{Fit, Fitter, FloatFit, SizeClass};
pub use literal::{Decimal, dtype_from_name, dtype_name};
pub use sym_float::{FloatFunction, FloatOp, FloatTerm, SymFloat};
pub use sym_int::{Relation, Sizes, SymError, SymInt, SymOp, Term};
pub use sym_number::{Number, SymNumber};
