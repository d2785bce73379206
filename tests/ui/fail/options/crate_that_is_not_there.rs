#[fx::constant(crate = torch::fx)]
#[derive(Clone)]
struct Config {
    heads: usize,
}

fn main() {}
