use std::collections::HashMap;

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Named {
    linear: Linear,
}

#[fx::module]
impl Named {
    fn forward(&self, x: &Tensor) -> Result<HashMap<String, Tensor>> {
        Ok(HashMap::from([("y".to_owned(), self.linear.forward(x)?)]))
    }
}

#[derive(Debug)]
struct Failed;

impl From<candle_core::Error> for Failed {
    fn from(_: candle_core::Error) -> Self {
        Failed
    }
}

#[fx::module]
struct Failing {
    linear: Linear,
}

#[fx::module]
impl Failing {
    fn forward(&self, x: &Tensor) -> std::result::Result<Tensor, Failed> {
        Ok(self.linear.forward(x)?)
    }
}

fn main() {}
