use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module(crate = fx, crate = fx)]
struct Model {
    #[fx(rename = "one", rename = "two")]
    first: Linear,
    #[fx(constant)]
    #[fx(constant)]
    heads: usize,
}

#[fx::module(specialize, specialize)]
impl Model {
    #[fx(include, include)]
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.first.forward(x)
    }
}

#[fx::wrap(pure, pure)]
fn route(x: &Tensor) -> Result<Tensor> {
    x.relu()
}

fn main() {}
