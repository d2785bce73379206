use candle_nn::Linear;

#[fx::module(inline, name = "model", crates(fx))]
struct Model {
    linear: Linear,
}

fn main() {}
