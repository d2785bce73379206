use candle_nn::Linear;

#[fx::module]
struct Model {
    #[fx(renamed = "first")]
    linear: Linear,
    #[fx(serde::skip)]
    heads: usize,
}

fn main() {}
