//! `Moves`, written from the graph `moves`: it computes the same bits.
//!
//! [`Moves::load`] reads the weights, [`Moves::forward`] runs the model.

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::VarBuilder;

/// What the model keeps from one call to the next.
#[derive(Debug, Clone)]
pub struct State {
    /// `seen` of the captured model.
    pub seen: Vec<Tensor>,
    /// `current` of the captured model.
    pub current: Tensor,
    /// `previous` of the captured model.
    pub previous: Tensor,
    /// `taken` of the captured model.
    pub taken: Option<Tensor>,
    /// `flush` of the captured model.
    pub flush: bool,
    /// `name` of the captured model.
    pub name: &'static str,
    /// `weight` of the captured model.
    pub weight: f64,
}

impl State {
    /// As it was at the capture.
    ///
    /// # Errors
    /// When a tensor is missing or of another shape.
    pub fn new(vb: VarBuilder) -> Result<Self> {
        Ok(Self {
            seen: vec![vb.get(2, "seen.0")?],
            current: vb.get(2, "current")?,
            previous: vb.get(2, "previous")?,
            taken: Some(vb.get(2, "taken")?),
            flush: true,
            name: "nx",
            weight: 3.0,
        })
    }
}

/// The graph `moves`.
pub struct Moves {
    untouched: Tensor,
    initial_state: State,
    /// What it keeps from one call to the next.
    pub state: State,
}

impl Moves {
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
            untouched: vb.get(2, "untouched")?,
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
        check_len("seen", self.state.seen.len(), 1)?;
        let seen_0 = &self.state.seen[0];
        let current = &self.state.current;
        let previous = &self.state.previous;
        let Some(taken) = &self.state.taken else {
            candle_core::bail!("state `taken` should be f32[2], as at the capture, but is absent");
        };
        let flush = self.state.flush;
        if !flush {
            candle_core::bail!(
                "state `flush` should be true, as it was at the capture, but is {flush:?}"
            );
        }
        let name = self.state.name;
        if name != "nx" {
            candle_core::bail!(
                "state `name` should be \"nx\", as it was at the capture, but is {name:?}"
            );
        }
        let weight = self.state.weight;
        if weight != 3.0 {
            candle_core::bail!(
                "state `weight` should be 3.0, as it was at the capture, but is {weight:?}"
            );
        }
        expect("x", x, DType::F32, &[2])?;
        expect_state("seen[0]", seen_0, DType::F32, &[2])?;
        expect_state("current", current, DType::F32, &[2])?;
        expect_state("previous", previous, DType::F32, &[2])?;
        expect_state("taken", taken, DType::F32, &[2])?;
        let add = (current + x)?;
        let mul = (&add * previous)?;
        let sub = (&mul - taken)?;
        drop(mul);
        let mul_2 = (&sub * &self.untouched)?;
        drop(sub);
        let add_2 = (&mul_2 + seen_0)?;
        let add_3 = (&add_2 + &mul_2)?;
        self.state = State {
            seen: vec![seen_0.clone(), mul_2],
            current: add,
            previous: current.clone(),
            taken: None,
            flush: false,
            name: "nxx",
            weight: 6.0,
        };
        Ok(add_3)
    }
}

/// The model was captured with lists of these lengths.
fn check_len(name: &str, len: usize, expected: usize) -> Result<()> {
    if len == expected {
        return Ok(());
    }
    candle_core::bail!("`{name}` should have {expected} items, but has {len}")
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
