//! Data may be read where somebody says so, where nothing is traced, and where calls are recorded whole.
#![deny(warnings)]

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Model {
    linear: Linear,
}

#[fx::module(specialize)]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = self.linear.forward(x)?;
        if y.max_all()?.to_scalar::<f32>()? > 1.0 { y.relu() } else { normalised(&clipped(&y)?) }
    }
}

#[fx::module]
impl Model {
    fn forward_clipped(&self, x: &Tensor) -> Result<Tensor> {
        self.by_mean(&clipped(&self.linear.forward(x)?)?)
    }

    #[fx(specialize)]
    fn by_mean(&self, x: &Tensor) -> Result<Tensor> {
        x / f64::from(x.mean_all()?.to_scalar::<f32>()?)
    }

    fn token(&self, logits: &Tensor) -> Result<u32> {
        logits.argmax(0)?.to_scalar()
    }
}

#[fx::module(specialize)]
fn normalised(x: &Tensor) -> Result<Tensor> {
    x / f64::from(x.sum_all()?.to_scalar::<f32>()?)
}

#[fx::wrap]
fn clipped(x: &Tensor) -> Result<Tensor> {
    let data: Vec<f32> = x.flatten_all()?.to_vec1()?;
    Tensor::from_vec(data.into_iter().map(|x| x.min(1.0)).collect(), x.shape(), x.device())
}

#[test]
fn it_compiles() {
    let model = Model { linear: Linear::new(Tensor::new(&[[2f32]], &Device::Cpu).unwrap(), None) };
    let x = Tensor::ones((1, 1), DType::F32, &Device::Cpu).unwrap();
    let module = fx::Tracer::new().specialize(true).trace_examples(&model, (&x,)).unwrap();
    let y = module.forward(&[&x]).unwrap();
    assert_eq!(y.to_vec2::<f32>().unwrap(), [[2.0]]);
    assert!(fx::trace(&model, (&x,)).is_err());
    assert_eq!(model.token(&Tensor::new(&[1f32, 2.0], &Device::Cpu).unwrap()).unwrap(), 1);
    let _ = model.forward_clipped(&x).unwrap();
}
