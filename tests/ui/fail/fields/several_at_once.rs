use candle_nn::Linear;

struct Rope {
    scale: f64,
}

struct Config {
    heads: usize,
}

#[fx::module]
struct Model {
    rope: Rope,
    linear: Linear,
    config: Config,
    other: Option<Rope>,
}

fn main() {}
