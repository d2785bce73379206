use candle_nn::Linear;

#[fx::module]
struct Model {
    linear: Linear,
    #[cfg_attr(debug_assertions, fx(constant))]
    heads: usize,
}

fn main() {}
