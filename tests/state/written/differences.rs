//! `Differences`, written from the graph `differences`: it computes the same bits.
//!
//! [`Differences::load`] reads the weights, [`Differences::forward`] runs the model.

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::VarBuilder;

/// The graph `differences`.
pub struct Differences;

impl Differences {
    /// Reads the weights from a safetensors file.
    ///
    /// # Errors
    /// When the file cannot be read, or a tensor is missing or of another shape.
    pub fn load(path: impl AsRef<std::path::Path>, device: &Device) -> Result<Self> {
        Self::from_bytes(&std::fs::read(path)?, device)
    }

    /// Reads the weights from what a safetensors file holds, as `include_bytes!` gives it.
    ///
    /// # Errors
    /// When it is no such file, or a tensor is missing or of another shape.
    pub fn from_bytes(weights: &[u8], device: &Device) -> Result<Self> {
        let vb = VarBuilder::from_slice_safetensors(weights, DType::F32, device)?;
        Self::new(vb)
    }

    /// Takes the weights by their names in the captured model.
    ///
    /// # Errors
    /// When a tensor is missing or of another shape.
    pub fn new(_vb: VarBuilder) -> Result<Self> {
        Ok(Self)
    }

    /// Runs the model.
    ///
    /// # Errors
    /// When candle refuses a step, or an input is not as at the capture.
    pub fn forward(&self, x: &Tensor, n_2: &Tensor) -> Result<Tensor> {
        let a = x.dim(0)?;
        let b = x.dim(1)?;
        let n = n_2.dim(0)?;
        expect("x", x, DType::F32, &[a, b])?;
        expect("n", n_2, DType::F32, &[n])?;
        if a > b + 3 {
            candle_core::bail!(
                "the model takes another way unless `a - b <= 3`, and here a = {a}, b = {b}"
            );
        }
        if a + 1 == b {
            candle_core::bail!(
                "the model takes another way unless `a != b - 1`, and here a = {a}, b = {b}"
            );
        }
        if b + 4 < a {
            candle_core::bail!(
                "the model takes another way unless `b - a >= -4`, and here b = {b}, a = {a}"
            );
        }
        if ((a as i64) - (b as i64)) * 2 >= 7 {
            candle_core::bail!(
                "the model takes another way unless `(a - b) * 2 < 7`, and here a = {a}, b = {b}"
            );
        }
        if i64::max((a as i64) - (b as i64), 1) >= (n as i64) {
            candle_core::bail!(
                "the model takes another way unless `max(a - b, 1) < n`, and here a = {a}, b = {b}, n = {n}"
            );
        }
        if i64::rem_euclid((a as i64) - (b as i64), 2) != 0 {
            candle_core::bail!(
                "the model takes another way unless `(a - b) % 2 == 0`, and here a = {a}, b = {b}"
            );
        }
        if a + 2 > n + usize::min(b, n) + b {
            candle_core::bail!(
                "the model takes another way unless `a - n <= min(b, n) - 2 + b`, and here a = {a}, n = {n}, b = {b}"
            );
        }
        if i64::div_euclid(((b as i64) - (a as i64)) - 1, 2) <= -3 {
            candle_core::bail!(
                "the model takes another way unless `(b - a - 1) / 2 > -3`, and here b = {b}, a = {a}"
            );
        }
        Ok(x.clone())
    }
}

/// The model was captured for inputs of these types and shapes.
fn expect(name: &str, input: &Tensor, dtype: DType, dims: &[usize]) -> Result<()> {
    if input.dtype() == dtype && input.dims() == dims {
        return Ok(());
    }
    let found = (input.dtype(), input.dims());
    candle_core::bail!("input `{name}` should be {dtype:?} of {dims:?}, but is {found:?}")
}
