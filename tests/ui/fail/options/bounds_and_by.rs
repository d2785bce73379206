use candle_core::{Result, Tensor};

#[fx::module(bounds(Clone))]
struct Model {
    weight: Tensor,
}

#[fx::module(by(x), bounds(Copy), bounds(Clone))]
impl Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x * &self.weight
    }
}

#[fx::module(by(model))]
fn run(models: &Model, x: &Tensor) -> Result<Tensor> {
    x * &models.weight
}

#[fx::module(by)]
fn run_again(model: &Model, x: &Tensor) -> Result<Tensor> {
    x * &model.weight
}

fn main() {}
