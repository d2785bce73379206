use candle_core::{Result, Tensor};

#[fx::module]
fn masked(x: Option<&Tensor>) -> Result<Option<Tensor>> {
    x.map(|x| x.relu()).transpose()
}

fn main() {
    let _ = masked(None);
}
