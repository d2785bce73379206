use candle_core::{Result, Tensor};

#[fx::module]
struct Holder<T> {
    held: T,
    weight: Tensor,
}

#[fx::module]
impl<T> Holder<T> {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x * &self.weight
    }
}

struct Unknown;

fn capture(holder: &Holder<Unknown>) {
    let _ = fx::symbolic_trace(holder);
}

fn main() {}
