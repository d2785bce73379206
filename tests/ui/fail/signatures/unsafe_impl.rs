use candle_core::{Result, Tensor};

unsafe trait Checked {
    fn run(&self, x: &Tensor) -> Result<Tensor>;
}

#[fx::module]
struct Model {
    weight: Tensor,
}

#[fx::module]
unsafe impl Checked for Model {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        x * &self.weight
    }
}

fn main() {}
