use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
unsafe trait Block {
    fn run(&self, x: &Tensor) -> Result<Tensor>;
}

#[fx::module]
struct Model {
    linear: Linear,
}

#[fx::module(mirrored)]
unsafe impl Block for Model {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

fn main() {}
