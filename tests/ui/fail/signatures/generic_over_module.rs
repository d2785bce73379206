use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
fn residual<M: Module>(x: &Tensor, layer: &M) -> Result<Tensor> {
    layer.forward(x)? + x
}

#[fx::module]
fn twice(x: &Tensor, layer: &impl Module) -> Result<Tensor> {
    layer.forward(&layer.forward(x)?)
}

fn main() {}
