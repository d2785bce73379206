use candle_core::Tensor;

#[fx::module]
struct Model {
    #[fx(constant)]
    weight: Tensor,
    #[fx(constant)]
    more: Vec<candle_core::Tensor>,
}

fn main() {}
