use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Model {
    linear: Linear,
}

struct Cache {
    seen: Option<Tensor>,
}

#[fx::module]
impl Model {
    fn forward(&self, x: &Tensor, cache: &mut Cache) -> Result<Tensor> {
        let y = self.linear.forward(x)?;
        cache.seen = Some(y.clone());
        Ok(y)
    }
}

fn main() {}
