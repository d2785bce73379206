use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Model {
    linear: Linear,
}

#[fx::module(specialise)]
impl Model {
    #[fx(included)]
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mean: f32 = x.mean_all()?.to_scalar()?;
        self.linear.forward(&(x - f64::from(mean))?)
    }

    #[fx(skip, include)]
    async fn forward_later(&self, x: &Tensor) -> Result<Tensor> {
        self.forward(x)
    }

    unsafe fn forward_unchecked(&self, x: &Tensor) -> Result<Tensor> {
        self.forward(x)
    }
}

fn main() {}
