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
        let one: Vec<f32> = y.flatten_all()?.to_vec1()?;
        let two = y.to_vec2::<f32>()?;
        let three = y.unsqueeze(0)?.to_vec3::<f32>()?;
        y + f64::from(one[0] + two[0][0] + three[0][0][0])
    }
}

fn main() {}
