use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Model {
    linear: Linear,
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = self.linear.forward(x)?;
        println!("{:?}", y.to_vec1::<f32>()?);
        assert!(y.sum_all()?.to_scalar::<f32>()? < 1.0);
        Ok(y)
    }
}

fn main() {}
