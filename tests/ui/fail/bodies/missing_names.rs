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
        let z = missing + 1;
        let text: Strin = String::new();
        absent(z)?;
        Unknown::new(z);
        let Absent { a } = z;
        nothing!(z);
        self.linear.forward(x)
    }
}

fn main() {}
