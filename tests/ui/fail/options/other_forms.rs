use candle_nn::Linear;

#[fx::module]
struct Model {
    #[fx]
    first: Linear,
    #[fx = "leaf"]
    second: Linear,
    #[fx(leaf = true)]
    third: Linear,
    #[fx("leaf")]
    fourth: Linear,
}

fn main() {}
