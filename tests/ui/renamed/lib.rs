//! The crates under other names: what the attributes write finds them all the same.

#![deny(warnings)]

use layers::{Linear, Module};
use tensors::{Result, Tensor};

/// Settings.
#[graphs::constant(crate = graphs)]
#[derive(Debug, Clone)]
pub struct Config {
    /// What results are multiplied with.
    pub scale: f64,
}

/// What is done with a result.
#[graphs::module(crate = graphs)]
#[derive(Debug)]
pub enum Act {
    /// Nothing below zero.
    Relu,
    /// A layer.
    Linear(Linear),
}

#[graphs::module(crate = graphs)]
impl Act {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            Self::Relu => x.relu(),
            Self::Linear(linear) => linear.forward(x),
        }
    }
}

/// A model.
#[graphs::module(crate = ::graphs)]
#[derive(Debug)]
pub struct Model {
    /// Weights.
    pub linear: Linear,
    /// What follows.
    pub act: Act,
    /// The settings.
    pub config: Config,
}

#[graphs::wrap(crate = graphs, pure)]
fn whole(x: &Tensor) -> Result<Tensor> {
    x.neg()
}

#[graphs::module(crate = graphs)]
fn helper(x: &Tensor) -> Result<Tensor> {
    whole(x)?.relu()
}

#[graphs::module(crate = graphs)]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        helper(&self.act.forward(&self.linear.forward(x)?)?)? * self.config.scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_captured() -> std::result::Result<(), Box<dyn std::error::Error>> {
        let weight = Tensor::new(&[[1f32]], &tensors::Device::Cpu)?;
        let linear = Linear::new(weight, None);
        let model = Model { linear: linear.clone(), act: Act::Linear(linear), config: Config { scale: 2.0 } };
        assert_eq!(graphs::symbolic_trace(&model)?.graph().len(), 7);
        Ok(())
    }
}
