use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

// What is refused is left out, and rustc has nothing to add to that: neither here, nor where the types are used.

#[fx::module]
struct Block {
    #[fx(layer)]
    linear: Linear,
    #[fx(constant, leaf)]
    act: f64,
    #[fx(rename)]
    scale: Tensor,
}

#[fx::module(pure)]
impl Module for Block {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)?.affine(self.act, 0.0)? * &self.scale
    }
}

#[fx::module("specialize")]
struct Model {
    block: Block,
    #[fx(constant)]
    bias: Tensor,
}

#[fx::module(crate = "fx")]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.block.forward(x)? + &self.bias
    }
}

#[fx::module(crate =)]
fn twice(x: &Tensor) -> Result<Tensor> {
    x * 2.0
}

fn main() {}
