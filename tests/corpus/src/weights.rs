//! Random weights and inputs that depend on a seed, a name and a shape, and on nothing else.
//!
//! Invariant: an original model and its annotated copy, built from equal seeds, hold equal weights, in whatever order
//! they ask for them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use candle::{DType, Device, Result, Shape, Tensor};
use candle_nn::var_builder::SimpleBackend;
use candle_nn::{Init, VarBuilder};

/// A `VarBuilder` that has every tensor that is asked for, in the shape that is asked for.
pub fn var_builder(seed: u64) -> VarBuilder<'static> {
    VarBuilder::from_backend(Box::new(RandomWeights { seed }), DType::F32, Device::Cpu)
}

/// Weights that lack those whose name has one of these parts, as checkpoints lack what a model does not need.
pub fn without(weights: VarBuilder<'static>, parts: &'static [&'static str]) -> VarBuilder<'static> {
    let lacks = |name: &str| name.split('.').any(|part| parts.contains(&part));
    weights.rename_f(move |name| if lacks(name) { ABSENT.to_owned() } else { name.to_owned() })
}

/// Name of weights that are not there.
const ABSENT: &str = "absent";

/// The same weights but for those of such names and shapes, which are absent: models ask for some only to see whether they
/// are there. Where no shape is asked for, it is empty.
pub fn lacking(weights: VarBuilder<'static>, absent: fn(&str, &[usize]) -> bool) -> VarBuilder<'static> {
    let (dtype, device) = (weights.dtype(), weights.device().clone());
    VarBuilder::from_backend(Box::new(Without { weights, absent }), dtype, device)
}

struct Without {
    weights: VarBuilder<'static>,
    absent: fn(&str, &[usize]) -> bool,
}

impl SimpleBackend for Without {
    fn get(&self, shape: Shape, name: &str, init: Init, dtype: DType, _: &Device) -> Result<Tensor> {
        if (self.absent)(name, shape.dims()) {
            candle::bail!("there is no tensor {name}");
        }
        self.weights.get_with_hints_dtype(shape, name, init, dtype)
    }

    fn get_unchecked(&self, name: &str, dtype: DType, _: &Device) -> Result<Tensor> {
        self.weights.get_unchecked_dtype(name, dtype)
    }

    fn contains_tensor(&self, name: &str) -> bool {
        !(self.absent)(name, &[]) && self.weights.contains_tensor(name)
    }
}

/// The same weights in other sizes than are asked for, by name, axis and size: for parts of a model that are large whatever its
/// configuration says.
pub fn resized(weights: VarBuilder<'static>, size: fn(&str, usize, usize) -> usize) -> VarBuilder<'static> {
    let (dtype, device) = (weights.dtype(), weights.device().clone());
    VarBuilder::from_backend(Box::new(Resized { weights, size }), dtype, device)
}

struct Resized {
    weights: VarBuilder<'static>,
    size: fn(&str, usize, usize) -> usize,
}

impl SimpleBackend for Resized {
    fn get(&self, shape: Shape, name: &str, init: Init, dtype: DType, _: &Device) -> Result<Tensor> {
        let dims = shape.dims().iter().enumerate().map(|(axis, &dim)| (self.size)(name, axis, dim));
        self.weights.get_with_hints_dtype(dims.collect::<Vec<_>>(), name, init, dtype)
    }

    fn get_unchecked(&self, name: &str, dtype: DType, _: &Device) -> Result<Tensor> {
        self.weights.get_unchecked_dtype(name, dtype)
    }

    fn contains_tensor(&self, name: &str) -> bool {
        self.weights.contains_tensor(name)
    }
}

/// The same weights, each made once and shared: for models of so many that two of them would not fit.
pub fn shared(weights: VarBuilder<'static>) -> VarBuilder<'static> {
    let (dtype, device) = (weights.dtype(), weights.device().clone());
    VarBuilder::from_backend(Box::new(Shared { weights, made: Mutex::default() }), dtype, device)
}

struct Shared {
    weights: VarBuilder<'static>,
    made: Mutex<HashMap<String, Tensor>>,
}

impl SimpleBackend for Shared {
    fn get(&self, shape: Shape, name: &str, init: Init, dtype: DType, _: &Device) -> Result<Tensor> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tensor) = made.get(name).filter(|tensor| *tensor.shape() == shape && tensor.dtype() == dtype) {
            return Ok(tensor.clone());
        }
        let tensor = self.weights.get_with_hints_dtype(shape, name, init, dtype)?;
        made.insert(name.to_owned(), tensor.clone());
        Ok(tensor)
    }

    fn get_unchecked(&self, name: &str, dtype: DType, _: &Device) -> Result<Tensor> {
        self.weights.get_unchecked_dtype(name, dtype)
    }

    fn contains_tensor(&self, name: &str) -> bool {
        self.weights.contains_tensor(name)
    }
}

/// Values between -1 and 1.
///
/// # Errors
///
/// If candle cannot make the tensor.
pub fn uniform(seed: u64, shape: impl Into<Shape>) -> Result<Tensor> {
    let shape = shape.into();
    let mut random = Random::new(seed, "input");
    let values: Vec<f32> = (0..shape.elem_count()).map(|_| random.signed()).collect();
    Tensor::from_vec(values, shape, &Device::Cpu)
}

/// Whole numbers below `below`, as token ids are.
///
/// # Errors
///
/// If candle cannot make the tensor.
pub fn ids(seed: u64, below: u32, shape: impl Into<Shape>) -> Result<Tensor> {
    let shape = shape.into();
    let mut random = Random::new(seed, "ids");
    let values: Vec<u32> = (0..shape.elem_count()).map(|_| (random.next() % u64::from(below)) as u32).collect();
    Tensor::from_vec(values, shape, &Device::Cpu)
}

/// How many values of a weight are random; larger weights repeat them, so that they cost no more than their memory. A prime,
/// so that no two rows are alike.
const PERIOD: usize = 65_537;

struct RandomWeights {
    seed: u64,
}

impl SimpleBackend for RandomWeights {
    fn get(&self, shape: Shape, name: &str, init: Init, dtype: DType, device: &Device) -> Result<Tensor> {
        if name == ABSENT {
            candle::bail!("there is no such weight")
        }
        // Scales that keep values in range through many layers: a weight that starts at a constant, as those of
        // normalisations do, stays near it (and a variance positive); others shrink with what they are summed over.
        let summed: usize = shape.dims().iter().skip(1).product();
        let (centre, width) = match init {
            Init::Const(value) if value != 0. => (value as f32, 0.1),
            _ => (0., (summed.max(4) as f32).sqrt().recip()),
        };
        let mut random = Random::new(self.seed, name);
        let count = shape.elem_count();
        let mut values: Vec<f32> = (0..count.min(PERIOD)).map(|_| centre + width * random.signed()).collect();
        while values.len() < count {
            values.extend_from_within(..PERIOD.min(count - values.len()));
        }
        Tensor::from_vec(values, shape, device)?.to_dtype(dtype)
    }

    fn get_unchecked(&self, name: &str, dtype: DType, device: &Device) -> Result<Tensor> {
        // Asked for by models that learn sizes from weights; others would do as well.
        self.get((32, 8).into(), name, Init::Const(0.), dtype, device)
    }

    fn contains_tensor(&self, name: &str) -> bool {
        // Models also ask for modules by this, which checkpoints answer with no.
        let last = name.rsplit('.').next().unwrap_or(name);
        ["weight", "bias", "class_embedding", "logit_scale"].contains(&last)
    }
}

/// SplitMix64, started from a seed and a name.
struct Random(u64);

impl Random {
    fn new(seed: u64, name: &str) -> Self {
        // FNV-1a, so that names that differ in one letter start far apart.
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Self(hash ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Between -1 and 1, with the 24 bits that an `f32` holds exactly.
    fn signed(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_depends_on_seed_and_name_only() -> Result<()> {
        let values = |seed, name: &str| var_builder(seed).get((2, 3), name)?.flatten_all()?.to_vec1::<f32>();
        let later = var_builder(1);
        later.get(5, "other")?;
        assert_eq!(values(1, "a")?, later.get((2, 3), "a")?.flatten_all()?.to_vec1::<f32>()?);
        assert_ne!(values(1, "a")?, values(1, "b")?);
        assert_ne!(values(1, "a")?, values(2, "a")?);
        assert!(values(1, "a")?.iter().all(|value| value.abs() <= 1.));
        Ok(())
    }

    #[test]
    fn a_variance_is_positive() -> Result<()> {
        let variance = var_builder(1).get_with_hints(100, "running_var", Init::Const(1.))?;
        assert!(variance.to_vec1::<f32>()?.iter().all(|value| *value > 0.5));
        Ok(())
    }
}
