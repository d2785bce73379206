use candle_core::{Result, Tensor};

use candle_nn::Module;

struct Rope {
    cos: Tensor,
}

#[fx::module]
struct Model<'a, M, const N: usize> {
    inner: M,
    rope: Rope,
    borrowed: &'a str,
    all: [Rope; 2],
}

#[fx::module]
impl<'a, M: Module, const N: usize> Module for Model<'a, M, N> {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.inner.forward(&x.broadcast_mul(&self.rope.cos)?)
    }
}

fn main() {}
