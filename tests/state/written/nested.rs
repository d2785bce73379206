//! `Outer`, written from the graph `outer`: it computes the same bits.
//!
//! [`Outer::load`] reads the weights, [`Outer::forward`] runs the model.

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::VarBuilder;

/// What the model keeps from one call to the next.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// `kept` of the captured model.
    pub kept: Option<Tensor>,
}

/// The graph `child`.
struct Child;

impl Child {
    fn new(_vb: VarBuilder) -> Result<Self> {
        Ok(Self)
    }

    fn forward(&self, x: &Tensor, sum: &Tensor) -> Result<(Tensor, (Tensor, i64))> {
        let add = (x + sum)?;
        Ok((add.clone(), (add, 4)))
    }
}

/// The graph `outer`.
pub struct Outer {
    child: Child,
    /// What it keeps from one call to the next.
    pub state: State,
}

impl Outer {
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
        Ok(Self {
            child: Child::new(vb.pp("child"))?,
            state: State::default(),
        })
    }

    /// Puts the state back to what it was at the capture.
    pub fn reset(&mut self) {
        self.state = State::default();
    }

    /// Runs the model on the state of the call before, and keeps its own. If it fails, the state stays.
    ///
    /// # Errors
    /// When candle refuses a step, or an input or the state is not as at the capture.
    pub fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        let Some(kept) = &self.state.kept else {
            candle_core::bail!("state `kept` should be f32[3], as at the capture, but is absent");
        };
        expect("x", x, DType::F32, &[3])?;
        expect_state("kept", kept, DType::F32, &[3])?;
        let called = self.child.forward(x, kept)?;
        let result = called.0.clone();
        let left = called.1.clone();
        drop(called);
        let sum = left.0.clone();
        drop(left);
        let again = self.child.forward(&result, &sum)?;
        drop(result);
        drop(sum);
        let last = again.0.clone();
        self.state = State {
            kept: Some(last.clone()),
        };
        Ok(last)
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
