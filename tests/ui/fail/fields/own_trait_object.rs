use candle_core::{Result, Tensor};

trait Layer {
    fn run(&self, x: &Tensor) -> Result<Tensor>;
}

#[fx::module]
struct Model {
    layer: Box<dyn Layer>,
}

fn main() {}
