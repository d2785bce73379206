use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Model {
    linear: Linear,
    names: Vec<String>,
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let names = self.names.clone();
        drop(names);
        if names.is_empty() {
            return Ok(x.clone());
        }
        let first = self.names[0];
        self.linear.forward(x)
    }
}

fn main() {}
