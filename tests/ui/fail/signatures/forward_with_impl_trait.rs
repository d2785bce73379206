use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Model {
    linear: Linear,
}

#[fx::module]
impl Model {
    fn forward(&self, x: &Tensor, scale: impl Into<f64>) -> Result<Tensor> {
        self.linear.forward(x)? * scale.into()
    }
}

fn capture(model: &Model) {
    let _ = fx::symbolic_trace(model);
}

fn main() {}
