//! What is known of one module, layer or operation, and of all of them.
//!
//! Invariant: a number belongs to one row; the sum of all rows is the total.

use crate::ir::ModulePath;
use crate::value::{Fact, Value};

/// What a row is.
///
/// Modules, layers and child graphs have a path; operations have the path of the module that calls them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowKind {
    /// A module whose `forward` was entered, the model itself included.
    Module,
    /// A layer that is called whole.
    Layer,
    /// A child graph.
    Graph,
    /// An operation that multiplies and adds up, or of which that is not known.
    Operation,
}

/// A module, layer or operation that is called, and what it costs by itself: without the rows below it.
///
/// Numbers are counts of elements, not bytes; [`Totals`] has bytes.
#[derive(Debug, Clone)]
pub struct SummaryRow {
    /// What it is.
    pub kind: RowKind,
    /// How many modules it is in; 0 is the model.
    pub depth: usize,
    /// Where it is in the model; of an operation, where the module is that calls it.
    pub path: ModulePath,
    /// The path from the module it is in: `layers.0`; of an operation, the name of its node.
    pub name: String,
    /// Name of its type: `nn.Conv2d`, `matmul`.
    pub type_name: String,
    /// How often it was called before, in rows further up.
    pub call: u32,
    /// What is known of its result; of a module that was entered, of the last node in it.
    pub output: Fact,
    /// How many numbers its parameters hold that no row further up has; none if a layer does not tell.
    pub parameters: Option<u64>,
    /// How many of those can be trained.
    pub trainable: u64,
    /// Whether it has parameters that a row further up counts.
    pub shares: bool,
    /// How many numbers its buffers hold that no row further up has.
    pub buffers: u64,
    /// Multiply-accumulates; none if they are not known.
    pub macs: Option<u64>,
    /// Where the rows below it end.
    pub end: usize,
}

/// What all rows come to.
///
/// What could not be counted is counted apart: `unknown_macs`, `untold` and `unknown_shapes` are 0 if the other numbers
/// are complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Totals {
    /// How many numbers the parameters hold.
    pub parameters: u64,
    /// How many of those can be trained.
    pub trainable: u64,
    /// How many numbers the buffers hold.
    pub buffers: u64,
    /// Multiply-accumulates of all calls of which they are known.
    pub macs: u64,
    /// Calls of which they are not known.
    pub unknown_macs: usize,
    /// Layers that do not tell what they are made of, so that their parameters are not counted.
    pub untold: usize,
    /// Calls whose results are of unknown shape, so that their memory is not counted.
    pub unknown_shapes: usize,
    /// Bytes of the inputs.
    pub input_bytes: u64,
    /// Bytes of the results of all calls.
    pub activation_bytes: u64,
    /// Bytes of the parameters.
    pub parameter_bytes: u64,
    /// Bytes of the buffers.
    pub buffer_bytes: u64,
}

/// Bytes of a value; none if a shape in it is not known.
pub(super) fn bytes(fact: &Fact) -> Option<u64> {
    let (mut sum, mut pending) = (0u64, vec![fact]);
    while let Some(fact) = pending.pop() {
        match fact {
            Fact::Unknown => return None,
            Fact::Tensor(tensor) => {
                let bytes = tensor.shape.elem_count().saturating_mul(tensor.dtype.size_in_bytes());
                sum = sum.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
            }
            Fact::List(items) | Fact::Tuple(items) => pending.extend(items),
            Fact::Data(Value::Tensor(tensor)) => {
                let bytes = tensor.elem_count() * tensor.dtype().size_in_bytes();
                sum = sum.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
            }
            Fact::Data(_) | Fact::SymInt(_) => {}
        }
    }
    Some(sum)
}
