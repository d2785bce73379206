use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Owned {
    linear: Linear,
}

#[fx::module]
impl Owned {
    fn forward(self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

fn capture(model: &Owned) {
    let _ = fx::symbolic_trace(model);
}

fn main() {}
