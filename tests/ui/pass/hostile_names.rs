//! Names of the user's that mean something to everyone else.
#![deny(warnings)]
#![allow(dead_code, reason = "only their names matter")]

use candle_nn::{Linear, Module};

type Tensor = candle_core::Tensor;

struct Ok;
struct Some;
struct Vec;
struct String;
struct Box;
struct Result;
trait Clone {}
trait Iterator {}

#[fx::module]
struct Option {
    result: Linear,
    scope: Tensor,
    inputs: std::option::Option<Tensor>,
}

#[fx::module]
impl Module for Option {
    fn forward(&self, xs: &Tensor) -> candle_core::Result<Tensor> {
        let vec = self.result.forward(xs)?;
        vec + &self.scope
    }
}

#[test]
fn it_compiles() {
    let _ = fx::symbolic_trace::<Option, _>;
}
