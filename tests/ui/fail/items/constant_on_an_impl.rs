struct Config;

#[fx::constant]
impl Config {}

fn main() {}
