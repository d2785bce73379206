#[fx::constant(clone)]
#[derive(Clone)]
struct Config {
    heads: usize,
}

fn main() {}
