//! Impls in modules of their own, which find everything by `use super::*`.
#![deny(warnings)]

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

use super::support::{linear, same};

#[fx::module]
struct Model {
    linear: Linear,
    kind: Kind,
}

#[fx::module]
enum Kind {
    One(Linear),
    Scaled { by: f64 },
    None,
}

#[fx::constant]
#[derive(Debug, Clone, Copy, PartialEq)]
enum Order {
    Before,
    After,
}

/// Named like one of candle's functions.
#[fx::module]
fn silu(x: &Tensor) -> Result<Tensor> {
    x * 3.0
}

impl Model {
    const FACTOR: f64 = 2.0;
}

mod implementation {
    use super::*;

    #[fx::module]
    impl Module for Model {
        fn forward(&self, x: &Tensor) -> Result<Tensor> {
            let y = self.twice(x)? * Self::FACTOR;
            let other = match &self.kind {
                Kind::None => Kind::Scaled { by: Model::FACTOR },
                _ => Kind::None,
            };
            other.forward(&silu(&y?)?)
        }
    }

    mod deeper {
        use super::*;

        #[fx::module]
        impl Model {
            pub(super) fn twice(&self, x: &Tensor) -> Result<Tensor> {
                let y = self.linear.forward(&self.linear.forward(x)?)?;
                match &self.kind {
                    Kind::One(linear) => linear.forward(&y),
                    Kind::Scaled { by } => y * *by,
                    Kind::None => Ok(y),
                }
            }
        }

        #[fx::module]
        impl Kind {
            pub(in crate::globs) fn forward(&self, x: &Tensor) -> Result<Tensor> {
                let order = if matches!(self, Kind::None) { Order::Before } else { Order::After };
                match (self, order) {
                    (Kind::None, Order::Before) => x.neg(),
                    (_, Order::Before | Order::After) => super::super::silu(x),
                }
            }
        }
    }
}

#[test]
fn it_computes_the_same() {
    for kind in [Kind::One(linear()), Kind::Scaled { by: 0.5 }, Kind::None] {
        same(&Model { linear: linear(), kind }, |model, x| model.forward(x));
    }
}
