use candle_core::Tensor;
use candle_nn::Linear;

struct Rope {
    cos: Tensor,
}

#[fx::module]
enum Positions {
    Rotary(Rope),
    Learned(Linear),
}

fn main() {}
