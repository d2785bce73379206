//! Borrows of every kind.
#![deny(warnings)]

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

use super::support::{linear, same};

#[fx::module]
#[derive(Debug, Clone, Default)]
struct Cache {
    seen: Vec<Tensor>,
    count: usize,
    last: Option<(Tensor, Tensor)>,
}

#[fx::module]
impl Cache {
    fn push<'c>(&'c mut self, x: &Tensor) -> Result<&'c Tensor> {
        self.count += 1;
        self.seen.push(x.clone());
        self.last.replace((x.clone(), x.neg()?));
        self.seen.last().ok_or_else(|| candle_core::Error::msg("nothing"))
    }

    fn last(&self) -> Option<&Tensor> {
        self.last.as_ref().map(|(last, _)| last)
    }

    fn take(&mut self) -> Option<(Tensor, Tensor)> {
        std::mem::take(&mut self.last)
    }

    fn reset(&mut self) {
        let Self { seen, count, .. } = self;
        seen.clear();
        *count = 0;
    }
}

#[fx::module]
struct Model {
    linear: Linear,
    depth: usize,
}

#[fx::module]
impl Model {
    fn steps(&self, x: &Tensor, cache: &mut Cache) -> Result<Tensor> {
        cache.reset();
        let mut y = x.clone();
        for _ in 0..self.depth {
            let seen = cache.push(&self.linear.forward(&y)?)?;
            y = seen.tanh()?;
        }
        let Some(last) = cache.last() else { return Ok(y) };
        let sum = (last + &y)?;
        if let Some((a, b)) = cache.take() { (sum * a)? + b } else { Ok(sum) }
    }
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut cache = Cache { seen: Vec::with_capacity(2), count: 0, last: None };
        let y = self.steps(x, &mut cache)?;
        let Cache { count, .. } = cache;
        y * count as f64
    }
}

#[test]
fn it_computes_the_same() {
    same(&Model { linear: linear(), depth: 2 }, |model, x| model.forward(x));
}
