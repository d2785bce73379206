//! The crate from behind somebody's re-export.
#![deny(warnings)]

/// What a framework would do.
mod framework {
    pub(super) mod parts {
        pub(crate) use ::fx::*;
    }
}

// Nobody's.
mod fx {}

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[framework::parts::constant(crate = framework::parts)]
#[derive(Clone)]
struct Config {
    scale: f64,
}

#[framework::parts::module(crate = crate::reexported_crate::framework::parts)]
struct Model {
    linear: Linear,
    config: Config,
}

#[framework::parts::wrap(crate = framework::parts, pure)]
fn whole(x: &Tensor) -> Result<Tensor> {
    x.neg()
}

#[framework::parts::module(crate = framework::parts)]
fn helper(x: &Tensor) -> Result<Tensor> {
    whole(x)?.relu()
}

#[framework::parts::module(crate = crate::reexported_crate::framework::parts)]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        helper(&self.linear.forward(x)?)? * self.config.scale
    }
}

#[test]
fn it_compiles() {
    let weight = Tensor::new(&[[1f32]], &candle_core::Device::Cpu).unwrap();
    let model = Model { linear: Linear::new(weight, None), config: Config { scale: 2.0 } };
    assert_eq!(framework::parts::symbolic_trace(&model).unwrap().graph().len(), 6);
}
