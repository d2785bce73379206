//! Weights that have shapes and take no memory, for models that are looked at and not run.
//!
//! Each weight is one number that is seen at every position (all strides 0), so a model of any size is built in no time. An
//! abstract capture needs nothing else: `Tracer::input` says the shapes of the inputs.
//!
//! What a constructor computes from its weights is computed: `contiguous()`, `to_dtype` of another dtype, `to_device` and
//! `cat` give a tensor of full size. Ask for the dtype that the model wants, and for the device that it runs on. What
//! only looks at a weight (`t`, `narrow`, `chunk`, `reshape` of adjoining dimensions) costs nothing.
//!
//! ```
//! use candle_core::{DType, Device};
//!
//! let vb = fx_core::meta::var_builder(DType::BF16, &Device::Cpu);
//! let wide = candle_nn::linear(1_000_000, 1_000_000, vb)?; // two terabytes
//! assert_eq!(wide.weight().dims(), [1_000_000, 1_000_000]);
//! # Ok::<(), candle_core::Error>(())
//! ```
//!
//! Invariant: no two weights share their number, so that they are not taken for one.

use std::collections::HashMap;

use candle_core::{DType, Device, Result, Shape, Tensor, bail};
use candle_nn::var_builder::SimpleBackend;
use candle_nn::{Init, VarBuilder};

/// A builder that has every weight that is asked for, in the shape that is asked for.
///
/// It says of every name that it is there, as candle's builder of zeros does. Where a model looks what there is
/// ([`VarBuilder::contains_tensor`]), or asks for a weight without saying its shape, give the names and shapes:
/// [`var_builder_of`].
#[must_use]
pub fn var_builder(dtype: DType, device: &Device) -> VarBuilder<'static> {
    VarBuilder::from_backend(Box::new(Anything), dtype, device.clone())
}

/// A builder that has weights of these names and shapes, such as a checkpoint's header tells, and no others.
///
/// ```
/// use candle_core::{DType, Device};
///
/// let vb = fx_core::meta::var_builder_of([("w", (3, 4))], DType::F32, &Device::Cpu);
/// assert_eq!(vb.get_unchecked("w")?.dims(), [3, 4]);
/// assert!(vb.get((4, 3), "w").is_err() && !vb.contains_tensor("b"));
/// # Ok::<(), candle_core::Error>(())
/// ```
#[must_use]
pub fn var_builder_of<N: Into<String>, S: Into<Shape>>(
    weights: impl IntoIterator<Item = (N, S)>,
    dtype: DType,
    device: &Device,
) -> VarBuilder<'static> {
    let shapes = weights.into_iter().map(|(name, shape)| (name.into(), shape.into())).collect();
    VarBuilder::from_backend(Box::new(These(shapes)), dtype, device.clone())
}

/// A tensor of this shape that takes the memory of one number, zero.
///
/// All strides are 0; writing into it, or copying it contiguously, makes a tensor of full size.
///
/// # Errors
/// When the device has no memory for it.
pub fn tensor(shape: impl Into<Shape>, dtype: DType, device: &Device) -> Result<Tensor> {
    Tensor::zeros((), dtype, device)?.broadcast_as(shape)
}

/// Whether a tensor takes the memory of one number only, as those of this module do.
///
/// False of a tensor without dimensions: every number takes the memory of one.
#[must_use]
pub fn is_meta(tensor: &Tensor) -> bool {
    tensor.rank() > 0 && tensor.stride().iter().all(|&stride| stride == 0)
}

struct Anything;

impl SimpleBackend for Anything {
    fn get(&self, shape: Shape, _: &str, _: Init, dtype: DType, device: &Device) -> Result<Tensor> {
        tensor(shape, dtype, device)
    }

    fn get_unchecked(&self, name: &str, _: DType, _: &Device) -> Result<Tensor> {
        bail!("`{name}` is asked for without a shape: give names and shapes, `fx::meta::var_builder_of`")
    }

    fn contains_tensor(&self, _: &str) -> bool {
        true
    }
}

struct These(HashMap<String, Shape>);

impl SimpleBackend for These {
    fn get(&self, shape: Shape, name: &str, _: Init, dtype: DType, device: &Device) -> Result<Tensor> {
        match self.0.get(name) {
            Some(found) if *found == shape => tensor(shape, dtype, device),
            Some(found) => bail!("`{name}` should be of shape {shape:?}, but is of {found:?}"),
            None => bail!("cannot find tensor {name}"),
        }
    }

    fn get_unchecked(&self, name: &str, dtype: DType, device: &Device) -> Result<Tensor> {
        match self.0.get(name) {
            Some(shape) => tensor(shape, dtype, device),
            None => bail!("cannot find tensor {name}"),
        }
    }

    fn contains_tensor(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}
