//! A trait whose module has nothing else: what it imports is used.
#![deny(warnings)]

use candle_core::{Result, Tensor};

#[fx::module]
pub(crate) trait Layer: Send + Sync {
    /// Runs it.
    fn run(&self, x: &Tensor) -> Result<Tensor>;
}

mod elsewhere {
    use candle_nn::Linear;

    #[fx::module]
    #[derive(Debug, Clone)]
    pub(crate) struct One(pub(crate) Linear);

    mod implementation {
        use candle_core::{Result, Tensor};
        use candle_nn::Module;

        use crate::traits_alone::Layer;

        #[fx::module(mirrored)]
        impl Layer for super::One {
            fn run(&self, x: &Tensor) -> Result<Tensor> {
                self.0.forward(x)
            }
        }
    }
}

mod model {
    use candle_core::{Result, Tensor};
    use candle_nn::Module;

    use super::Layer;

    #[fx::module]
    pub(crate) struct Model {
        pub(crate) layers: Vec<Box<dyn Layer>>,
    }

    #[fx::module]
    impl Module for Model {
        fn forward(&self, x: &Tensor) -> Result<Tensor> {
            self.layers.iter().try_fold(x.clone(), |y, layer| layer.run(&y))
        }
    }
}

#[test]
fn it_computes_the_same() {
    use candle_nn::Module;

    let one = || Box::new(elsewhere::One(super::support::linear()));
    super::support::same(&model::Model { layers: vec![one(), one()] }, |model, x| model.forward(x));
}
