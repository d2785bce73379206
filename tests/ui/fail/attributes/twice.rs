use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
#[fx::module]
struct Model {
    linear: Linear,
}

#[fx::module]
#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

#[fx::wrap]
#[fx::wrap(pure)]
fn route(x: &Tensor) -> Result<Tensor> {
    x.relu()
}

fn main() {}
