#[fx::module]
mod layers {}

#[fx::constant]
fn helper() {}

#[fx::wrap]
struct Router;

fn main() {}
