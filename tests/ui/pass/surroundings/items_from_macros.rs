//! Annotated items that a macro of the user's writes, with names and bodies from outside and inside of it.
#![deny(warnings)]

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

macro_rules! layer {
    ($name:ident { $($field:ident),* } |$x:ident| $body:expr) => {
        #[fx::module]
        struct $name {
            $($field: Linear,)*
            scale: f64,
        }

        #[fx::module]
        impl Module for $name {
            fn forward(&self, $x: &Tensor) -> Result<Tensor> {
                let y = $body;
                $(let y = self.$field.forward(&y)?;)*
                y * self.scale
            }
        }
    };
}

macro_rules! helper {
    ($name:ident, $op:ident) => {
        #[fx::module]
        fn $name(x: &Tensor) -> Result<Tensor> {
            x.$op()
        }
    };
}

helper!(activated, relu);
layer!(Up { first, second } |x| activated(x)?);
layer!(Down { only } |x| x.neg()?);

#[fx::module]
struct Model {
    up: Up,
    down: Down,
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.down.forward(&x.apply(&self.up)?)
    }
}

fn main() {
    let linear = || Linear::new(Tensor::new(&[[1f32]], &candle_core::Device::Cpu).unwrap(), None);
    let up = Up { first: linear(), second: linear(), scale: 2.0 };
    let model = Model { up, down: Down { only: linear(), scale: 3.0 } };
    let module = fx::symbolic_trace(&model).unwrap();
    let text = module.graph().to_string();
    assert!(text.contains("up.second") && text.contains("down.only"), "{text}");
}
