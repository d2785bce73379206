use candle_core::{Result, Tensor};

#[fx::module]
#[fx::constant]
#[derive(Clone)]
struct Config {
    heads: usize,
}

#[fx::constant]
#[derive(Clone)]
#[fx::module]
struct Limits {
    heads: usize,
}

#[fx::module]
#[fx::wrap]
fn route(x: &Tensor) -> Result<Tensor> {
    x.relu()
}

fn main() {}
