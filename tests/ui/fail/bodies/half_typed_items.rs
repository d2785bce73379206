use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Model {
    linear: Linear,
    heads
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = ;
        self.linear.forward(x)
    }
}

#[fx::module]
fn scaled(x: &Tensor) -> Result<Tensor> {
    x.
}

#[fx::wrap]
fn routed(x: &Tensor) -> Result<Tensor> {
    if x
}

#[fx::constant]
enum Kind {
    One(u32) =,
}

fn main() {}
