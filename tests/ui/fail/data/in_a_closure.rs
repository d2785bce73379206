use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Model {
    linear: Linear,
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let read = |x: &Tensor| x.mean_all()?.to_vec0::<f32>();
        let y = self.linear.forward(x)?;
        &y - f64::from(read(&y)?)
    }
}

fn main() {}
