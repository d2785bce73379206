use candle_nn::Linear;

#[fx::module(crate)]
struct First {
    linear: Linear,
}

#[fx::module(crate = "fx")]
struct Second {
    linear: Linear,
}

fn main() {}
