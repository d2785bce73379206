#[fx::module]
unsafe extern "C" {
    fn threads() -> i32;
}

#[fx::module]
extern crate core;

fn main() {}
