//! What flows along the edges of a graph: [`Value`] when it runs, [`Fact`] before it runs.
//!
//! Invariant: this module knows tensors and plain data only; it has never heard of nodes, graphs or ops.

mod sym_int;
mod polynomial;
mod fit;
mod fact;
mod literal;
mod datum;

pub use datum::{Device, Value};
pub use fact::{Fact, TensorFact};
pub use fit::{Fit, Fitter, SizeClass};
pub use literal::{Decimal, dtype_from_name, dtype_name};
pub use sym_int::{Relation, Sizes, SymError, SymInt, SymOp, Term};
