//! What kinds of things are kept: counters, lists, maps, variants, streams, candle's caches.

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;

use candle_core::{Result, StreamTensor, Tensor};
use candle_nn::kv_cache::{ConcatKvCache, KvCache, RotatingKvCache};
use candle_nn::rnn::LSTMState;

use crate::support::tensor;

/// As mamba: a position chooses which of the past inputs is written.
#[fx::module]
#[derive(Debug, Clone)]
struct Ring {
    past: Vec<[Tensor; 3]>,
    hidden: Vec<Tensor>,
    pos: usize,
}

#[fx::module]
impl Ring {
    fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        let mut x = x.clone();
        for (past, hidden) in self.past.iter_mut().zip(self.hidden.iter_mut()) {
            past[self.pos % 3] = x.clone();
            for i in 0..3 {
                x = (&x * 0.5)?.add(&past[(self.pos + 1 + i) % 3])?;
            }
            *hidden = ((&*hidden * 0.9)? + &x)?;
            x = (&x + &*hidden)?;
        }
        self.pos += 1;
        Ok(x)
    }
}

fn ring() -> Ring {
    let zeros = || tensor(&[2]).zeros_like().unwrap();
    let past = || std::array::from_fn(|_| zeros());
    Ring { past: vec![past(), past()], hidden: vec![zeros(), zeros()], pos: 0 }
}

#[test]
fn a_ring_with_a_position() {
    let (graphs, state) = assert_follows!(ring(), [tensor(&[2]), tensor(&[2]), tensor(&[2]), tensor(&[2])]);
    insta::assert_snapshot!(format!("{}\n{state}", graphs[1].graph()));
    let error = graphs[1].forward(&[&tensor(&[2])]).unwrap_err();
    insta::assert_snapshot!(error.to_string());
}

/// Fewer and more things than before, and in other places.
#[fx::module]
#[derive(Debug, Clone)]
pub(crate) struct Moves {
    seen: Vec<Tensor>,
    current: Tensor,
    previous: Tensor,
    taken: Option<Tensor>,
    untouched: Option<Tensor>,
    flush: bool,
    name: String,
    weight: f64,
}

#[fx::module]
impl Moves {
    pub(crate) fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        std::mem::swap(&mut self.current, &mut self.previous);
        let old = std::mem::replace(&mut self.current, (&self.previous + x)?);
        let taken = self.taken.take();
        let mut y = (&self.current * &old)?;
        if let Some(taken) = taken {
            y = (y - taken)?;
        } else {
            self.taken = Some(x.neg()?);
        }
        if let Some(untouched) = &self.untouched {
            y = (y * untouched)?;
        }
        if self.seen.len() > 1 {
            self.seen.remove(0);
        }
        self.seen.push(y.clone());
        let seen = std::mem::take(&mut self.seen);
        for seen in &seen {
            y = (y + seen)?;
        }
        self.seen = seen;
        self.flush = !self.flush;
        self.name.push('x');
        self.weight *= 2.0;
        if self.flush {
            return y * self.weight;
        }
        Ok(y)
    }
}

pub(crate) fn moves() -> Moves {
    let (current, previous) = (tensor(&[2]), tensor(&[2]).neg().unwrap());
    let (seen, name) = (vec![], "n".to_owned());
    Moves { seen, current, previous, taken: None, untouched: Some(tensor(&[2])), flush: false, name, weight: 1.5 }
}

#[test]
fn tensors_that_move_come_and_go() {
    let x = || tensor(&[2]);
    let (graphs, state) = assert_follows!(moves(), [x(), x(), x(), x(), x()]);
    insta::assert_snapshot!(format!("{}\n{state}", graphs[2].graph()));
    // It is read and not changed.
    assert!(graphs.iter().all(|graph| graph.graph().state().iter().all(|slot| &*slot.name != "untouched")));
}

/// A mask for each size is made once, and remembered; what depends on the input is state.
#[fx::module]
#[derive(Debug, Clone)]
struct Memo {
    masks: HashMap<(usize, usize), Tensor>,
    sizes: HashMap<usize, usize>,
    once: OnceCell<Tensor>,
    seen: HashMap<usize, Tensor>,
    scale: Tensor,
}

#[fx::module]
impl Memo {
    fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        let n = x.dim(0)?;
        if !self.masks.contains_key(&(n, n)) {
            let mask = (Tensor::ones((n, n), x.dtype(), x.device())? * 0.5)?.broadcast_mul(&self.scale)?;
            self.masks.insert((n, n), mask);
        }
        self.sizes.insert(n, n * n);
        let once = self.once.get_or_init(|| self.scale.exp().expect("a number"));
        let mask = self.masks[&(n, n)].broadcast_mul(once)?;
        let y = match self.seen.get(&n) {
            Some(seen) => (x + seen)?,
            None => x.clone(),
        };
        self.seen.insert(n, y.clone());
        mask.matmul(&y.unsqueeze(1)?)?.squeeze(1)
    }
}

#[test]
fn a_memo_is_no_state() {
    let memo = || Memo {
        masks: HashMap::new(),
        sizes: HashMap::new(),
        once: OnceCell::new(),
        seen: HashMap::new(),
        scale: tensor(&[1]).exp().unwrap(),
    };
    let (graphs, state) = assert_follows!(memo(), [tensor(&[2]), tensor(&[2]), tensor(&[2])]);
    assert_eq!(state.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["seen"]);
    // What was there already is the same again.
    let mut state = graphs[1].state();
    graphs[1].run_with_state(&mut state, &[fx::Value::from(&tensor(&[2]))]).unwrap();
    graphs[2].run_with_state(&mut state, &[fx::Value::from(&tensor(&[2]))]).unwrap();
    insta::assert_snapshot!(graphs[0].graph().to_string());
}

#[fx::module]
#[derive(Debug, Clone)]
enum Phase {
    Empty,
    Filled(Tensor),
    Both { first: Tensor, second: Tensor },
}

#[fx::constant]
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mode {
    First,
    Later,
}

#[fx::module]
#[derive(Debug)]
struct Variants {
    phase: Phase,
    mode: Mode,
    count: Cell<usize>,
}

#[fx::module]
impl Variants {
    fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        self.count.set(self.count.get() + 1);
        let (y, phase) = match &self.phase {
            Phase::Empty => (x.clone(), Phase::Filled(x.neg()?)),
            Phase::Filled(held) => ((x + held)?, Phase::Both { first: held.clone(), second: x.clone() }),
            Phase::Both { first, second } => (((x + first)? * second)?, Phase::Filled(second.exp()?)),
        };
        self.phase = phase;
        let y = match self.mode {
            Mode::First => y,
            Mode::Later => (y * self.count.get() as f64)?,
        };
        self.mode = Mode::Later;
        Ok(y)
    }
}

#[test]
fn variants_and_plain_data_are_conditions() {
    let x = || tensor(&[2]);
    let model = Variants { phase: Phase::Empty, mode: Mode::First, count: Cell::new(0) };
    let (graphs, state) = assert_follows!(model, [x(), x(), x(), x()]);
    insta::assert_snapshot!(format!("{}\n{state}", graphs[1].graph()));
    let errors = [0, 2].map(|i| graphs[i].forward(&[&x()]).unwrap_err().to_string());
    insta::assert_snapshot!(errors.join("\n\n"));
}

/// candle's own caches.
#[fx::module]
#[derive(Debug, Clone)]
struct Caches {
    growing: KvCache,
    rotating: RotatingKvCache,
    concatenated: Option<ConcatKvCache>,
    stream: StreamTensor,
    lstm: Option<LSTMState>,
}

#[fx::module]
impl Caches {
    fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        let (k, _) = self.growing.append(x, &x.neg()?)?;
        let mask = self.rotating.attn_mask(x.dim(1)?, x.device())?;
        let (r, _) = self.rotating.append(x, &x.exp()?)?;
        let cache = self.concatenated.get_or_insert_with(|| candle_nn::kv_cache::ConcatKvCache::new(1));
        let (c, _) = cache.append(x, x)?;
        let stream = self.stream.cat2(&x.clone().into(), 1)?;
        let (first, rest) = stream.split(1, 2)?;
        self.stream = rest;
        let (h, state) = match &self.lstm {
            None => (x.sum_keepdim(1)?, x.mean_keepdim(1)?),
            Some(state) => ((state.h() + x.sum_keepdim(1)?)?, (state.c() * 0.5)?),
        };
        self.lstm = Some(candle_nn::rnn::LSTMState::new(h.clone(), state));
        let mut y = k.sum_keepdim(1)?.add(&r.sum_keepdim(1)?)?.add(&c.max_keepdim(1)?)?.add(&h)?;
        if let Some(first) = first.as_option() {
            y = (y + first.sum_keepdim(1)?)?;
        }
        match mask {
            Some(mask) => y.broadcast_add(&mask.to_dtype(x.dtype())?.sum_all()?),
            None => Ok(y),
        }
    }
}

#[test]
fn candle_s_caches() {
    let model = Caches {
        growing: KvCache::new(1, 4),
        rotating: RotatingKvCache::new(1, 4),
        concatenated: None,
        stream: StreamTensor::empty(),
        lstm: None,
    };
    let x = |len: usize| tensor(&[1, len, 2]);
    let (graphs, state) = assert_follows!(model, [x(3), x(1), x(1), x(1), x(2), x(5)]);
    insta::assert_snapshot!(format!("{}\n{state}", graphs[1].graph()));
}
