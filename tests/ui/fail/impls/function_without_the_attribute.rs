use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

fn scaled(x: &Tensor, by: f64) -> Result<Tensor> {
    x * by
}

#[fx::module]
struct Model {
    linear: Linear,
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        scaled(&self.linear.forward(x)?, 2.0)
    }
}

fn main() {}
