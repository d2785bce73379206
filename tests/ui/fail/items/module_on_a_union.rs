#[fx::module]
union Either {
    one: u32,
    other: f32,
}

fn main() {}
