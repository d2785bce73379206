//! What the inputs of a run are made with: a seed, and sizes that may vary from run to run.
//!
//! Invariant: equal seeds and sizes give equal inputs, and no two inputs of one run are alike.

use std::cell::Cell;

use candle::{Device, Result, Shape, Tensor};

use crate::weights;

/// Makes the inputs of one run.
#[derive(Debug)]
pub struct At {
    /// How many sequences or images are in the batch.
    pub batch: usize,
    /// How long the sequences are.
    pub seq: usize,
    seed: u64,
    made: Cell<u64>,
}

impl At {
    /// Batches of two, sequences of seven.
    pub fn new(seed: u64) -> Self {
        Self { batch: 2, seq: 7, seed, made: Cell::new(0) }
    }

    /// With other sizes.
    pub fn sizes(self, batch: usize, seq: usize) -> Self {
        Self { batch, seq, ..self }
    }

    /// Values between -1 and 1.
    ///
    /// # Errors
    ///
    /// If candle cannot make the tensor.
    pub fn uniform(&self, shape: impl Into<Shape>) -> Result<Tensor> {
        weights::uniform(self.next(), shape)
    }

    /// Whole numbers below `below`, as token ids are.
    ///
    /// # Errors
    ///
    /// If candle cannot make the tensor.
    pub fn ids(&self, below: u32, shape: impl Into<Shape>) -> Result<Tensor> {
        weights::ids(self.next(), below, shape)
    }

    /// Token ids below 60, a row for each sequence of the batch.
    ///
    /// # Errors
    ///
    /// If candle cannot make the tensor.
    pub fn tokens(&self) -> Result<Tensor> {
        self.ids(60, (self.batch, self.seq))
    }

    /// Token ids below 60 with the highest, which ends a text, at the end of each.
    ///
    /// # Errors
    ///
    /// If candle cannot make the tensor.
    pub fn ended(&self) -> Result<Tensor> {
        let end = Tensor::full(59u32, (self.batch, 1), &Device::Cpu)?;
        Tensor::cat(&[self.ids(59, (self.batch, self.seq - 1))?, end], 1)
    }

    /// `0, 1, …` as a row for each sequence of the batch.
    ///
    /// # Errors
    ///
    /// If candle cannot make the tensor.
    pub fn positions(&self) -> Result<Tensor> {
        let row = Tensor::arange(0, self.seq as u32, &Device::Cpu)?;
        row.unsqueeze(0)?.repeat((self.batch, 1))
    }

    /// A seed of its own for every input.
    fn next(&self) -> u64 {
        self.made.set(self.made.get() + 1);
        self.seed * 1000 + self.made.get()
    }
}
