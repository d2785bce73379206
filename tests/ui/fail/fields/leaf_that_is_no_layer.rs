use candle_core::{Result, Tensor};
use candle_nn::Module;

#[derive(Clone)]
struct Gate {
    threshold: f64,
}

#[fx::module]
struct Model {
    #[fx(leaf)]
    gate: Gate,
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.gate.forward(x)
    }
}

fn main() {}
