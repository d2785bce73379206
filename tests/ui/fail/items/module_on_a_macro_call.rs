macro_rules! nothing {
    () => {};
}

#[fx::module]
nothing!();

fn main() {}
