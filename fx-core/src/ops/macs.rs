//! How many numbers an operation multiplies and adds up.
//!
//! Invariant: a count follows from shapes alone, and stays at the greatest number where it would be greater.

use crate::value::TensorFact;

/// So many for each element.
pub fn of_each(tensor: &TensorFact, count: usize) -> u64 {
    product([tensor.shape.elem_count(), count])
}

/// How many elements of a convolution's kernel meet one element: of the result, or of the input if it is transposed.
pub fn of_window(kernel: &[usize]) -> usize {
    kernel.iter().skip(1).product()
}

/// Those of attention: queries by keys, and what comes of it by values.
pub(super) fn attention(query: &TensorFact, key: &TensorFact, out: &TensorFact) -> u64 {
    let keys = key.rank().checked_sub(2).map_or(0, |at| key.dims()[at]);
    of_each(query, keys).saturating_add(of_each(out, keys))
}

/// The product of these counts.
pub fn product<const N: usize>(counts: [usize; N]) -> u64 {
    counts.into_iter().fold(1, |all: u64, count| all.saturating_mul(u64::try_from(count).unwrap_or(u64::MAX)))
}
