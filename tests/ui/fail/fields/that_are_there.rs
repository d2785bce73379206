use candle_core::Tensor;

struct Rope {
    cos: Tensor,
}

#[fx::module]
struct Model {
    #[cfg(any())]
    gone: Gone,
    #[cfg(all())]
    rope: Rope,
}

fn main() {}
