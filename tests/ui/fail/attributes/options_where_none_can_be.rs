use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
#[fx(leaf)]
struct Model {
    linear: Linear,
}

#[fx::module]
impl Model {
    #[fx(skip)]
    const SCALE: f64 = 2.0;

    fn forward(&self, #[fx(constant)] x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)? * Self::SCALE
    }
}

#[fx::module]
#[fx(specialize)]
fn scaled(#[fx(rename = "input")] x: &Tensor) -> Result<Tensor> {
    x * 2.0
}

fn main() {}
