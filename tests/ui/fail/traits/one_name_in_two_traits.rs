use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

trait Encode {
    fn run(&self, x: &Tensor) -> Result<Tensor>;
}

trait Decode {
    fn run(&self, x: &Tensor) -> Result<Tensor>;
}

#[fx::module]
struct Model {
    linear: Linear,
}

#[fx::module]
impl Encode for Model {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

#[fx::module]
impl Decode for Model {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)?.relu()
    }
}

fn main() {}
