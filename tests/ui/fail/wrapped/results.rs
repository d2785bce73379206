use candle_core::{Result, Tensor};

#[fx::wrap]
fn number(x: &Tensor) -> Result<f32> {
    x.to_scalar()
}

#[fx::wrap]
fn size(x: &Tensor) -> usize {
    x.rank()
}

#[fx::wrap]
fn nothing(x: &Tensor) {
    println!("{x}");
}

#[fx::wrap]
fn partly(x: &Tensor) -> Result<(Tensor, bool)> {
    Ok((x.clone(), x.rank() > 1))
}

#[fx::wrap]
fn text(x: &Tensor) -> std::result::Result<Tensor, String> {
    x.relu().map_err(|error| error.to_string())
}

fn main() {}
