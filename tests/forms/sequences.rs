//! Random sequences of calls of a model that keeps everything there is to keep: compiled it gives what the plain one gives, errors
//! included, and leaves what that leaves.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, RwLock};

use candle_core::{DType, Result, Tensor};
use candle_nn::kv_cache::{ConcatKvCache, KvCache, RotatingKvCache};
use candle_nn::{Linear, Module};

use crate::support::{assert_same, linear, tensor};

#[fx::module]
#[derive(Clone)]
enum Memory {
    Nothing,
    Last(Tensor),
    Sum { sum: Tensor, count: usize },
}

#[fx::module]
struct Layer {
    query: Linear,
    cache: Option<(Tensor, Tensor)>,
    pos: usize,
}

#[fx::module]
impl Layer {
    fn forward(&mut self, x: &Tensor, by: usize) -> Result<Tensor> {
        let q = self.query.forward(x)?;
        let (k, v) = match self.cache.take() {
            Some((k, v)) => (Tensor::cat(&[&k, x], 0)?, Tensor::cat(&[&v, &q], 0)?),
            None => (x.clone(), q.clone()),
        };
        // After the cache was taken: a call that fails here leaves it empty.
        if self.pos + by > 30 {
            candle_core::bail!("there are only 30 positions");
        }
        self.pos += by;
        let y = (q.matmul(&k.t()?)?.matmul(&v)? * (1.0 / self.pos as f64))?;
        self.cache = Some((k, v));
        Ok(y)
    }
}

#[fx::module]
struct Everything {
    layers: Vec<Layer>,
    lists: Vec<Option<Tensor>>,
    memory: Memory,
    recent: VecDeque<Tensor>,
    last: RefCell<Option<Tensor>>,
    locked: Mutex<Vec<Tensor>>,
    shared: Arc<Mutex<ConcatKvCache>>,
    read: RwLock<Tensor>,
    calls: Cell<usize>,
    plain: KvCache,
    rotating: RotatingKvCache,
    masks: HashMap<(usize, usize), Tensor>,
    nested: BTreeMap<usize, BTreeMap<usize, usize>>,
    pair: (usize, bool),
    ends: [Option<Tensor>; 2],
}

impl Everything {
    fn new() -> Self {
        let layer = || Layer { query: linear(4, 4), cache: None, pos: 0 };
        Self {
            layers: vec![layer(), layer()],
            lists: vec![None, None],
            memory: Memory::Nothing,
            recent: VecDeque::new(),
            last: RefCell::default(),
            locked: Mutex::default(),
            shared: Arc::new(Mutex::new(ConcatKvCache::new(0))),
            read: RwLock::new(tensor(&[4])),
            calls: Cell::new(0),
            plain: KvCache::new(0, 16),
            rotating: RotatingKvCache::new(0, 3),
            masks: HashMap::new(),
            nested: BTreeMap::new(),
            pair: (0, false),
            ends: [None, None],
        }
    }

    fn reset(&mut self) {
        self.layers.iter_mut().for_each(|layer| (layer.cache, layer.pos) = (None, 0));
        self.lists.iter_mut().for_each(|held| *held = None);
        self.memory = Memory::Nothing;
        self.shared.lock().expect("nobody panics").reset();
        self.plain.reset();
        self.rotating.reset();
        self.recent.clear();
        self.nested.clear();
    }
}

#[fx::module]
impl Everything {
    fn remembered(&mut self, x: &Tensor) -> Result<Tensor> {
        let (y, next) = match &self.memory {
            Memory::Nothing => (x.clone(), Memory::Last(x.neg()?)),
            Memory::Last(last) => (x.broadcast_add(&last.sum(0)?)?, Memory::Sum { sum: last.sum(0)?, count: 1 }),
            Memory::Sum { count: 3, .. } => (x.exp()?, Memory::Nothing),
            Memory::Sum { sum, count } => {
                ((x * *count as f64)?, Memory::Sum { sum: (sum + x.sum(0)?)?, count: count + 1 })
            }
        };
        self.memory = next;
        Ok(y)
    }

    #[allow(clippy::map_entry, reason = "masks are remembered so in models")]
    fn forward(&mut self, x: &Tensor, what: usize, flag: bool, mask: Option<&Tensor>) -> Result<Tensor> {
        let (n, _) = x.dims2()?;
        self.calls.set(self.calls.get() + 1);
        let y = match what {
            0 => {
                let mut y = x.clone();
                for (i, layer) in self.layers.iter_mut().enumerate() {
                    y = layer.forward(&y, n + i)?;
                }
                y
            }
            1 => self.remembered(x)?,
            2 => {
                self.recent.push_back(x.sum(0)?);
                if self.recent.len() > 3 {
                    self.recent.pop_front();
                }
                let mut y = x.clone();
                for recent in &self.recent {
                    y = y.broadcast_add(recent)?;
                }
                y
            }
            3 => {
                let last = self.last.borrow_mut().replace(x.clone());
                self.locked.lock().expect("nobody panics").push(x.mean(0)?);
                match last {
                    Some(last) if last.dims() == x.dims() => (x - last)?,
                    Some(last) => x.broadcast_sub(&last.max(0)?)?,
                    None => x.clone(),
                }
            }
            4 => {
                let (k, v) = self.shared.lock().expect("nobody panics").append(x, &x.neg()?)?;
                x.matmul(&k.t()?)?.matmul(&v)?
            }
            5 => {
                let new = (&*self.read.read().expect("nobody panics") * 0.5)?.broadcast_add(&x.mean(0)?)?;
                *self.read.write().expect("nobody panics") = new.clone();
                x.broadcast_mul(&new)?
            }
            6 => {
                let (k, v) = self.plain.append(&x.contiguous()?, &x.contiguous()?)?;
                x.matmul(&k.t()?)?.matmul(&v)?
            }
            7 => {
                let (k, v) = self.rotating.append(&x.contiguous()?, &x.contiguous()?)?;
                x.matmul(&k.t()?)?.matmul(&v)?
            }
            8 => {
                if !self.masks.contains_key(&(n, n)) {
                    let mask: Vec<f32> = (0..n * n).map(|at| if at % n > at / n { 0. } else { 1. }).collect();
                    self.masks.insert((n, n), Tensor::from_vec(mask, (n, n), x.device())?.to_dtype(x.dtype())?);
                }
                self.masks[&(n, n)].matmul(x)?
            }
            9 => {
                let count = self.nested.entry(n % 2).or_default().entry(self.pair.0 % 2).or_insert(0);
                *count += 1;
                (x * *count as f64)?
            }
            10 => {
                self.pair = (self.pair.0 + n, !self.pair.1);
                self.ends.swap(0, 1);
                let old = self.ends[0].replace(x.sum(0)?);
                let y = if self.pair.1 { (x * self.pair.0 as f64)? } else { x.relu()? };
                old.map_or(Ok(y.clone()), |old| y.broadcast_add(&old))?
            }
            _ => {
                let held = std::mem::take(&mut self.lists[n % 2]);
                self.lists[(n + 1) % 2] = Some(x.sum(0)?);
                held.map_or(Ok(x.clone()), |held| x.broadcast_mul(&held))?
            }
        };
        let y = if flag { y.tanh()? } else { y };
        match mask {
            Some(mask) => y.broadcast_mul(mask),
            None => Ok(y),
        }
    }
}

/// Numbers that look random, the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// What a call gives: a result, or the first line of an error.
fn line(result: Result<Tensor>) -> std::result::Result<Tensor, String> {
    result.map_err(|error| error.to_string().lines().next().unwrap_or_default().to_owned())
}

#[test]
fn random_calls_of_a_model_that_keeps_everything() {
    // Each sequence uses few of the kinds, so that graphs are used again, or all of them.
    let kinds: [&[usize]; 6] =
        [&[0, 1], &[2, 8, 3], &[4, 5, 6], &[7, 9], &[10, 11], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]];
    for (seed, kinds) in kinds.iter().enumerate() {
        let mut random = Random(seed as u64 + 40);
        let mut plain = Everything::new();
        let compiled =
            fx::compile!(Everything::new(), |model, x: Tensor, what: usize, flag: bool, mask: Option<Tensor>| {
                model.forward(&x, what, flag, mask.as_ref())
            });
        for call in 0..24 {
            match random.below(20) {
                0 => {
                    plain.reset();
                    compiled.with_model(Everything::reset);
                }
                1 => {
                    plain.layers.swap(0, 1);
                    compiled.with_model(|model| model.layers.swap(0, 1));
                }
                _ => {}
            }
            let what = kinds[random.below(kinds.len())];
            let rows = 1 + random.below(3);
            // Of another width now and then, which fails in the middle.
            let width = if random.below(12) == 0 { 3 } else { 4 };
            let x = tensor(&[rows, width]);
            let x = if random.below(15) == 0 { x.to_dtype(DType::F64).unwrap() } else { x };
            let mask = (random.below(5) == 0).then(|| tensor(&[rows, 1]));
            let flag = random.below(6) == 0;
            let expected = line(plain.forward(&x, what, flag, mask.as_ref()));
            let found = line(compiled.call((x, what, flag, mask)));
            match (&expected, &found) {
                (Ok(expected), Ok(found)) => assert_same(expected, found),
                (expected, found) => {
                    let same = matches!((expected, found), (Err(expected), Err(found)) if expected == found);
                    assert!(same, "call {call} of {kinds:?}: {expected:?}, compiled {found:?}");
                }
            }
        }
        let stats = compiled.stats();
        let model = compiled.into_model();
        assert_eq!((model.calls.get(), model.pair, &model.nested), (plain.calls.get(), plain.pair, &plain.nested));
        assert_eq!(model.layers[0].pos, plain.layers[0].pos, "{kinds:?} {stats:?}");
        for (ours, theirs) in model.layers.iter().zip(&plain.layers) {
            assert_eq!(ours.cache.is_some(), theirs.cache.is_some());
            if let (Some((ours, _)), Some((theirs, _))) = (&ours.cache, &theirs.cache) {
                assert_same(theirs, ours);
            }
        }
        assert!(stats.graph_runs > 0, "{kinds:?} {stats:?}");
    }
}
