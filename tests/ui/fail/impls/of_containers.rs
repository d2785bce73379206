use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Model {
    linear: Linear,
}

#[fx::module]
impl Module for Box<Model> {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

trait Layers {
    fn run(&self, x: &Tensor) -> Result<Tensor>;
}

#[fx::module]
impl Layers for Vec<Model> {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        self.iter().try_fold(x.clone(), |x, model| model.linear.forward(&x))
    }
}

fn main() {}
