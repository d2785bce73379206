use candle_core::{Result, Tensor};

trait Layer {
    fn run(&self, x: &Tensor) -> Result<Tensor>;
}

#[fx::module]
impl<F: Fn(&Tensor) -> Result<Tensor>> Layer for F {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        self(x)
    }
}

fn main() {}
