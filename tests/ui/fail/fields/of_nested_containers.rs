use candle_core::Tensor;

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

struct Rope {
    cos: Tensor,
}

#[fx::module]
struct Model {
    by_name: HashMap<String, Rope>,
    shared: Arc<Mutex<Option<Rope>>>,
    pairs: Vec<(Rc<Rope>, Tensor)>,
    here: std::boxed::Box<[Rope; 2]>,
}

fn main() {}
