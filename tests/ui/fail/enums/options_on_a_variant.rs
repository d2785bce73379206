use candle_nn::Linear;

#[fx::module]
enum Layer {
    #[fx(rename = "big")]
    Big(Linear),
    #[fx(leaf)]
    Small { linear: Linear },
    Other(#[fx(leef)] Linear),
}

fn main() {}
