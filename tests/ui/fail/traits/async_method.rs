use candle_core::{Result, Tensor};

#[fx::module]
trait Block {
    async fn run(&self, x: &Tensor) -> Result<Tensor>;
}

fn main() {}
