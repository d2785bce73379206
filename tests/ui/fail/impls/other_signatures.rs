use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module, ModuleT};

#[fx::module]
struct Owns {
    linear: Linear,
}

#[fx::module]
impl Module for Owns {
    fn forward(&self, x: Tensor) -> Result<Tensor> {
        self.linear.forward(&x)
    }
}

#[fx::module]
struct Panics {
    linear: Linear,
}

#[fx::module]
impl ModuleT for Panics {
    fn forward_t(&self, x: &Tensor, _train: bool) -> Tensor {
        self.linear.forward(x).unwrap()
    }
}

fn main() {}
