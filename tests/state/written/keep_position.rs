//! `Position`, written from the graph `position`: it computes the same bits.
//!
//! [`Position::load`] reads the weights, [`Position::forward`] runs the model.

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::VarBuilder;

/// What the model keeps from one call to the next.
#[derive(Debug, Clone)]
pub struct State {
    /// `sum` of the captured model.
    pub sum: Tensor,
    /// `pos` of the captured model.
    pub pos: usize,
}

impl State {
    /// As it was at the capture.
    ///
    /// # Errors
    /// When a tensor is missing or of another shape.
    pub fn new(vb: VarBuilder) -> Result<Self> {
        Ok(Self {
            sum: vb.get(2, "sum")?,
            pos: 0,
        })
    }
}

/// The graph `position`.
pub struct Position {
    table: Tensor,
    initial_state: State,
    /// What it keeps from one call to the next.
    pub state: State,
}

impl Position {
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
            table: vb.get((16, 2), "table")?,
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
        let sum_1 = &self.state.sum;
        let pos = self.state.pos;
        let len = x.dim(0)?;
        expect("x", x, DType::F32, &[len, 2])?;
        expect_state("sum", sum_1, DType::F32, &[2])?;
        if pos > 15 {
            candle_core::bail!(
                "the model takes another way unless `pos <= 15`, and here pos = {pos}"
            );
        }
        if len > 16 {
            candle_core::bail!(
                "the model takes another way unless `len <= 16`, and here len = {len}"
            );
        }
        let narrow = self.table.narrow(0, pos, len)?;
        let sum = x.sum(0)?;
        let add = (&sum + sum_1)?;
        drop(sum);
        let broadcast_add = (x + &narrow)?.broadcast_add(&add)?;
        drop(narrow);
        let mul = (&broadcast_add * 0.25)?;
        self.state = State {
            sum: add,
            pos: pos + len,
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
