use candle_nn::Linear;

struct Table {
    rows: usize,
}

#[fx::module]
struct Model {
    linear: Linear,
    #[fx(constant)]
    table: Table,
}

fn main() {}
