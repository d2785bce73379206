use candle_nn::Linear;

#[fx::module]
struct Model {
    #[fx(rename = "")]
    linear: Linear,
}

fn main() {}
