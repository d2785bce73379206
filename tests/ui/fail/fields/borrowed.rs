use candle_core::Tensor;
use candle_nn::Linear;

#[fx::module]
struct Model<'a> {
    weight: &'a Tensor,
    layers: &'a [Linear],
    name: &'a str,
    #[fx(constant)]
    steps: &'a Steps,
}

struct Steps(usize);

fn main() {}
