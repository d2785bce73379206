use candle_core::{Result, Tensor};

#[fx::wrap(impure)]
fn route(x: &Tensor) -> Result<Tensor> {
    x.relu()
}

fn main() {}
