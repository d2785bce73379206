//! The state of a group normalisation, which candle keeps to itself: its numbers are read from its debug text, its bias
//! is what it makes of zeros, and its weight is what its gradient says.
//!
//! The gradient of `y` with respect to `x̂` is the weight, and nothing else comes in if `x` is chosen well. The input has
//! 64 elements in each channel: sixteen of ±t, which make the variance what is wanted, and zeros. The loss
//! is the first element less the second, both zero: what flows through mean and variance cancels exactly (checked on a
//! third element), and what is left is `weight / σ` for a σ that is known. Dividing by σ is undone by looking for the one
//! number that gives this quotient.
//!
//! Invariant: what is told is exact to the bit, but for the sign of a zero; or nothing is told.

use std::sync::Arc;

use candle_core::{DType, Device, Module, Result, Tensor, Var};
use candle_nn::GroupNorm;

use super::debug::{debug_dtype, debug_field};
use crate::module::{LayerKind, LayerModule, LayerState};
use crate::ops::infer::{Inferred, floats, refuse};
use crate::value::{TensorFact, Value};

/// How it is made again.
pub(super) const KIND: LayerKind = LayerKind {
    name: "GroupNorm",
    options: &["num_channels", "num_groups", "eps"],
    tensors: &["weight", "bias"],
    make,
};

/// Elements of a channel, a multiple of the numbers that are summed side by side.
const WIDTH: usize = 64;
/// Those of them that are not zero.
const LOUD: usize = WIDTH / 4;

fn make(state: &LayerState) -> Result<Arc<dyn LayerModule>> {
    let (channels, groups) = (state.option::<usize>("num_channels")?, state.option::<usize>("num_groups")?);
    let (weight, bias): (Tensor, Tensor) = (state.tensor("weight")?, state.tensor("bias")?);
    if groups == 0 {
        candle_core::bail!("there are no groups");
    }
    if weight.elem_count() != channels || bias.elem_count() != channels {
        candle_core::bail!("weight and bias should have {channels} elements");
    }
    Ok(Arc::new(GroupNorm::new(weight, bias, channels, groups, state.option("eps")?)?))
}

/// Its source.
pub(super) fn written(layer: &GroupNorm) -> Result<Option<String>> {
    let Some(state) = state(layer) else { return Ok(None) };
    let (channels, groups) = (state.option::<usize>("num_channels")?, state.option::<usize>("num_groups")?);
    let eps: f64 = state.option("eps")?;
    Ok(Some(format!("candle_nn::group_norm({groups}, {channels}, {eps:?}, vb)?")))
}

/// Shape and dtype of the result: those of `x`, which has the layer's channels and the dtype of its weight.
pub(super) fn infer(layer: &GroupNorm, x: &TensorFact) -> Inferred {
    let Some(&found) = x.dims().get(1).filter(|_| x.rank() >= 3) else {
        refuse!("{x} should have at least three dimensions");
    };
    if let Some(channels) = debug_field::<usize>(layer, "num_channels").filter(|&channels| channels != found) {
        refuse!("{x} should have {channels} channels in its second dimension");
    }
    if let Some(dtype) = debug_dtype(layer, "weight").filter(|&dtype| dtype != x.dtype) {
        refuse!("dtypes differ: {x} and a weight of {}", dtype.as_str());
    }
    floats(x)
}

/// What it is made of. Weight and bias are copies, whether or not the layer's own are variables; none if the layer is not
/// on the CPU, its tensors are not finite, or the weight is not found for certain.
pub(super) fn state(layer: &GroupNorm) -> Option<LayerState> {
    let channels: usize = debug_field(layer, "num_channels")?;
    let groups: usize = debug_field(layer, "num_groups")?;
    let eps: f64 = debug_field(layer, "eps")?;
    if channels == 0 || groups == 0 || eps.is_nan() || eps <= 0.0 {
        return None;
    }
    // The input has the dtype of the weight.
    let probe = |dtype| {
        let zeros = Tensor::zeros((1, channels, 1), dtype, &Device::Cpu).ok()?;
        Some((dtype, layer.forward(&zeros).ok()?))
    };
    let (dtype, bias) = [DType::F32, DType::F16, DType::BF16, DType::F64].into_iter().find_map(probe)?;
    let bias = bias.flatten_all().ok()?;
    let weight = weight(layer, channels, channels / groups, eps, dtype).ok()??;
    let weight = Tensor::from_vec(weight, channels, &Device::Cpu).and_then(|weight| weight.to_dtype(dtype)).ok()?;
    if numbers(&bias).ok()?.iter().any(|number| !number.is_finite()) {
        return None;
    }
    let size = |size: usize| i64::try_from(size).ok().map(Value::Int);
    Some(LayerState {
        options: vec![("num_channels", size(channels)?), ("num_groups", size(groups)?), ("eps", Value::Float(eps))],
        tensors: vec![("weight", weight), ("bias", bias)],
    })
}

fn numbers(tensor: &Tensor) -> Result<Vec<f64>> {
    tensor.flatten_all()?.to_dtype(DType::F64)?.to_vec1()
}

fn weight(layer: &GroupNorm, channels: usize, group: usize, eps: f64, dtype: DType) -> Result<Option<Vec<f64>>> {
    let loud: f64 = match dtype {
        // The quotient is rounded to the dtype, and must not become too small for it: σ is 1 and a little.
        DType::F16 | DType::BF16 => 2.0,
        DType::F64 => 2f64.powi(60),
        _ => 2f64.powi(21),
    };
    let sigma = sigma(group, loud, eps, dtype)?;
    let Some(quotients) = quotients(layer, channels, loud, dtype)? else { return Ok(None) };
    let is_half = matches!(dtype, DType::F16 | DType::BF16);
    // Small weights vanish when they are divided by a large number; without the loud elements nothing does.
    let certainly = match quotients.contains(&0.0) && !is_half {
        true => self::quotients(layer, channels, 0.0, dtype)?,
        false => Some(quotients.clone()),
    };
    let Some(certainly) = certainly else { return Ok(None) };
    let found = quotients.into_iter().zip(certainly);
    Ok(found
        .map(|(quotient, other)| if other == 0.0 { Some(0.0) } else { undivided(quotient, sigma, dtype) })
        .collect())
}

/// What the layer divides by, computed as it does.
fn sigma(group: usize, loud: f64, eps: f64, dtype: DType) -> Result<f64> {
    let internal = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
    let squares = Tensor::new((group * LOUD) as f64 * loud * loud, &Device::Cpu)?.to_dtype(internal)?;
    let variance = (squares / (group * WIDTH) as f64)?;
    (variance + eps)?.sqrt()?.to_dtype(DType::F64)?.to_scalar()
}

/// Every channel's weight divided by σ.
fn quotients(layer: &GroupNorm, channels: usize, loud: f64, dtype: DType) -> Result<Option<Vec<f64>>> {
    let element = |i: usize| match i % WIDTH {
        i if i < WIDTH - LOUD => 0.0,
        i if i % 2 == 0 => loud,
        _ => -loud,
    };
    let input: Vec<f64> = (0..channels * WIDTH).map(element).collect();
    let input = Tensor::from_vec(input, (1, channels, WIDTH), &Device::Cpu)?.to_dtype(dtype)?;
    let input = Var::from_tensor(&input)?;
    let output = layer.forward(input.as_tensor())?;
    let loss = (output.narrow(2, 0, 1)? - output.narrow(2, 1, 1)?)?.sum_all()?;
    let gradients = loss.backward()?;
    let Some(gradient) = gradients.get(input.as_tensor()) else { return Ok(None) };
    let gradient = numbers(gradient)?;
    let rows = gradient.chunks_exact(WIDTH);
    let is_clean = |row: &[f64]| row[2] == 0.0 && row[0] == -row[1] && row[0].is_finite();
    Ok(rows.clone().all(is_clean).then(|| rows.map(|row| row[0]).collect()))
}

/// The one number of this dtype that gives the quotient.
fn undivided(quotient: f64, sigma: f64, dtype: DType) -> Option<f64> {
    let guess = quotient * sigma;
    let near = -2i64..=2;
    let near: Vec<f64> = match dtype {
        DType::F64 => near.map(|step| f64::from_bits(guess.to_bits().wrapping_add_signed(step))).collect(),
        DType::F16 => {
            let bits = half::f16::from_f64(guess).to_bits();
            near.map(|step| half::f16::from_bits(bits.wrapping_add_signed(step as i16)).to_f64()).collect()
        }
        DType::BF16 => {
            let bits = half::bf16::from_f64(guess).to_bits();
            near.map(|step| half::bf16::from_bits(bits.wrapping_add_signed(step as i16)).to_f64()).collect()
        }
        _ => {
            near.map(|step| f32::from_bits((guess as f32).to_bits().wrapping_add_signed(step as i32)).into()).collect()
        }
    };
    let gives = |number: &f64| {
        let in_f32 = *number as f32 / sigma as f32;
        match dtype {
            DType::F64 => *number / sigma == quotient,
            DType::F16 => half::f16::from_f32(in_f32).to_f64() == quotient,
            DType::BF16 => half::bf16::from_f32(in_f32).to_f64() == quotient,
            _ => f64::from(in_f32) == quotient,
        }
    };
    let mut found = near.into_iter().filter(gives);
    let first = found.next();
    if found.next().is_none() { first } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weight_and_bias_are_found_to_the_bit() {
        for (channels, groups) in [(1, 1), (4, 2), (6, 2), (15, 3), (35, 5), (64, 32), (320, 32), (7, 7)] {
            for dtype in [DType::F32, DType::F16, DType::BF16, DType::F64] {
                for scale in [1.0, 1e-3, 1e3] {
                    let random = || {
                        let tensor = Tensor::randn(0.0, scale, channels, &Device::Cpu).expect("a small tensor");
                        let mut numbers = tensor.to_vec1::<f64>().expect("floats");
                        if channels > 3 {
                            numbers[1] = 0.0;
                        }
                        Tensor::from_vec(numbers, channels, &Device::Cpu).and_then(|tensor| tensor.to_dtype(dtype))
                    };
                    let (weight, bias) = (random().expect("numbers"), random().expect("numbers"));
                    let layer =
                        GroupNorm::new(weight.clone(), bias.clone(), channels, groups, 1e-5).expect("it divides");
                    let state = state(&layer).unwrap_or_else(|| panic!("{channels}/{groups} {dtype:?} × {scale}"));
                    for (found, expected) in state.tensors.iter().map(|(_, tensor)| tensor).zip([&weight, &bias]) {
                        assert_eq!(found.dtype(), dtype);
                        let bits = |tensor| -> Vec<u64> {
                            numbers(tensor).expect("numbers").into_iter().map(|x| (x + 0.0).to_bits()).collect()
                        };
                        assert_eq!(bits(found), bits(expected), "{channels}/{groups} {dtype:?} × {scale}");
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_is_told_that_is_not_certain() {
        let tensor = |numbers: [f32; 2]| Tensor::new(&numbers, &Device::Cpu).expect("two numbers");
        for (weight, bias) in [
            ([1.0, f32::NAN], [0.0, 0.0]),
            ([1.0, f32::INFINITY], [0.0, 0.0]),
            ([1.0, 1.0], [0.0, f32::INFINITY]),
            ([1.0, 1e-42], [0.0, 0.0]),
        ] {
            let layer = GroupNorm::new(tensor(weight), tensor(bias), 2, 1, 1e-5).expect("it divides");
            assert!(state(&layer).is_none(), "{weight:?} {bias:?}");
        }
    }
}
