//! `Own`, written from the graph `own`: it computes the same bits.
//!
//! [`Own::load`] reads the weights, [`Own::forward`] runs the model.

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::VarBuilder;

/// `KvCache` of the captured model.
#[derive(Debug, Clone)]
pub struct KvCache {
    pub k: Tensor,
    pub v: Tensor,
}

/// `ConcatKvCache` of the captured model.
#[derive(Debug, Clone)]
pub struct ConcatKvCache {
    pub k: Tensor,
    pub v: Tensor,
}

/// What the model keeps from one call to the next.
#[derive(Debug, Clone)]
pub struct State {
    /// `growing` of the captured model.
    pub growing: KvCache,
    /// `concatenated` of the captured model.
    pub concatenated: ConcatKvCache,
}

impl State {
    /// As it was at the capture.
    ///
    /// # Errors
    /// When a tensor is missing or of another shape.
    pub fn new(vb: VarBuilder) -> Result<Self> {
        Ok(Self {
            growing: KvCache {
                k: vb.get((1, 2, 2), "growing.k")?,
                v: vb.get((1, 2, 2), "growing.v")?,
            },
            concatenated: ConcatKvCache {
                k: vb.get((1, 2, 2), "concatenated.k")?,
                v: vb.get((1, 2, 2), "concatenated.v")?,
            },
        })
    }
}

/// The graph `own`.
pub struct Own {
    initial_state: State,
    /// What it keeps from one call to the next.
    pub state: State,
}

impl Own {
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
    pub fn new(vb: VarBuilder) -> Result<Self> {
        let state = State::new(vb.clone())?;
        Ok(Self {
            initial_state: state.clone(),
            state,
        })
    }

    /// Puts the state back to what it was at the capture.
    pub fn reset(&mut self) {
        self.state = self.initial_state.clone();
    }

    /// Runs the model on the state of the call before, and keeps its own. If it fails, the state stays.
    ///
    /// # Errors
    /// When candle refuses a step, or an input or the state is not as at the capture.
    pub fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        let growing_k = &self.state.growing.k;
        let growing_v = &self.state.growing.v;
        let concatenated_k = &self.state.concatenated.k;
        let concatenated_v = &self.state.concatenated.v;
        let past = growing_k.dim(1)?;
        expect("x", x, DType::F32, &[1, 1, 2])?;
        expect_state("growing.k", growing_k, DType::F32, &[1, past, 2])?;
        expect_state("growing.v", growing_v, DType::F32, &[1, past, 2])?;
        expect_state("concatenated.k", concatenated_k, DType::F32, &[1, past, 2])?;
        expect_state("concatenated.v", concatenated_v, DType::F32, &[1, past, 2])?;
        if past > 4099 {
            candle_core::bail!(
                "the model takes another way unless `past <= 4099`, and here past = {past}"
            );
        }
        let neg = x.neg()?;
        let cat = Tensor::cat(&[growing_k, x], 1)?;
        let cat_2 = Tensor::cat(&[growing_v, &neg], 1)?;
        drop(neg);
        let exp = x.exp()?;
        let x_2 = x.contiguous()?.detach();
        let detach = exp.contiguous()?.detach();
        drop(exp);
        let detach_2 = Tensor::cat(&[concatenated_k, &x_2], 1)?.detach();
        drop(x_2);
        let detach_3 = Tensor::cat(&[concatenated_v, &detach], 1)?.detach();
        drop(detach);
        let mean_keepdim = detach_2.mean_keepdim(1)?;
        let broadcast_add = cat.broadcast_add(&mean_keepdim)?;
        drop(mean_keepdim);
        let sum_keepdim = cat_2.sum_keepdim(1)?;
        let affine = broadcast_add
            .broadcast_sub(&sum_keepdim)?
            .affine(1.0, 0.0)?;
        drop(broadcast_add);
        drop(sum_keepdim);
        let sum_keepdim_2 = affine.sum_keepdim(1)?;
        drop(affine);
        let mul = (&sum_keepdim_2 * 0.5)?;
        self.state = State {
            growing: KvCache { k: cat, v: cat_2 },
            concatenated: ConcatKvCache {
                k: detach_2,
                v: detach_3,
            },
        };
        Ok(mul)
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

/// The model was captured in a state of these types and shapes.
fn expect_state(name: &str, value: &Tensor, dtype: DType, dims: &[usize]) -> Result<()> {
    if value.dtype() == dtype && value.dims() == dims {
        return Ok(());
    }
    let found = (value.dtype(), value.dims());
    candle_core::bail!("state `{name}` should be {dtype:?} of {dims:?}, but is {found:?}")
}
