//! State that models keep: caches, counters, locks, and state that several fields share.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, Mutex, RwLock};

use candle_core::{DType, Result, Tensor};
use candle_nn::{Linear, Module};
use fx::{TraceError, Tracer};

use crate::support::{assert_returns, linear, tensor};

#[fx::module]
#[derive(Clone)]
struct KeyCache {
    keys: Option<Tensor>,
    calls: usize,
}

#[fx::module]
struct InnerMutability {
    cache: Arc<Mutex<KeyCache>>,
    last: RefCell<Option<Tensor>>,
    seen: RwLock<Vec<Tensor>>,
    shared: Arc<Linear>,
    count: Cell<usize>,
    counted: Rc<Linear>,
}

#[fx::module]
impl InnerMutability {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = self.shared.forward(x)?;
        let mut cache = self.cache.lock().unwrap();
        cache.calls += 1;
        let keys = match &cache.keys {
            None => x.clone(),
            Some(past) => Tensor::cat(&[past, &x], 0)?,
        };
        cache.keys = Some(keys.clone());
        *self.last.borrow_mut() = Some(keys.clone());
        self.seen.write().unwrap().push(keys.clone());
        self.count.set(self.count.get() + 1);
        let last = self.last.borrow();
        let y = (last.as_ref().unwrap() + cache.calls as f64)?;
        self.counted.forward(&y)? * self.count.get() as f64
    }
}

fn inner_mutability() -> InnerMutability {
    InnerMutability {
        cache: Arc::new(Mutex::new(KeyCache { keys: Some(tensor(&[1, 4])), calls: 3 })),
        last: RefCell::new(None),
        seen: RwLock::new(vec![]),
        shared: Arc::new(linear(4, 4)),
        count: Cell::new(0),
        counted: Rc::new(linear(4, 4)),
    }
}

#[test]
fn locks_and_cells_are_written_in_the_capture_only() {
    let model = inner_mutability();
    let x = tensor(&[2, 4]);
    let expected = inner_mutability().forward(&x).unwrap();
    assert_returns(&[&expected], fx::symbolic_trace(&model), &[&x]);
    assert_returns(&[&expected], fx::trace(&model, (&x,)), &[&x]);
    assert_eq!(model.cache.lock().unwrap().calls, 3);
    assert_eq!(model.count.get(), 0);
    assert!(model.seen.read().unwrap().is_empty());
}

#[fx::module]
struct ByMutableReference {
    linear: Linear,
    cache: Option<(Tensor, Tensor)>,
    counter: usize,
    r#type: Tensor,
    r#match: Linear,
    add: Linear,
    output: Tensor,
    x: Tensor,
    this: Tensor,
}

#[fx::module]
impl ByMutableReference {
    fn forward(&mut self, x: &Tensor, r#in: &Tensor) -> Result<Tensor> {
        self.counter += 1;
        let y = self.linear.forward(x)?;
        let (keys, values) = match self.cache.take() {
            Some((keys, values)) => (Tensor::cat(&[&keys, &y], 0)?, values),
            None => (y.clone(), y),
        };
        self.cache = Some((keys.clone(), values.clone()));
        let y = (keys.broadcast_add(&self.r#type)? * self.counter as f64)?;
        let y = self.r#match.forward(&y)?;
        let y = self.add.forward(&y)?;
        let y = y.broadcast_add(&self.output)?.broadcast_add(&self.x)?.broadcast_add(&self.this)?;
        let y = y.broadcast_add(r#in)?;
        if self.counter > 10 {
            return Ok(y);
        }
        y - 1f64
    }
}

fn by_mutable_reference() -> ByMutableReference {
    ByMutableReference {
        linear: linear(4, 4),
        cache: None,
        counter: 0,
        r#type: tensor(&[4]),
        r#match: linear(4, 4),
        add: linear(4, 4),
        output: tensor(&[4]),
        x: tensor(&[4]),
        this: tensor(&[1, 4]),
    }
}

#[test]
fn a_forward_by_mutable_reference_with_names_of_keywords() {
    let (x, y) = (tensor(&[2, 4]), tensor(&[4]));
    let expected = by_mutable_reference().forward(&x, &y).unwrap();
    let model = by_mutable_reference();
    assert_returns(&[&expected], fx::symbolic_trace(&model), &[&x, &y]);
    assert_returns(&[&expected], fx::trace(&model, (&x, &y)), &[&x, &y]);
    for name in ["in", "r#in"] {
        let from_shape = Tracer::new().input("x", DType::F32, (2, 4)).input(name, DType::F32, 4);
        assert_returns(&[&expected], from_shape.trace(&model), &[&x, &y]);
    }
}

// ── Shared state ────────────────────────────────────────────────────────────────────────────────────────────────────

#[fx::module]
struct State {
    sum: Tensor,
    calls: usize,
}

#[fx::module]
struct Writer {
    state: Arc<Mutex<State>>,
}

#[fx::module]
impl Writer {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut state = self.state.lock().unwrap();
        state.sum = (&state.sum + x)?;
        state.calls += 1;
        x.neg()
    }
}

#[fx::module]
struct Reader {
    state: Arc<Mutex<State>>,
}

#[fx::module]
impl Reader {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let state = self.state.lock().unwrap();
        (x * &state.sum)? * state.calls as f64
    }
}

#[fx::module]
struct WriterAndReader {
    writer: Writer,
    reader: Reader,
}

#[fx::module]
impl WriterAndReader {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.reader.forward(&self.writer.forward(x)?)
    }
}

#[test]
fn state_shared_by_two_modules() {
    let model = || {
        let state = Arc::new(Mutex::new(State { sum: tensor(&[2, 4]), calls: 0 }));
        WriterAndReader { writer: Writer { state: state.clone() }, reader: Reader { state } }
    };
    let x = tensor(&[2, 4]);
    let expected = model().forward(&x).unwrap();
    assert_returns(&[&expected], fx::trace(&model(), (&x,)), &[&x]);
    assert_returns(&[&expected], fx::symbolic_trace(&model()), &[&x]);
}

#[fx::module]
struct TwoFields {
    written: Rc<RefCell<Tensor>>,
    read: Rc<RefCell<Tensor>>,
}

#[fx::module]
impl TwoFields {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        *self.written.borrow_mut() = x.neg()?;
        let read = self.read.borrow().clone();
        read + x.exp()?
    }
}

#[test]
fn state_shared_by_two_fields() {
    let model = || {
        let state = Rc::new(RefCell::new(tensor(&[2, 4])));
        TwoFields { written: state.clone(), read: state }
    };
    let x = tensor(&[2, 4]);
    let expected = model().forward(&x).unwrap();
    assert_returns(&[&expected], fx::trace(&model(), (&x,)), &[&x]);
    assert_returns(&[&expected], fx::symbolic_trace(&model()), &[&x]);
}

#[test]
fn state_of_two_fields_that_do_not_share() {
    let model = || {
        let state = || Rc::new(RefCell::new(tensor(&[2, 4])));
        TwoFields { written: state(), read: state() }
    };
    let x = tensor(&[2, 4]);
    assert_returns(&[&model().forward(&x).unwrap()], fx::trace(&model(), (&x,)), &[&x]);
}

// ── Locks that are held ─────────────────────────────────────────────────────────────────────────────────────────────

#[test]
fn a_borrowed_cell_is_refused() {
    let cell = || Rc::new(RefCell::new(tensor(&[2, 4])));
    let model = TwoFields { written: cell(), read: cell() };
    let guard = model.written.borrow_mut();
    assert_refused!(fx::symbolic_trace(&model), TraceError::Locked { path } if path == "written");
    drop(guard);
    fx::symbolic_trace(&model).unwrap();
}

#[fx::module]
struct Locked {
    weight: Arc<Mutex<Tensor>>,
}

#[fx::module]
impl Locked {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let weight = self.weight.lock().unwrap();
        x + &*weight
    }
}

#[test]
fn a_locked_mutex_is_refused() {
    let model = Locked { weight: Arc::new(Mutex::new(tensor(&[2, 4]))) };
    let guard = model.weight.lock().unwrap();
    assert_refused!(fx::symbolic_trace(&model), TraceError::Locked { path } if path == "weight");
    drop(guard);
    fx::symbolic_trace(&model).unwrap();
}
