use candle_nn::Linear;

#[fx::module]
struct Model {
    #[fx(rename)]
    first: Linear,
    #[fx(rename = 2)]
    second: Linear,
    #[fx(rename("third"))]
    third: Linear,
}

fn main() {}
