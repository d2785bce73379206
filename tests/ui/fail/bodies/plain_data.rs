use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Model {
    linear: Linear,
    heads: usize,
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let heads: u32 = self.heads;
        let half = "half" / 2;
        let last = vec![1, 2].last_one();
        if self.heads {
            return Ok(x.clone());
        }
        self.linear.forward(x)
    }
}

fn main() {}
