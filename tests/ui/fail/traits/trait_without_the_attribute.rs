use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

trait Block {
    fn run(&self, x: &Tensor) -> Result<Tensor>;
}

#[fx::module]
struct Model {
    linear: Linear,
}

#[fx::module(mirrored)]
impl Block for Model {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

fn main() {}
