use candle_core::{Result, Tensor};

#[fx::module]
trait Layer {
    fn run(&self, x: &Tensor) -> Result<Tensor>;
}

fn main() {}
