#[fx::constant]
struct Config {
    heads: usize,
}

fn main() {}
