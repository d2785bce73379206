//! State behind cells, locks and shared pointers.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex, RwLock};

use candle_core::{Result, Tensor};
use candle_nn::kv_cache::ConcatKvCache;

use crate::support::tensor;

#[fx::module]
struct Behind {
    cell: RefCell<Option<Tensor>>,
    lock: Mutex<Vec<Tensor>>,
    rw: RwLock<Tensor>,
    shared: Arc<Mutex<ConcatKvCache>>,
    also: Arc<Mutex<ConcatKvCache>>,
    one: Rc<RefCell<Tensor>>,
    other: Rc<RefCell<Tensor>>,
}

#[fx::module]
impl Behind {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut y = match &*self.cell.borrow() {
            Some(held) => (x + held)?,
            None => x.clone(),
        };
        *self.cell.borrow_mut() = Some(y.clone());
        self.lock.lock().unwrap().push(y.exp()?);
        for held in self.lock.lock().unwrap().iter() {
            y = (y * held)?;
        }
        let read = self.rw.read().unwrap().clone();
        *self.rw.write().unwrap() = (&read + &y)?;
        let (k, _) = self.shared.lock().unwrap().append(&y.unsqueeze(0)?, &y.unsqueeze(0)?)?;
        let (more, _) = self.also.lock().unwrap().append(&y.unsqueeze(0)?, &y.unsqueeze(0)?)?;
        let written = (&*self.one.borrow() - &y)?;
        *self.other.borrow_mut() = written;
        (k.sum(0)? + more.sum(0)?)? * &*self.one.borrow()
    }
}

fn behind() -> Behind {
    let shared = Arc::new(Mutex::new(ConcatKvCache::new(0)));
    let one = Rc::new(RefCell::new(tensor(&[2])));
    Behind {
        cell: RefCell::new(None),
        lock: Mutex::new(vec![]),
        rw: RwLock::new(tensor(&[2])),
        shared: shared.clone(),
        also: shared,
        one: one.clone(),
        other: one,
    }
}

#[test]
fn what_is_shared_is_one_part_of_the_state() {
    let (graphs, state) = {
        let model = behind();
        assert_follows!(model, [tensor(&[2]), tensor(&[2]), tensor(&[2])])
    };
    let names: Vec<&str> = state.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["cell", "lock", "rw", "shared", "one"]);
    insta::assert_snapshot!(format!("{}\n{state}", graphs[1].graph()));
}
