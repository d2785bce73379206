//! The program of `hostile_names` and others without any attribute is the same program: here, items inside functions,
//! cfg'd fields and methods, doc comments and lints of the user's.
#![deny(warnings, missing_docs, clippy::all)]
#![allow(unexpected_cfgs, reason = "no build has that feature")]

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

/// A model.
#[fx::module]
#[derive(Debug, Clone)]
pub struct Model {
    /// Weights.
    pub linear: Linear,
    #[cfg(feature = "never")]
    pub missing: NotThere,
}

#[fx::module]
impl Module for Model {
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        #[cfg(feature = "never")]
        let xs = &self.missing.forward(xs)?;
        self.linear.forward(xs)
    }
}

macro_rules! define {
    ($name:ident) => {
        #[fx::module]
        struct $name {
            inner: Model,
        }

        #[fx::module]
        impl Module for $name {
            fn forward(&self, xs: &Tensor) -> Result<Tensor> {
                self.inner.forward(xs)?.relu()
            }
        }
    };
}

define!(Wrapped);

#[test]
fn it_compiles() {
    let _ = fx::symbolic_trace::<Wrapped, _>;

    #[fx::module]
    struct Local {
        inner: Model,
    }

    #[fx::module]
    impl Module for Local {
        fn forward(&self, xs: &Tensor) -> Result<Tensor> {
            xs.apply(&self.inner)
        }
    }

    let _ = fx::symbolic_trace::<Local, _>;
}
