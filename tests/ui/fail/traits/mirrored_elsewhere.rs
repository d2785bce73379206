use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module(mirrored)]
struct Model {
    linear: Linear,
}

#[fx::module(mirrored)]
impl Model {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

#[fx::module(mirrored)]
fn scaled(x: &Tensor) -> Result<Tensor> {
    x * 2.0
}

#[fx::module(mirrored)]
trait Block {
    fn run(&self, x: &Tensor) -> Result<Tensor>;
}

fn main() {}
