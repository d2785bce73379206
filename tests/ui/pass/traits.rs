//! Traits of the user's, in every position.
#![deny(warnings)]

use std::fmt;

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module, ModuleT};

use super::support::{linear, same};

trait Layer {
    type Output;
    const NAME: &'static str;
    fn run(&self, x: &Tensor) -> Result<Self::Output>;
    fn doubled(&self, x: &Tensor) -> Result<Tensor>;
}

/// For both worlds.
#[fx::module]
pub(crate) trait Block: fmt::Debug {
    /// Runs it.
    fn run(&self, x: &Tensor) -> Result<Tensor>;
    fn width(&self) -> usize {
        2
    }
}

#[fx::module]
#[derive(Debug)]
struct One(Linear);

#[fx::module]
#[derive(Debug)]
struct Nothing;

#[fx::module(mirrored)]
impl Block for One {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        let Self(linear) = self;
        linear.forward(x)
    }

    fn width(&self) -> usize {
        self.0.weight().dims()[0]
    }
}

#[fx::module(mirrored)]
impl Block for Nothing {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        Ok(x.clone())
    }
}

#[fx::module]
struct Model {
    linear: Linear,
    blocks: Vec<Box<dyn Block + Send + Sync>>,
}

#[fx::module]
impl Layer for Model {
    type Output = (Tensor, Tensor);
    const NAME: &'static str = "model";

    fn run(&self, x: &Tensor) -> Result<Self::Output> {
        let mut y = self.linear.forward(x)?;
        for block in &self.blocks {
            y = block.run(&y)?;
        }
        if Self::NAME.is_empty() {
            candle_core::bail!("{}", Self::NAME)
        }
        Ok((y.clone(), y.relu()?))
    }

    fn doubled(&self, x: &Tensor) -> Result<Tensor> {
        let (y, z) = self.run(x)?;
        y + z
    }
}

#[fx::module]
impl ModuleT for Model {
    fn forward_t(&self, x: &Tensor, train: bool) -> Result<Tensor> {
        if train { self.doubled(x) } else { self.doubled(x)?.neg() }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.blocks.iter().map(|block| block.width()).sum::<usize>())
    }
}

impl PartialEq for One {
    fn eq(&self, other: &Self) -> bool {
        self.width() == other.width()
    }
}

#[test]
fn it_computes_the_same() {
    let model = Model { linear: linear(), blocks: vec![Box::new(One(linear())), Box::new(Nothing)] };
    assert_eq!(model.to_string(), "4");
    assert_eq!(One(linear()), One(linear()));
    let x = super::support::input();
    let module = fx::trace(&model, (&x, true)).expect("it is captured");
    let (graph, own) = (module.forward(&[&x]).expect("it runs"), model.forward_t(&x, true).expect("the model runs"));
    assert_eq!(graph.to_vec2::<f32>().expect("numbers"), own.to_vec2::<f32>().expect("numbers"));
    same(&Plain { linear: linear() }, |model, x| model.forward(x));
}

#[fx::module]
struct Plain {
    linear: Linear,
}

#[fx::module]
impl Plain {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}
