use candle_core::{Result, Tensor};

#[fx::module]
async fn later(x: &Tensor) -> Result<Tensor> {
    x.relu()
}

#[fx::module]
unsafe fn careful(x: &Tensor) -> Result<Tensor> {
    x.relu()
}

#[fx::module]
const fn early(x: &Tensor) -> &Tensor {
    x
}

#[fx::wrap]
async fn wrapped(x: &Tensor) -> Result<Tensor> {
    x.relu()
}

fn main() {}
