use candle_core::{Result, Tensor};

use std::rc::Rc;
use std::sync::Arc;

#[fx::module]
trait Block {
    fn run(&self, x: &Tensor) -> Result<Tensor>;
}

#[fx::module]
struct Model {
    counted: Rc<dyn Block>,
    shared: Vec<Arc<dyn Block + Send + Sync>>,
}

fn main() {}
