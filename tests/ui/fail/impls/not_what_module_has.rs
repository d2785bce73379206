use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module, ModuleT};

#[fx::module]
struct Model {
    linear: Linear,
}

#[fx::module]
impl Module for Model {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

#[fx::module]
impl ModuleT for Model {
    fn forward_t(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

fn main() {}
