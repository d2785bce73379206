use candle_core::{Result, Tensor};

#[fx::wrap]
fn scaled<T: Into<f64>>(x: &Tensor, scale: T) -> Result<Tensor> {
    x * scale.into()
}

#[fx::wrap]
fn mapped(x: &Tensor, map: impl Fn(&Tensor) -> Result<Tensor>) -> Result<Tensor> {
    map(x)
}

fn main() {}
