use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Model {
    linear: Linear,
}

#[fx::module]
impl Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        Module::forward(self, x)?.relu()
    }
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

fn capture(model: &Model) {
    let _ = fx::symbolic_trace(model);
}

fn main() {}
