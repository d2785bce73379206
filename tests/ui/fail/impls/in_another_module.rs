use candle_core::{Result, Tensor};
use candle_nn::Module;

mod layers {
    #[fx::module]
    pub struct Model {
        pub linear: candle_nn::Linear,
    }
}

use layers::Model;

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

fn main() {}
