use candle_core::{Result, Tensor};
use candle_nn::Module;

#[fx::module]
trait Block: Module {
    fn run(&self, x: &Tensor) -> Result<Tensor>;
}

fn main() {}
