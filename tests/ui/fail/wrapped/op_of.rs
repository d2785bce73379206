use candle_core::{Result, Tensor};

fn plain(x: &Tensor) -> Result<Tensor> {
    x.relu()
}

fn main() {
    let _ = fx::op_of!(plain);
    let _ = fx::op_of!(|x| x);
    let _ = fx::op_of!();
}
