use candle_core::{Result, Tensor};

#[fx::module]
struct Model {
    #[fx(constant)]
    weight: Tensor,
    #[fx(constant)]
    more: Vec<candle_core::Tensor>,
}

#[fx::module]
impl Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.matmul(&self.weight)
    }
}

fn main() {}
