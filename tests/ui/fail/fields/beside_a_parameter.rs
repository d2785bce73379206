use candle_core::{Result, Tensor};

use candle_nn::Module;

struct Rope {
    cos: Tensor,
}

#[fx::module]
struct Model<M> {
    inner: (M, Rope),
}

#[fx::module]
impl<M: Module> Module for Model<M> {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.inner.0.forward(x)
    }
}

fn main() {}
