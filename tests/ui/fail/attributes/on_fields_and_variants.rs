use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Model {
    #[fx::module]
    linear: Linear,
    #[fx::constant]
    times: usize,
    kind: Kind,
}

#[fx::module]
enum Kind {
    #[fx::module]
    Scaled(#[fx::wrap] f64),
    Plain,
}

#[fx::constant]
#[derive(Clone)]
struct Config {
    #[fx::constant]
    size: usize,
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self.kind {
            Kind::Scaled(by) => self.linear.forward(x)? * (by * self.times as f64),
            Kind::Plain => self.linear.forward(x),
        }
    }
}

fn main() {}
