use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Model {
    linear: Linear,
}

#[fx::module]
impl Module for &Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

trait Layer {
    fn run(&self, x: &Tensor) -> Result<Tensor>;
}

#[fx::module]
impl Layer for (Model, Model) {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        self.1.linear.forward(&self.0.linear.forward(x)?)
    }
}

#[fx::module]
impl<M: Module> Layer for M {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        self.forward(x)
    }
}

fn main() {}
