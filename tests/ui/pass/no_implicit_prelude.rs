//! Nothing that an expansion writes relies on the prelude.
#![no_implicit_prelude]
#![deny(warnings)]

use ::candle_core::{Result, Tensor};
use ::candle_nn::{Linear, Module};

#[::fx::constant]
#[derive(::core::clone::Clone)]
struct Config {
    scale: f64,
}

#[::fx::module]
enum Act {
    Relu,
    Scaled(f64),
}

#[::fx::module]
impl Act {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            Self::Relu => x.relu(),
            Self::Scaled(scale) => x.affine(*scale, 0.0),
        }
    }
}

#[::fx::wrap]
fn whole(x: &Tensor) -> Result<Tensor> {
    x.neg()
}

#[::fx::module]
fn helper(x: &Tensor, scale: f64) -> Result<Tensor> {
    whole(&x.affine(scale, 0.0)?)
}

#[::fx::module]
struct Model {
    linear: Linear,
    acts: ::std::vec::Vec<Act>,
    config: Config,
}

#[::fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut x = helper(&self.linear.forward(x)?, self.config.scale)?;
        for act in &self.acts {
            x = act.run(&x)?;
        }
        ::core::result::Result::Ok(x)
    }
}

#[::core::prelude::v1::test]
fn it_compiles() {
    let weight = ::core::result::Result::unwrap(Tensor::new(&[[1f32]], &::candle_core::Device::Cpu));
    let acts = ::std::vec![Act::Relu, Act::Scaled(2.0)];
    let model =
        Model { linear: Linear::new(weight, ::core::option::Option::None), acts, config: Config { scale: 3.0 } };
    let module = ::core::result::Result::unwrap(::fx::symbolic_trace(&model));
    ::std::assert_eq!(module.graph().len(), 7);
}
