use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Model<'a> {
    weight: &'a Tensor,
    layers: &'a [Linear],
    name: &'a str,
    #[fx(constant)]
    steps: &'a Steps,
}

struct Steps(usize);

#[fx::module]
impl Module for Model<'_> {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.layers[0].forward(&x.matmul(self.weight)?)
    }
}

fn main() {}
