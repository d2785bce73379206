use candle_core::Tensor;

struct Rope {
    cos: Tensor,
}

#[fx::module]
struct Model {
    ropes: Vec<Rope>,
}

fn main() {}
