//! An ordinary candle model, with fx's attributes and nothing else of fx.

use candle_core::{Result, Tensor};
use candle_nn::{LayerNorm, Linear, Module, VarBuilder, layer_norm, linear};

/// A residual block of two layers.
#[fx::module]
#[derive(Debug)]
struct Block {
    norm: LayerNorm,
    up: Linear,
    down: Linear,
}

impl Block {
    fn new(size: usize, vb: &VarBuilder<'_>) -> Result<Self> {
        Ok(Self {
            norm: layer_norm(size, 1e-5, vb.pp("norm"))?,
            up: linear(size, 2 * size, vb.pp("up"))?,
            down: linear(2 * size, size, vb.pp("down"))?,
        })
    }
}

#[fx::module]
impl Module for Block {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let hidden = self.up.forward(&self.norm.forward(x)?)?;
        x + self.down.forward(&swish(&hidden)?)?
    }
}

/// `x * sigmoid(x)`, step by step.
///
/// # Errors
///
/// candle's.
#[fx::module]
pub fn swish(x: &Tensor) -> Result<Tensor> {
    x * candle_nn::ops::sigmoid(x)?
}

/// Features to probabilities of classes.
#[fx::module]
#[derive(Debug)]
pub struct Classifier {
    blocks: Vec<Block>,
    head: Linear,
}

impl Classifier {
    /// How many features there are.
    pub const FEATURES: usize = 8;
    /// How many classes there are.
    pub const CLASSES: usize = 3;

    /// Reads the weights.
    ///
    /// # Errors
    ///
    /// When a tensor is missing or of another shape.
    pub fn new(vb: &VarBuilder<'_>) -> Result<Self> {
        let blocks = (0..2).map(|i| Block::new(Self::FEATURES, &vb.pp("blocks").pp(i))).collect::<Result<_>>()?;
        Ok(Self { blocks, head: linear(Self::FEATURES, Self::CLASSES, vb.pp("head"))? })
    }
}

#[fx::module]
impl Module for Classifier {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut x = x.clone();
        for block in &self.blocks {
            x = block.forward(&x)?;
        }
        candle_nn::ops::softmax_last_dim(&self.head.forward(&x)?)
    }
}
