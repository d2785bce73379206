//! `Sums`, written from the graph `sums`: it computes the same bits.
//!
//! [`Sums::load`] reads the weights, [`Sums::forward`] runs the model.

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::VarBuilder;

/// What one of `layers` keeps.
#[derive(Debug, Clone)]
pub struct LayerState {
    pub sum: Tensor,
    pub peak: Tensor,
    pub last: Tensor,
}

/// What the model keeps from one call to the next.
#[derive(Debug, Clone)]
pub struct State {
    /// What each of `layers` keeps.
    pub layers: Vec<LayerState>,
}

impl State {
    /// As it was at the capture.
    ///
    /// # Errors
    /// When a tensor is missing or of another shape.
    pub fn new(vb: VarBuilder) -> Result<Self> {
        let mut layers = Vec::with_capacity(3);
        for i in 0..3 {
            layers.push(LayerState {
                sum: vb.get(3, &format!("layers.{i}.sum"))?,
                peak: vb.get(3, &format!("layers.{i}.peak"))?,
                last: vb.get(3, &format!("layers.{i}.last"))?,
            });
        }
        Ok(Self { layers })
    }
}

/// `layers.0` and 2 more.
struct Sum {
    table: Tensor,
}

impl Sum {
    fn new(table_size: usize, vb: VarBuilder) -> Result<Self> {
        Ok(Self {
            table: vb.get((table_size, 3), "table")?,
        })
    }

    fn forward(
        &self,
        ids: &Tensor,
        x: &Tensor,
        y: &Tensor,
        state: &mut LayerState,
    ) -> Result<Tensor> {
        let sum = &state.sum;
        let peak = &state.peak;
        let sum_2 = self.table.index_select(ids, 0)?.sum(0)?;
        let add = (sum + &sum_2)?;
        let maximum = sum_2.maximum(peak)?;
        drop(sum_2);
        let add_2 = (x + &add)?;
        state.sum = add;
        let mul = (&add_2 * &maximum)?;
        drop(add_2);
        state.peak = maximum;
        &mul - y
    }
}

/// The graph `sums`.
pub struct Sums {
    layers_0: Sum,
    layers_1: Sum,
    layers_2: Sum,
    initial_state: State,
    /// What it keeps from one call to the next.
    pub state: State,
}

impl Sums {
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
            layers_0: Sum::new(8, vb.pp("layers.0"))?,
            layers_1: Sum::new(6, vb.pp("layers.1"))?,
            layers_2: Sum::new(4, vb.pp("layers.2"))?,
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
    pub fn forward(&mut self, x: &Tensor, ids: &Tensor) -> Result<Tensor> {
        check_len("layers", self.state.layers.len(), 3)?;
        let layers_0_last = &self.state.layers[0].last;
        let layers_1_last = &self.state.layers[1].last;
        let layers_2_last = &self.state.layers[2].last;
        expect("x", x, DType::F32, &[3])?;
        expect("ids", ids, DType::U32, &[2])?;
        expect_state("layers[0].sum", &self.state.layers[0].sum, DType::F32, &[3])?;
        expect_state(
            "layers[0].peak",
            &self.state.layers[0].peak,
            DType::F32,
            &[3],
        )?;
        expect_state("layers[0].last", layers_0_last, DType::F32, &[3])?;
        expect_state("layers[1].sum", &self.state.layers[1].sum, DType::F32, &[3])?;
        expect_state(
            "layers[1].peak",
            &self.state.layers[1].peak,
            DType::F32,
            &[3],
        )?;
        expect_state("layers[1].last", layers_1_last, DType::F32, &[3])?;
        expect_state("layers[2].sum", &self.state.layers[2].sum, DType::F32, &[3])?;
        expect_state(
            "layers[2].peak",
            &self.state.layers[2].peak,
            DType::F32,
            &[3],
        )?;
        expect_state("layers[2].last", layers_2_last, DType::F32, &[3])?;
        let mut state = self.state.clone();
        let layer = self
            .layers_0
            .forward(ids, x, layers_0_last, &mut state.layers[0])?;
        let layer_2 = self
            .layers_1
            .forward(ids, &layer, layers_1_last, &mut state.layers[1])?;
        let layer_3 = self
            .layers_2
            .forward(ids, &layer_2, layers_2_last, &mut state.layers[2])?;
        state.layers[0].last = x.clone();
        state.layers[1].last = layer;
        state.layers[2].last = layer_2;
        self.state = state;
        Ok(layer_3)
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
