use candle_core::{Result, Tensor};

#[fx::module]
struct Model {
    weight: Tensor,
}

#[fx::module]
impl Model {
    async fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x * &self.weight
    }
}

fn main() {}
