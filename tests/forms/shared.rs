//! Compiled models that move their layers about, share what they change with others, and keep it where it is hard to tell.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};
use fx::compile::Refusal;

use crate::support::{assert_same, linear, other, tensor};

// ── Layers that a call moves ────────────────────────────────────────────────────────────────────────────────────────

#[fx::module]
enum Stage {
    Warm(Linear),
    Hot(Linear),
}

#[fx::module]
struct Moving {
    first: Linear,
    second: Linear,
    layers: Vec<Linear>,
    left: Vec<Linear>,
    stage: Stage,
}

#[fx::module]
impl Moving {
    fn forward(&mut self, x: &Tensor, how: usize) -> Result<Tensor> {
        match how {
            0 => {
                std::mem::swap(&mut self.first, &mut self.second);
                self.second.forward(x)
            }
            1 => {
                let y = self.layers[0].forward(x)?;
                self.layers.rotate_left(1);
                Ok(y)
            }
            2 => match self.left.pop() {
                Some(layer) => layer.forward(x),
                None => x.relu(),
            },
            _ => {
                let (y, next) = match &self.stage {
                    Stage::Warm(layer) => (layer.forward(x)?.relu()?, Stage::Hot(self.first.clone())),
                    Stage::Hot(layer) => (layer.forward(x)?.tanh()?, Stage::Warm(layer.clone())),
                };
                self.stage = next;
                Ok(y)
            }
        }
    }
}

fn moving() -> Moving {
    let layer = |i: usize| Linear::new((tensor(&[4, 4]) * (i + 1) as f64).unwrap(), None);
    Moving {
        first: layer(0),
        second: layer(1),
        layers: vec![layer(2), layer(3), layer(4)],
        left: vec![layer(5), layer(6)],
        stage: Stage::Warm(layer(7)),
    }
}

#[test]
fn layers_that_change_places() {
    for how in 0..4 {
        let calls = (0..8).map(|_| (tensor(&[2, 4]), how));
        assert_compiled_follows!(moving(), |model, x: Tensor, how: usize| model.forward(&x, how), calls);
    }
    let calls = (0..24).map(|i| (tensor(&[1 + i % 2, 4]), i * i % 7 % 4));
    assert_compiled_follows!(moving(), |model, x: Tensor, how: usize| model.forward(&x, how), calls);
    // A graph of one order of layers says so in another.
    let module = fx::trace(&moving(), (&tensor(&[2, 4]), 0usize)).unwrap();
    module.forward(&[tensor(&[2, 4])]).unwrap();
    let error = module.forward(&[tensor(&[2, 4])]).unwrap_err().to_string();
    assert!(error.contains("`first`"), "{error}");
}

#[test]
fn layers_that_are_replaced_from_outside() {
    let model = fx::compile!(linear(4, 4), |model, x: Tensor| model.forward(&x));
    let x = tensor(&[2, 4]);
    assert_same(&linear(4, 4).forward(&x).unwrap(), &model.call((x.clone(),)).unwrap());
    let replaced = Linear::new(other(&[4, 4]), None);
    model.with_model(|model| *model = replaced.clone());
    assert_same(&replaced.forward(&x).unwrap(), &model.call((x,)).unwrap());
    assert_eq!(model.stats().captures, 2);
}

// ── What is shared with others ──────────────────────────────────────────────────────────────────────────────────────

#[fx::module]
#[derive(Clone)]
struct Shared {
    past: Arc<Mutex<Option<Tensor>>>,
    scale: Rc<Cell<f64>>,
    bias: Rc<RefCell<Tensor>>,
    layer: Arc<Linear>,
}

#[fx::module]
impl Shared {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut past = self.past.lock().expect("nobody panics");
        let y = match &*past {
            Some(past) => Tensor::cat(&[past, x], 0)?,
            None => x.clone(),
        };
        *past = Some(y.clone());
        let bias = self.bias.borrow();
        (self.layer.forward(&y)?.broadcast_add(&bias)? * self.scale.get())?.sum_keepdim(0)
    }
}

fn shared() -> Shared {
    Shared {
        past: Arc::default(),
        scale: Rc::new(Cell::new(2.0)),
        bias: Rc::new(RefCell::new(tensor(&[4]))),
        layer: Arc::new(linear(4, 4)),
    }
}

/// Two copies of a model have one cache; both compiled they still have.
#[test]
fn copies_that_share_a_cache() {
    let (plain, one) = (shared(), shared());
    let other = one.clone();
    let compiled = [one, other].map(|model| fx::compile!(model, |model, x: Tensor| model.forward(&x)));
    for step in [0, 1, 0, 0, 1, 1] {
        let x = tensor(&[1 + step, 4]);
        assert_same(&plain.forward(&x).unwrap(), &compiled[step].call((x,)).unwrap());
    }
    let error = compiled[0].refusals()[0].to_string();
    assert!(matches!(compiled[0].refusals()[0], Refusal::Shared { .. }) && error.contains("`bias`"), "{error}");
}

/// Together they are one model, which shares nothing.
#[test]
fn copies_that_are_compiled_together() {
    let (plain, one) = (shared(), shared());
    let both = fx::compile!((one.clone(), one), |both, x: Tensor, second: bool| {
        if second { both.1.forward(&x) } else { both.0.forward(&x) }
    });
    for second in [false, true, false, false, true] {
        let x = tensor(&[1, 4]);
        assert_same(&plain.forward(&x).unwrap(), &both.call((x, second)).unwrap());
    }
    assert_eq!(both.stats().original_runs, 0, "{:?}", both.refusals());
}

/// What others set between two calls is seen, and what the model sets is seen by them.
#[test]
fn cells_that_others_hold() {
    let (plain, model) = (shared(), shared());
    let (scale, past) = (model.scale.clone(), model.past.clone());
    let compiled = fx::compile!(model, |model, x: Tensor| model.forward(&x));
    for step in 0..4 {
        plain.scale.set(f64::from(step));
        scale.set(f64::from(step));
        let x = tensor(&[1, 4]);
        assert_same(&plain.forward(&x).unwrap(), &compiled.call((x,)).unwrap());
        let (ours, theirs) = (plain.past.lock().unwrap(), past.lock().unwrap());
        assert_same(ours.as_ref().unwrap(), theirs.as_ref().unwrap());
    }
    // Let go of, they are the model's own.
    drop((scale, past));
    compiled.with_model(|_| ());
    for _ in 0..3 {
        let x = tensor(&[1, 4]);
        assert_same(&plain.forward(&x).unwrap(), &compiled.call((x,)).unwrap());
    }
    assert_eq!(compiled.stats().graph_runs, 3, "{:?}", compiled.refusals());
}

// ── What is hard to tell ────────────────────────────────────────────────────────────────────────────────────────────

/// Has no debug form.
#[fx::constant]
#[derive(Clone)]
struct Settings {
    count: usize,
    kind: Kind,
}

#[fx::constant]
#[derive(Clone, Debug)]
enum Kind {
    Even,
    Odd { since: usize },
}

#[fx::constant]
#[derive(Clone)]
enum Silent {
    Nothing,
    Some(usize),
}

#[fx::module]
struct Counted {
    settings: Settings,
    silent: Silent,
    sums: HashMap<(String, String), Tensor>,
}

#[fx::module]
impl Counted {
    fn forward(&mut self, x: &Tensor, key: (String, String)) -> Result<Tensor> {
        self.settings.count += 1;
        let count = self.settings.count;
        let (y, kind) = match &self.settings.kind {
            Kind::Even => (x * count as f64, Kind::Odd { since: count }),
            Kind::Odd { since } => (x - *since as f64, Kind::Even),
        };
        self.settings.kind = kind;
        self.silent = match self.silent {
            Silent::Nothing => Silent::Some(1),
            Silent::Some(count) if count > 1 => Silent::Nothing,
            Silent::Some(count) => Silent::Some(count + 1),
        };
        let y = match self.silent {
            Silent::Nothing => y?,
            Silent::Some(count) => (y? + count as f64)?,
        };
        let sum = match self.sums.get(&key) {
            Some(sum) => (sum + &y)?,
            None => y,
        };
        self.sums.insert(key, sum.clone());
        Ok(sum)
    }
}

/// Plain data without a debug form, and keys that are written alike.
#[test]
fn what_is_hard_to_tell_is_told() {
    let keys =
        [("a", "b"), ("a_b", "c"), ("a", "b_c"), ("a_b", "c"), ("a", "b_c"), ("a~", "b_c"), ("a~_b", "c"), ("a", "b")];
    let keys = || keys.into_iter().cycle().take(20).map(|(a, b)| (tensor(&[2]), (a.to_owned(), b.to_owned())));
    let new =
        || Counted { settings: Settings { count: 0, kind: Kind::Even }, silent: Silent::Nothing, sums: HashMap::new() };
    assert_compiled_follows!(new(), |model, x: Tensor, key: (String, String)| model.forward(&x, key), keys());
}

#[fx::module]
struct Called;

#[fx::module]
impl Module for Called {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.relu()
    }
}

#[fx::module]
struct Six;

#[fx::module]
impl Six {
    fn forward(&self, x: &Tensor) -> Result<(Tensor, usize, f64, bool, Tensor, Option<Tensor>)> {
        let n = x.dim(0)?;
        Ok((x.relu()?, n / 2, n as f64 * 0.5, n > 3, x.neg()?, None))
    }
}

/// A `forward` that is `Module`'s, and as many results as there can be arguments.
#[test]
fn calls_in_the_words_of_the_model() {
    let calls = [2, 3, 4, 1].map(|rows| (tensor(&[rows, 2]),));
    assert_compiled_follows!(Called, |model, x: Tensor| model.forward(&x), calls);
    let compiled = fx::compile!(Six, |model, x: Tensor| model.forward(&x));
    for rows in [2, 3, 4, 5, 0, 9] {
        let x = tensor(&[rows]);
        let (expected, found) = (Six.forward(&x).unwrap(), compiled.call((x,)).unwrap());
        assert_eq!((expected.1, expected.2, expected.3), (found.1, found.2, found.3));
        assert_same(&expected.4, &found.4);
    }
}
