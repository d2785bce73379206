use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Inner {
    linear: Linear,
}

impl Inner {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

#[fx::module]
struct Model {
    inner: Inner,
}

impl Model {
    fn scaled(&self, x: &Tensor) -> Result<Tensor> {
        x * 2.0
    }
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.scaled(&self.inner.run(x)?)
    }
}

fn main() {}
