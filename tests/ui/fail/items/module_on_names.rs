#[fx::module]
type Layers = Vec<candle_nn::Linear>;

#[fx::module]
const HEADS: usize = 12;

#[fx::module]
static NAME: &str = "model";

#[fx::module]
use candle_core::Tensor;

fn main() {}
