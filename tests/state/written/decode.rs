//! `Decoder`, written from the graph `decoder`: it computes the same bits.
//!
//! [`Decoder::load`] reads the weights, [`Decoder::forward`] runs the model.

use candle_core::{DType, Device, Module, Result, Tensor};
use candle_nn::VarBuilder;

/// What one of `layers` keeps.
#[derive(Debug, Clone)]
pub struct LayerState {
    pub kv_cache: (Tensor, Tensor),
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
        let mut layers = Vec::with_capacity(2);
        for i in 0..2 {
            layers.push(LayerState {
                kv_cache: (
                    vb.get((1, 3, 4), &format!("layers.{i}.kv_cache.0"))?,
                    vb.get((1, 3, 4), &format!("layers.{i}.kv_cache.1"))?,
                ),
            });
        }
        Ok(Self { layers })
    }
}

/// `layers.0` and 1 more.
struct Attention {
    query: candle_nn::Linear,
    key: candle_nn::Linear,
}

impl Attention {
    fn new(vb: VarBuilder) -> Result<Self> {
        Ok(Self {
            query: candle_nn::linear(4, 4, vb.pp("query"))?,
            key: candle_nn::linear(4, 4, vb.pp("key"))?,
        })
    }

    fn forward(&self, x: &Tensor, kv_cache: &mut (Tensor, Tensor)) -> Result<Tensor> {
        let kv_cache_0 = &kv_cache.0;
        let kv_cache_1 = &kv_cache.1;
        let query = self.query.forward(x)?;
        let key = self.key.forward(x)?;
        let tanh = key.tanh()?;
        let cat = Tensor::cat(&[kv_cache_0, &key], 1)?;
        drop(key);
        let cat_2 = Tensor::cat(&[kv_cache_1, &tanh], 1)?;
        drop(tanh);
        let t = cat.t()?;
        let matmul = query.matmul(&t)?;
        drop(query);
        drop(t);
        let matmul_2 = candle_nn::ops::softmax_last_dim(&matmul)?.matmul(&cat_2)?;
        *kv_cache = (cat, cat_2);
        Ok(matmul_2)
    }
}

/// The graph `decoder`.
pub struct Decoder {
    layers: Vec<Attention>,
    initial_state: State,
    /// What it keeps from one call to the next.
    pub state: State,
}

impl Decoder {
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
        let mut layers = Vec::with_capacity(2);
        for i in 0..2 {
            layers.push(Attention::new(vb.pp(format!("layers.{i}")))?);
        }
        let state = State::new(vb.clone())?;
        Ok(Self {
            layers,
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
        check_len("layers", self.state.layers.len(), 2)?;
        let past = self.state.layers[0].kv_cache.0.dim(1)?;
        expect("x", x, DType::F32, &[1, 1, 4])?;
        for (i, layer) in self.state.layers.iter().enumerate() {
            expect_state(
                &format!("layers[{i}].kv_cache.0"),
                &layer.kv_cache.0,
                DType::F32,
                &[1, past, 4],
            )?;
            expect_state(
                &format!("layers[{i}].kv_cache.1"),
                &layer.kv_cache.1,
                DType::F32,
                &[1, past, 4],
            )?;
        }
        if past > 4099 {
            candle_core::bail!(
                "the model takes another way unless `past <= 4099`, and here past = {past}"
            );
        }
        let mut state = self.state.clone();
        let mut x = x.clone();
        for (layer, state) in self.layers.iter().zip(&mut state.layers) {
            let y = layer.forward(&x, &mut state.kv_cache)?;
            x = (&y + &x)?;
        }
        self.state = state;
        Ok(x)
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
