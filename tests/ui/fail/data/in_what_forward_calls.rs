use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Model {
    linear: Linear,
}

#[fx::module]
impl Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.scaled(&self.linear.forward(x)?)
    }

    fn scaled(&self, x: &Tensor) -> Result<Tensor> {
        x / f64::from(Self::largest(x)?)
    }

    fn largest(x: &Tensor) -> Result<f32> {
        x.max_all()?.to_scalar()
    }

    // Nobody traces this one.
    fn sample(&self, logits: &Tensor) -> Result<u32> {
        logits.argmax(0)?.to_scalar()
    }
}

fn main() {}
