use candle_core::{Result, Tensor};
use candle_nn::Module;

mod layers {
    #[fx::module]
    pub struct Model {
        pub linear: candle_nn::Linear,
    }
}

use layers::Model;

// It would be found as `impl layers::Model`.
#[fx::module]
impl Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

// An impl of a trait is found by its type.
#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

fn main() {}
