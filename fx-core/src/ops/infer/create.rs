//! Rules of operations that make tensors from numbers.
//!
//! Invariant: counting to a limit agrees with candle, which adds the step again and again in the dtype of the tensor.

use candle_core::DType::{BF16, F8E4M3, F16, F32, F64, I16, I32, I64, U8, U32};
use candle_core::{DType, Shape, WithDType};
use half::{bf16, f16};

use crate::value::Fact;

use super::{InferError, Inferred, computed, elements, refuse};

/// A tensor of this shape and dtype.
pub fn created(shape: impl Into<Shape>, dtype: DType) -> Inferred {
    computed(dtype)?;
    let shape = shape.into();
    elements(shape.dims())?;
    Ok(Fact::tensor(shape, dtype))
}

/// A tensor of a number whose Rust type is that of `dtype`, which `f8e4m3` has none for.
pub fn typed(shape: impl Into<Shape>, dtype: DType) -> Inferred {
    if dtype == F8E4M3 {
        refuse!("there is no Rust type for {}", dtype.as_str());
    }
    created(shape, dtype)
}

/// A square matrix, whose places candle counts in `u32`.
pub fn square(n: usize, dtype: DType) -> Inferred {
    if u32::try_from(n).is_err() {
        refuse!("a matrix of {n} rows is too large");
    }
    created((n, n), dtype)
}

/// More numbers than this are not counted one by one.
const MOST_COUNTED: f64 = 16_777_216.0;

/// The numbers from `start` on, `step` apart, before `end`.
pub fn counted(start: f64, end: f64, step: f64, dtype: DType) -> Inferred {
    let count = match dtype {
        U8 => integers::<u8>(start, end, step, u8::MIN.into(), u8::MAX.into()),
        U32 => integers::<u32>(start, end, step, u32::MIN.into(), u32::MAX.into()),
        I16 => integers::<i16>(start, end, step, i16::MIN.into(), i16::MAX.into()),
        I32 => integers::<i32>(start, end, step, i32::MIN.into(), i32::MAX.into()),
        I64 => integers::<i64>(start, end, step, i64::MIN.into(), i64::MAX.into()),
        F16 => numbers::<f16>(start, end, step, 11),
        BF16 => numbers::<bf16>(start, end, step, 8),
        F32 => numbers::<f32>(start, end, step, 24),
        F64 => numbers::<f64>(start, end, step, 53),
        other => refuse!("cannot count in {}", other.as_str()),
    };
    match count {
        Some(Count::Of(count)) => created(count, dtype),
        Some(Count::TooMany) => Ok(Fact::Unknown),
        None => refuse!("cannot count from {start} to {end} by {step} in {}", dtype.as_str()),
    }
}

/// How many numbers there are.
enum Count {
    /// So many.
    Of(usize),
    /// More than are counted one by one.
    TooMany,
}

/// How many integers; `None` if the one after the last is not in the dtype, at which candle panics.
fn integers<T: WithDType + Into<i128>>(start: f64, end: f64, step: f64, least: i128, most: i128) -> Option<Count> {
    let [start, end, step]: [i128; 3] = [start, end, step].map(|number| T::from_f64(number).into());
    let distance = if step > 0 { end - start } else { start - end }.max(0);
    let count = (distance + step.abs() - 1).checked_div(step.abs())?;
    let after = start + count * step;
    (least..=most).contains(&after).then(|| usize::try_from(count).ok().map(Count::Of))?
}

/// How many floats; `None` if adding the step comes to a halt before the end, where candle never returns.
fn numbers<T: WithDType>(start: f64, end: f64, step: f64, digits: u32) -> Option<Count> {
    let [start, end, step] = [start, end, step].map(T::from_f64);
    let exact = |number: T| number.to_f64().fract() == 0.0 && number.to_f64().abs() < 2f64.powi(digits as i32);
    if step == T::zero() {
        return None;
    }
    if exact(start) && exact(end) && exact(step) {
        let (start, end, step) = (start.to_f64(), end.to_f64(), step.to_f64());
        // The sums stay exact up to one step beyond the end.
        return Some(Count::Of(((end - start) / step).max(0.0).ceil() as usize));
    }
    // candle counts that far once; a rule is asked at every check of the graph.
    if (end.to_f64() - start.to_f64()) / step.to_f64() > MOST_COUNTED {
        return Some(Count::TooMany);
    }
    let (mut current, mut count) = (start, 0);
    while if step >= T::zero() { current < end } else { current > end } {
        let next = current + step;
        if next == current {
            return None;
        }
        (current, count) = (next, count + 1);
    }
    Some(Count::Of(count))
}

/// Random numbers between two limits.
pub fn uniform(shape: impl Into<Shape>, lo: f64, up: f64, dtype: DType) -> Inferred {
    let [lo, up] = [rounded(lo, dtype)?, rounded(up, dtype)?];
    let largest = if dtype == F64 { f64::MAX } else { f32::MAX.into() };
    if !(lo.is_finite() && up.is_finite() && lo < up && up - lo <= largest) {
        refuse!("there are no random numbers between {lo} and {up}");
    }
    created(shape, dtype)
}

/// Random numbers around a mean.
pub fn normal(shape: impl Into<Shape>, deviation: f64, dtype: DType) -> Inferred {
    if !rounded(deviation, dtype)?.is_finite() {
        refuse!("random numbers cannot deviate by {deviation}");
    }
    created(shape, dtype)
}

/// `number` as `dtype` has it, of those that candle makes random numbers of.
fn rounded(number: f64, dtype: DType) -> Result<f64, InferError> {
    Ok(match dtype {
        F16 => f16::from_f64(number).to_f64(),
        BF16 => bf16::from_f64(number).to_f64(),
        F32 => f64::from(number as f32),
        F64 | F8E4M3 => number,
        other => refuse!("there are no random numbers in {}", other.as_str()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counting one by one would be noticed here: it would not end.
    #[test]
    fn what_takes_too_long_to_count_is_not_known() {
        let count = |end, step, dtype| counted(0.0, end, step, dtype).expect("not refused");
        assert!(count(1e12, 0.1, F64).is_unknown());
        assert!(count(1e17, 1.0, F64).is_unknown());
        assert_eq!(count(1e9, 1.0, F64), Fact::tensor(1_000_000_000, F64));
        assert_eq!(count(1.0, 0.1, F64), Fact::tensor(11, F64));
        assert!(counted(0.0, 3e7, 1e-9, F32).is_ok_and(|fact| fact.is_unknown()));
    }
}
