use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

struct Halves {
    first: Tensor,
    second: Tensor,
}

struct Scale {
    by: f64,
}

#[fx::module]
struct Model {
    linear: Linear,
}

#[fx::module]
impl Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let Halves { first, second } = self.halves(x)?;
        let scale = Scale { by: 2.0 };
        (first + second)? * scale.by
    }

    fn halves(&self, x: &Tensor) -> Result<Halves> {
        let x = self.linear.forward(x)?;
        Ok(Halves { first: x.narrow(0, 0, 1)?, second: x.narrow(0, 1, 1)? })
    }
}

fn main() {}
