use candle_core::{Result, Tensor};

struct Config {
    heads: usize,
}

#[fx::wrap]
fn heads(x: &Tensor, config: &Config) -> Result<Tensor> {
    x * config.heads as f64
}

fn main() {}
