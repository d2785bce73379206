//! Impls of traits for types that are imported by name.
#![deny(warnings)]

use candle_core::{Result, Tensor};
use candle_nn::{Module, ModuleT};

use super::support::{linear, same};

mod layers {
    use candle_nn::Linear;

    #[fx::module]
    #[derive(Debug)]
    pub(super) struct Model {
        pub(super) linear: Linear,
    }

    #[fx::module]
    pub(super) enum Kind {
        One(Linear),
        Scaled { by: f64 },
        None,
    }

    #[fx::module]
    pub(super) struct Pair(pub(super) Linear, pub(super) f64);

    #[fx::module]
    pub(super) struct Unit;

    #[fx::module]
    pub(super) struct Named<'n> {
        pub(super) name: &'n str,
        pub(super) linear: Linear,
    }
}

mod blocks {
    use candle_core::{Result, Tensor};

    #[fx::module]
    pub(super) trait Block {
        fn run(&self, x: &Tensor) -> Result<Tensor>;
    }
}

use blocks::Block;
use layers::{Kind, Model, Named as Titled, Pair, Unit};

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let Self { linear } = self;
        let other = Self { linear: linear.clone() };
        other.linear.forward(&self.linear.forward(x)?)
    }
}

#[fx::module]
impl Module for Kind {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            Self::One(linear) => linear.forward(x),
            Kind::Scaled { by } => x * *by,
            Self::None => Self::Scaled { by: 3.0 }.forward(x),
        }
    }
}

#[fx::module]
impl Module for Pair {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let Self(linear, by) = self;
        let other = Self(linear.clone(), *by);
        let Pair(linear, _) = &other;
        linear.forward(x)? * self.1
    }
}

#[fx::module]
impl ModuleT for Unit {
    fn forward_t(&self, x: &Tensor, train: bool) -> Result<Tensor> {
        let Self = self;
        if train { Ok(x.clone()) } else { x.relu() }
    }
}

#[fx::module]
impl Module for Titled<'_> {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        if self.name.is_empty() { Ok(x.clone()) } else { self.linear.forward(x) }
    }
}

#[fx::module(mirrored)]
impl Block for Pair {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        self.0.forward(x)? + self.1
    }
}

#[fx::module]
struct Whole<'n> {
    model: Model,
    kinds: [Kind; 3],
    pair: Pair,
    named: Titled<'n>,
    blocks: Vec<Box<dyn Block>>,
}

#[fx::module]
impl Module for Whole<'_> {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut y = self.named.forward(&self.pair.forward(&self.model.forward(x)?)?)?;
        for kind in &self.kinds {
            y = kind.forward(&y)?;
        }
        self.blocks.iter().try_fold(y, |y, block| block.run(&y))
    }
}

#[test]
fn it_computes_the_same() {
    let name = String::from("a");
    let whole = Whole {
        model: Model { linear: linear() },
        kinds: [Kind::One(linear()), Kind::Scaled { by: 2.0 }, Kind::None],
        pair: Pair(linear(), 2.0),
        named: Titled { name: &name, linear: linear() },
        blocks: vec![Box::new(Pair(linear(), 1.0)), Box::new(Pair(linear(), 0.5))],
    };
    same(&whole, |model, x| model.forward(x));
    let captured = fx::trace(&Unit, (&super::support::input(), false)).expect("it is captured");
    assert_eq!(captured.graph().len(), 3);
}
