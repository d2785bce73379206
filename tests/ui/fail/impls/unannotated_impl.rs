use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Inner {
    linear: Linear,
}

impl Module for Inner {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

#[fx::module]
struct Outer {
    inner: Inner,
}

#[fx::module]
impl Module for Outer {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.apply(&self.inner)
    }
}

fn main() {}
