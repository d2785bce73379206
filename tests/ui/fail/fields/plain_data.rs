use candle_nn::Linear;

#[derive(Clone)]
struct Config {
    heads: usize,
}

#[fx::module]
struct Model {
    linear: Linear,
    config: Config,
}

fn main() {}
