//! Items, fields, variants, methods and statements that are compiled or not.
#![deny(warnings)]

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[cfg(any())]
#[fx::module]
struct Gone {
    unknown: Unknown,
}

#[cfg(any())]
#[fx::module]
impl Gone {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.unknown()
    }
}

#[fx::module]
#[cfg(any())]
fn gone(x: &Tensor) -> Result<Tensor> {
    x.unknown()
}

#[fx::module]
enum Layer {
    Linear(Linear),
    #[cfg(any())]
    Unknown(Unknown),
    #[cfg(not(any()))]
    Relu,
}

#[fx::module]
impl Layer {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            Self::Linear(linear) => linear.forward(x),
            #[cfg(any())]
            Self::Unknown(unknown) => unknown.forward(x),
            Self::Relu => x.relu(),
        }
    }
}

#[fx::module]
struct Model {
    layers: Vec<Layer>,
    #[cfg(any())]
    unknown: Unknown,
    #[cfg(not(any()))]
    scale: f64,
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        #[cfg(any())]
        let x = &self.unknown.forward(x)?;
        let mut x = x.clone();
        for layer in &self.layers {
            x = layer.forward(&x)?;
        }
        self.scaled(&x)
    }
}

#[fx::module]
impl Model {
    #[cfg(any())]
    fn scaled(&self, x: &Tensor) -> Result<Tensor> {
        self.unknown.forward(x)
    }

    #[cfg(not(any()))]
    fn scaled(&self, x: &Tensor) -> Result<Tensor> {
        x * self.scale
    }
}

#[test]
fn it_compiles() {
    let weight = Tensor::new(&[[1f32]], &candle_core::Device::Cpu).unwrap();
    let model = Model { layers: vec![Layer::Linear(Linear::new(weight, None)), Layer::Relu], scale: 2.0 };
    assert_eq!(fx::symbolic_trace(&model).unwrap().graph().len(), 5);
}
