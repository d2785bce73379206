//! Items in modules of each other.
#![deny(warnings)]

mod layers {
    pub(super) mod deep {
        use candle_core::{Result, Tensor};

        #[fx::module]
        #[derive(Debug)]
        pub(in crate::modules) struct Scale(pub(in crate::modules::layers) f64, pub(super) Tensor);

        #[fx::module]
        pub(super) fn scaled(x: &Tensor, by: f64) -> Result<Tensor> {
            x * by
        }

        #[fx::wrap(pure)]
        pub(in crate::modules) fn whole(x: &Tensor) -> Result<Tensor> {
            x.neg()
        }

        pub(in crate::modules) const TWO: f64 = 2.0;
        pub(in crate::modules) static NAMES: [&str; 1] = ["scale"];
    }

    use candle_core::{Device, Result, Tensor};
    use candle_nn::Module;

    pub(super) fn factor() -> Tensor {
        Tensor::new(&[3f32, 0.5], &Device::Cpu).expect("two numbers")
    }

    impl deep::Scale {
        pub(super) fn new(factor: Tensor) -> Self {
            Self(2.0, factor)
        }
    }

    #[fx::module]
    impl Module for deep::Scale {
        fn forward(&self, x: &Tensor) -> Result<Tensor> {
            let y = deep::scaled(x, self.0)?.broadcast_mul(&self.1)?;
            self::deep::whole(&(y * super::modules_own())?)
        }
    }
}

fn modules_own() -> f64 {
    layers::deep::TWO * layers::deep::NAMES.len() as f64
}

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};
use layers::deep::{Scale as Scaled, whole as negated};

use super::support::{linear, same};

type Layers = Vec<Scaled>;

#[fx::module]
struct Model {
    layers: Layers,
    linear: Linear,
    inner: crate::modules::layers::deep::Scale,
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        use layers::deep;
        let mut y = self.linear.forward(&self.inner.forward(x)?)?;
        for layer in &self.layers {
            y = x.apply(layer)?.add(&y)?;
        }
        negated(&deep::whole(&y)?)
    }
}

#[test]
fn it_computes_the_same() {
    let scale = || Scaled::new(layers::factor());
    let model = Model { layers: vec![scale()], linear: linear(), inner: scale() };
    same(&model, |model, x| model.forward(x));
}
