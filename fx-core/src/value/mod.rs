//! What flows along the edges of a graph: [`Value`] when it runs, [`Fact`] before it runs.
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
