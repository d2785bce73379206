use candle_core::{Result, Tensor};

struct Cache {
    seen: Option<Tensor>,
}

struct Config {
    heads: usize,
}

#[fx::module]
fn attend(x: &Tensor, cache: &mut Cache, config: &Config) -> Result<(Tensor, Vec<Config>)> {
    cache.seen = Some(x.clone());
    Ok((x.reshape(((), config.heads))?, Vec::new()))
}

fn main() {}
