//! What the attributes write passes the lints of a strict crate: names, visibility, idioms, unused items.
#![deny(warnings, nonstandard_style, unused, rust_2018_idioms)]
#![deny(missing_docs, missing_debug_implementations, unreachable_pub, unused_qualifications, unused_lifetimes)]
#![deny(single_use_lifetimes, trivial_casts, trivial_numeric_casts, let_underscore_drop, unnameable_types)]
#![deny(elided_lifetimes_in_paths, explicit_outlives_requirements, meta_variable_misuse, unit_bindings)]
#![forbid(unsafe_code)]

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::constant]
#[derive(Clone, Debug)]
struct Config {
    scale: usize,
}

#[fx::module]
#[derive(Debug)]
enum Layer {
    Linear(Linear),
    Scaled { x: usize },
}

#[fx::module]
impl Layer {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            Self::Linear(linear) => linear.forward(x),
            Self::Scaled { x: scale } => x * *scale as f64,
        }
    }
}

#[fx::module]
#[derive(Debug)]
struct Model {
    first: Linear,
    config: Config,
    layers: Vec<Layer>,
}

#[fx::wrap]
fn kept_whole(x: &Tensor) -> Result<Tensor> {
    Ok(x.clone())
}

#[fx::module]
#[inline]
fn scaled(x: &Tensor, scale: usize) -> Result<Tensor> {
    x * scale as f64
}

#[fx::module]
impl Module for Model {
    #[inline]
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut x = scaled(&kept_whole(&self.first.forward(x)?)?, self.config.scale)?;
        for layer in &self.layers {
            x = layer.forward(&x)?;
        }
        candle_nn::ops::silu(&x)
    }
}

#[test]
fn it_compiles() {
    let linear = || Linear::new(Tensor::new(&[[1f32]], &candle_core::Device::Cpu).unwrap(), None);
    let layers = vec![Layer::Linear(linear()), Layer::Scaled { x: 1 }];
    let model = Model { first: linear(), config: Config { scale: 1 }, layers };
    let _module = fx::symbolic_trace(&model).unwrap();
}
