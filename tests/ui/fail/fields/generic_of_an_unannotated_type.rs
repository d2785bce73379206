use candle_core::{Result, Tensor};
use candle_nn::Module;

struct Scale(f64);

impl Module for Scale {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x * self.0
    }
}

#[fx::module]
struct Residual<M> {
    inner: M,
}

#[fx::module]
impl<M: Module> Module for Residual<M> {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.inner.forward(x)? + x
    }
}

fn main() {
    let _ = fx::symbolic_trace(&Residual { inner: Scale(2.0) });
}
