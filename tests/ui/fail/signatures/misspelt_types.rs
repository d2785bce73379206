use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Model {
    linear: Linaer,
}

#[fx::module]
impl Model {
    fn forward(&self, x: &Tensor, cache: &mut Cahce) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

#[fx::module]
fn helper(x: &Tensor, cache: &Cahce) -> Result<Tensor> {
    x.relu()
}

fn main() {}
