use candle_nn::Linear;

#[fx::module(leafs)]
struct Model {
    #[fx(leef)]
    first: Linear,
    #[fx(leaf, leaf)]
    second: Linear,
}

fn main() {}
