//! Names that are keywords.
#![deny(warnings)]

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

use super::support::{linear, same};

#[fx::module]
#[derive(Clone)]
struct Model {
    r#type: Linear,
    r#fn: Vec<Linear>,
    r#match: usize,
    kind: Kind,
}

#[fx::module]
#[allow(non_camel_case_types, reason = "a test")]
struct r#struct {
    r#in: Model,
}

#[fx::module]
#[derive(Clone)]
enum Kind {
    r#Try(Linear),
    Named { r#type: Linear, r#else: Tensor },
    r#Yield,
}

#[fx::module]
fn r#move(r#ref: &Tensor, r#mut: f64) -> Result<Tensor> {
    r#ref * r#mut
}

#[fx::wrap(pure)]
fn r#loop(r#ref: &Tensor, r#mut: f64) -> Result<Tensor> {
    r#ref * r#mut
}

#[fx::module]
impl Kind {
    fn forward(&self, r#dyn: &Tensor, r#yield: usize) -> Result<Tensor> {
        match self {
            Self::r#Try(r#for) => r#for.forward(r#dyn),
            Kind::Named { r#type, r#else: other } => r#type.forward(&r#dyn.broadcast_add(other)?)? * r#yield as f64,
            Self::r#Yield => r#dyn.relu(),
        }
    }
}

#[fx::module]
impl Model {
    fn r#while(&self, x: &Tensor) -> Result<Tensor> {
        let mut y = self.r#type.forward(x)?;
        for r#in in &self.r#fn {
            y = r#in.forward(&y)?;
        }
        r#loop(&r#move(&y, self.r#match as f64)?, 2.0)
    }
}

#[fx::module]
impl Module for r#struct {
    fn forward(&self, r#box: &Tensor) -> Result<Tensor> {
        let Self { r#in } = self;
        let y = r#in.r#while(r#box)?;
        let y = match &r#in.kind {
            Kind::r#Try(linear) => linear.forward(&y)?,
            _ => y,
        };
        Kind::r#Yield.forward(&r#in.kind.forward(&y, 2)?, 1)
    }
}

#[test]
fn it_computes_the_same() {
    let bias = Tensor::new(&[3f32, 0.5], &candle_core::Device::Cpu).unwrap();
    for kind in [Kind::r#Try(linear()), Kind::Named { r#type: linear(), r#else: bias }, Kind::r#Yield] {
        let model = Model { r#type: linear(), r#fn: vec![linear()], r#match: 3, kind };
        same(&r#struct { r#in: model }, |model, x| model.forward(x));
    }
}
