use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Model {
    linear: Linear,
}

impl Module for Model {
    #[fx::module]
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

fn main() {}
