use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

struct Rope {
    cos: Tensor,
}

#[fx::module]
struct Model {
    linear: Linear,
    rope: Rope,
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(&x.broadcast_mul(&self.rope.cos)?)
    }
}

fn main() {}
