use candle_core::{Result, Tensor};

#[fx::module]
struct Model {
    act: Box<dyn Fn(&Tensor) -> Result<Tensor>>,
}

fn main() {}
