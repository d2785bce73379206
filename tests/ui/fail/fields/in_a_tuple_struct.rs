use candle_core::Tensor;

struct Rope {
    cos: Tensor,
}

#[fx::module]
struct Model(Tensor, Rope);

fn main() {}
