use candle_core::Tensor;

#[fx::constant]
#[derive(Clone)]
struct Table {
    rows: usize,
    #[fx(constant)]
    cos: Tensor,
}

#[fx::constant]
#[derive(Clone)]
enum Positions {
    Learned(Option<Tensor>),
    None,
}

fn main() {}
