//! The crate under another name, and from behind somebody's re-export.
#![deny(warnings)]

extern crate fx as graphs;

/// What a framework would do.
mod framework {
    pub mod parts {
        pub use graphs::*;
    }
}

mod fx {}

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[graphs::constant(crate = graphs)]
#[derive(Clone)]
struct Config {
    scale: f64,
}

#[framework::parts::module(crate = crate::framework::parts)]
struct Model {
    linear: Linear,
    config: Config,
}

#[graphs::wrap(crate = graphs, pure)]
fn whole(x: &Tensor) -> Result<Tensor> {
    x.neg()
}

#[graphs::module(crate = graphs)]
fn helper(x: &Tensor) -> Result<Tensor> {
    whole(x)?.relu()
}

#[framework::parts::module(crate = crate::framework::parts)]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        helper(&self.linear.forward(x)?)? * self.config.scale
    }
}

fn main() {
    let weight = Tensor::new(&[[1f32]], &candle_core::Device::Cpu).unwrap();
    let model = Model { linear: Linear::new(weight, None), config: Config { scale: 2.0 } };
    assert_eq!(graphs::symbolic_trace(&model).unwrap().graph().len(), 6);
}
