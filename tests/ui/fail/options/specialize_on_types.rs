use candle_nn::Linear;

#[fx::module(specialize)]
struct Model {
    linear: Linear,
}

#[fx::module(specialize)]
enum Either {
    Linear(Linear),
}

fn main() {}
