//! Rules of `candle_nn`'s functions.
//!
//! Invariant: as of all rules, in [`super`].

use candle_core::DType;
use candle_core::DType::{BF16, F16, F32, F64};

use crate::ops::kind::Axis;
use crate::value::{Fact, TensorFact, Value};

use super::index::gathered;
use super::shape::{joined, narrowed, resized, unsqueezed};
use super::{
    InferError, Inferred, alike, broadcast, computed, dims, each, elements, filled, floats, index_of, is_empty,
    one_dtype, refuse, same, scalar, shaped, tensor,
};

/// Refuses other dtypes than these, those of a kernel.
fn only(x: &TensorFact, dtypes: &[DType]) -> Result<(), InferError> {
    if !dtypes.contains(&x.dtype) {
        refuse!("candle has no kernel for {x}");
    }
    Ok(())
}

/// The extent of the last dimension, which is not 0: candle panics on it.
fn last(x: &TensorFact) -> Result<usize, InferError> {
    match x.dims().last() {
        Some(&extent) if extent > 0 => Ok(extent),
        _ => refuse!("needs elements in the last dimension, but is given {x}"),
    }
}

/// Probabilities along `dim`.
pub fn normalised(xs: &TensorFact, dim: Axis, op: &'static str) -> Inferred {
    index_of(xs, dim, op)?;
    filled(xs)?;
    floats(xs)
}

/// Probabilities along the last dimension, by one kernel.
pub fn normalised_last(xs: &TensorFact) -> Inferred {
    last(xs)?;
    only(xs, &[BF16, F16, F32, F64])?;
    same(xs)
}

/// A sigmoid of each element.
pub fn sigmoid(xs: &TensorFact) -> Inferred {
    only(xs, &[BF16, F16, F32, F64])?;
    same(xs)
}

/// One half of the last dimension times the other. candle panics where there are no two halves.
pub fn gated(xs: &TensorFact) -> Inferred {
    let extent = last(xs)?;
    if extent % 2 != 0 {
        refuse!("the last dimension of {xs} has no two halves");
    }
    each(xs)?;
    resized(xs, xs.rank() - 1, extent / 2)
}

/// What candle computes in `f32` only.
pub fn single(xs: &TensorFact) -> Inferred {
    if !is_empty(xs) {
        only(xs, &[F32])?;
    }
    each(xs)
}

/// Elements dropped with a probability.
pub fn dropped(xs: &TensorFact, probability: f32) -> Inferred {
    if !(0.0..1.0).contains(&probability) {
        refuse!("a probability to drop is in [0, 1), but is given as {probability}");
    }
    each(xs)
}

/// The last dimension normalised by one kernel, with a vector of weights and perhaps one of biases.
pub fn normed(xs: &TensorFact, weights: &[&TensorFact]) -> Inferred {
    let extent = last(xs)?;
    only(xs, &[BF16, F16, F32])?;
    for weight in weights {
        one_dtype(xs, weight)?;
        if dims(weight)? != [extent] {
            refuse!("{weight} does not suit the last dimension of {xs}");
        }
    }
    same(xs)
}

/// The last dimension normalised step by step, with weights that broadcast.
pub fn normed_slowly(x: &TensorFact, weights: &[&TensorFact]) -> Inferred {
    index_of(x, Axis(-1), "norm")?;
    if !x.dtype.is_float() {
        refuse!("needs floating-point numbers, but is given {x}");
    }
    let start = tensor(each(x)?)?;
    weights.iter().try_fold(start, |x, weight| tensor(broadcast(&x, weight)?)).and_then(|x| same(&x))
}

/// Channels made into pixels, `factor` times `factor` for each. candle panics on a factor of 0.
pub fn shuffled(xs: &TensorFact, factor: usize) -> Inferred {
    let [batch, channels, h, w] = dims(xs)?;
    if factor == 0 {
        refuse!("cannot shuffle pixels by a factor of 0");
    }
    same_count(xs, &[batch, channels / factor / factor, elements(&[h, factor])?, elements(&[w, factor])?])
}

/// Pixels made into channels, the inverse of [`shuffled`].
pub fn unshuffled(xs: &TensorFact, factor: usize) -> Inferred {
    let [batch, channels, h, w] = dims(xs)?;
    if factor == 0 {
        refuse!("cannot shuffle pixels by a factor of 0");
    }
    same_count(xs, &[batch, elements(&[channels, factor, factor])?, h / factor, w / factor])
}

/// Another shape of the same number of elements.
fn same_count(x: &TensorFact, dims: &[usize]) -> Inferred {
    if elements(dims)? != elements(x.dims())? {
        refuse!("the elements of {x} do not fill {dims:?}");
    }
    shaped(x, dims)
}

/// The borders of an image repeated once on each side, or not at all.
pub fn replicated(xs: &TensorFact, pad: usize) -> Inferred {
    match pad {
        0 => same(xs),
        1 => {
            let [batch, channels, h, w] = dims(xs)?;
            let [Some(padded_h), Some(padded_w)] = [h, w].map(|extent| extent.checked_add(2)) else {
                refuse!("{xs} is too large to pad")
            };
            if h == 0 || w == 0 {
                refuse!("nothing to repeat in {xs}");
            }
            shaped(xs, (batch, channels, padded_h, padded_w))
        }
        pad => refuse!("a border of {pad} is not supported"),
    }
}

/// Attention by one kernel of Metal, which is the only device to have it; its own checks are left to it.
pub fn attended(q: &TensorFact, k: &TensorFact, v: &TensorFact, mask: Option<&TensorFact>) -> Inferred {
    let ([batch, heads, q_len, q_dim], [_, k_heads, k_len, k_dim]) = (dims(q)?, dims(k)?);
    let [_, v_heads, _, v_dim] = dims(v)?;
    only(q, &[BF16, F16, F32])?;
    for other in [Some(k), Some(v), mask].into_iter().flatten() {
        one_dtype(q, other)?;
    }
    if q_dim != k_dim || k_heads != v_heads || k_heads == 0 || heads % k_heads != 0 || (q_len == 1 && k_len == 0) {
        refuse!("heads of {q}, {k} and {v} do not suit each other");
    }
    shaped(q, (batch, heads, q_len, v_dim))
}

/// Attention by one kernel of the CPU. Where candle's kernel would read past the tensors or leave elements out, so does
/// not the rule.
pub fn attended_on_cpu([q, k, v]: [&TensorFact; 3], mask: &Fact, softcap: Option<f32>) -> Inferred {
    let ([batch, positions, heads, size], of_k @ [k_batch, k_positions, k_heads, k_size]) = (dims(q)?, dims(k)?);
    for x in [q, k, v] {
        only(x, &[F32])?;
        filled(x)?;
    }
    if of_k != dims::<4>(v)? || batch != k_batch || size != k_size || heads % k_heads != 0 {
        refuse!("heads of {q}, {k} and {v} do not suit each other");
    }
    let by_tensor = match mask {
        Fact::Data(Value::None) => false,
        Fact::Data(Value::Int(offset)) if usize::try_from(*offset).is_ok_and(|offset| offset <= k_positions) => false,
        Fact::Tensor(mask) if mask.dtype == F32 => true,
        mask => refuse!("{mask} is no mask for {k_positions} positions"),
    };
    if batch > 1 && (by_tensor || softcap.is_some()) {
        refuse!("of a batch of {batch}, there is no mask by a tensor and no softcap");
    }
    shaped(q, (batch, heads, positions, size))
}

/// The table of a rotary embedding: an angle for each position and each half of the last dimension of `xs`.
fn angles(table: &TensorFact, batch: usize, length: usize, extent: usize) -> Result<(), InferError> {
    let (positions, half) = match *table.dims() {
        [positions, half] => (positions, half),
        [tables, positions, half] if tables == batch => (positions, half),
        _ => refuse!("{table} is no table of angles for a batch of {batch}"),
    };
    if half.checked_mul(2) != Some(extent) || length > positions {
        refuse!("{table} has no angles for {length} positions of {extent} elements");
    }
    Ok(())
}

/// Positions rotated by one kernel; `length_at` is the dimension of positions. candle panics where there is nothing to
/// rotate, but for a single position.
pub fn rotated(xs: &TensorFact, tables: [&TensorFact; 2], length_at: usize) -> Inferred {
    let extents @ [batch, ..] = dims::<4>(xs)?;
    let (length, extent) = (extents[length_at], extents[3]);
    only(xs, &[BF16, F16, F32, F64])?;
    for table in tables {
        one_dtype(xs, table)?;
        angles(table, batch, length, extent)?;
    }
    let empty = extents[1..].iter().skip(usize::from(length_at == 2)).any(|&extent| extent == 0);
    if empty && (length_at == 1 || length != 1) {
        refuse!("nothing to rotate in {xs}");
    }
    same(xs)
}

/// Halves rotated step by step; `tables` broadcast to `x` once they are cut to its length.
pub fn rotated_slowly(x: &TensorFact, tables: [&TensorFact; 2]) -> Inferred {
    let [_, _, length, _] = dims(x)?;
    floats(x)?;
    let [cos, sin] = tables.map(|table| {
        let doubled = tensor(joined(&[table, table], Axis(-1))?)?;
        let cut = tensor(narrowed(&doubled, Axis(0), 0, length)?)?;
        tensor(broadcast(x, &tensor(unsqueezed(&tensor(unsqueezed(&cut, Axis(0))?)?, Axis(0))?)?)?)
    });
    alike(&cos?, &sin?)
}

/// Pairs rotated step by step.
pub fn rotated_pairs_slowly(x: &TensorFact, tables: [&TensorFact; 2]) -> Inferred {
    let [batch, heads, length, extent] = dims(x)?;
    computed(x.dtype)?;
    let result = [batch, heads, length, extent / 2 * 2];
    if elements(&result)? != elements(x.dims())? {
        refuse!("the last dimension of {x} is not of pairs");
    }
    for table in tables {
        if !result.contains(&0) {
            one_dtype(x, table)?;
        }
        let cut = tensor(narrowed(table, Axis(0), 0, length)?)?;
        same_count(&cut, &[length, extent / 2])?;
    }
    shaped(x, result.to_vec())
}

/// A logarithm chosen by each target, an index.
pub fn likelihood(inp: &TensorFact, target: &TensorFact) -> Inferred {
    let ([batch, _], [targets]) = (dims(inp)?, dims(target)?);
    if batch != targets {
        refuse!("{inp} and {target} are of different batches");
    }
    gathered(inp, &tensor(unsqueezed(target, Axis(1))?)?, Axis(1))?;
    scalar(inp)
}

/// As [`likelihood`], of logits.
pub fn entropy(inp: &TensorFact, target: &TensorFact) -> Inferred {
    dims::<2>(inp)?;
    normalised(inp, Axis(1), "log-softmax")?;
    likelihood(inp, target)
}

/// One number for the differences of two tensors of one shape.
pub fn difference(inp: &TensorFact, target: &TensorFact) -> Inferred {
    floats(&tensor(alike(inp, target)?)?)?;
    scalar(inp)
}
