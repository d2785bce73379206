//! Compiled models beside plain ones: whatever the sequence of calls, the results are the same, bit for bit, and so are the
//! errors and what is kept from call to call.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::{Linear, Module};
use fx::Compiled;

use crate::support::{assert_same, linear, tensor};

/// Numbers that look random, the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// Both give the same, or fail alike.
#[track_caller]
fn assert_alike(plain: Result<Tensor>, compiled: Result<Tensor>) {
    match (plain, compiled) {
        (Ok(plain), Ok(compiled)) => assert_same(&plain, &compiled),
        (Err(plain), Err(compiled)) => {
            let first = |error: &candle_core::Error| error.to_string().lines().next().map(str::to_owned);
            assert_eq!(first(&plain), first(&compiled));
        }
        (plain, compiled) => panic!("plain: {plain:?}\ncompiled: {compiled:?}"),
    }
}

/// Attention over everything so far, which it keeps; what a step sees depends on where it is.
#[fx::module]
struct Decoder {
    query: Linear,
    past: Option<(Tensor, Tensor)>,
    steps: usize,
    masks: HashMap<usize, Tensor>,
}

impl Decoder {
    fn new() -> Self {
        Self { query: linear(4, 4), past: None, steps: 0, masks: HashMap::new() }
    }

    fn reset(&mut self) {
        self.past = None;
        self.steps = 0;
    }
}

#[fx::module]
impl Decoder {
    fn mask(&mut self, seq: usize, device: &Device) -> Result<Tensor> {
        if let Some(mask) = self.masks.get(&seq) {
            return Ok(mask.clone());
        }
        let mask: Vec<f32> =
            (0..seq).flat_map(|i| (0..seq).map(move |j| if j > i { f32::NEG_INFINITY } else { 0. })).collect();
        let mask = Tensor::from_vec(mask, (seq, seq), device)?;
        self.masks.insert(seq, mask.clone());
        Ok(mask)
    }

    fn forward(&mut self, x: &Tensor, position: usize) -> Result<Tensor> {
        let (_, seq, width) = x.dims3()?;
        if position + seq > 40 {
            candle_core::bail!("there are only 40 positions");
        }
        let q = (self.query.forward(x)? + position as f64)?;
        let (k, v) = match &self.past {
            Some((k, v)) => (Tensor::cat(&[k, x], 1)?, Tensor::cat(&[v, &q], 1)?),
            None => (x.clone(), q.clone()),
        };
        self.past = Some((k.clone(), v.clone()));
        self.steps += 1;
        let scores = (q.matmul(&k.t()?)? * (1.0 / (width as f64).sqrt()))?;
        let scores = if seq > 1 && position == 0 {
            let mask = self.mask(seq, x.device())?;
            scores.broadcast_add(&mask)?
        } else {
            scores
        };
        candle_nn::ops::softmax_last_dim(&scores)?.matmul(&v.contiguous()?)
    }
}

/// What a decoder is asked to do.
#[derive(Debug, Clone, Copy)]
enum Step {
    Prompt(usize),
    Token,
    Reset,
}

#[test]
fn a_model_that_keeps_its_past() {
    let (mut plain, compiled) =
        (Decoder::new(), fx::compile!(Decoder::new(), |model, x: Tensor, position: usize| model.forward(&x, position)));
    let mut random = Random(7);
    let sessions = (0..6).flat_map(|session| {
        let prompt = [3, 5, 1, 5, 9, 2][session];
        [Step::Reset, Step::Prompt(prompt)].into_iter().chain((0..12 + session).map(|_| Step::Token))
    });
    let mut steps: Vec<Step> = sessions.collect();
    // A second prompt behind the first, and a token before there is a past.
    steps.extend([Step::Prompt(3), Step::Token, Step::Reset, Step::Token, Step::Token]);
    steps.extend((0..20).map(|_| if random.below(6) == 0 { Step::Reset } else { Step::Token }));
    let mut position = 0;
    for step in &steps {
        let seq = match step {
            Step::Reset => {
                plain.reset();
                if random.below(2) == 0 {
                    compiled.with_model(Decoder::reset);
                } else {
                    compiled.restart(Decoder::reset);
                }
                position = 0;
                continue;
            }
            Step::Prompt(seq) => *seq,
            Step::Token => 1,
        };
        let x = tensor(&[1, seq, 4]);
        let (wanted, found) = (plain.forward(&x, position), compiled.call((x.clone(), position)));
        assert_alike(wanted, found);
        position += seq;
    }
    let stats = compiled.stats();
    assert!(stats.captures <= 12, "{stats:?}");
    assert!(stats.graph_runs > stats.original_runs * 4, "{stats:?}");
    let model = compiled.into_model();
    assert_eq!(model.steps, plain.steps);
    assert_same(&model.past.unwrap().0, &plain.past.unwrap().0);
}

#[test]
fn a_call_that_fails_leaves_what_it_leaves_without_fx() {
    let (mut plain, compiled) =
        (Decoder::new(), fx::compile!(Decoder::new(), |model, x: Tensor, position: usize| model.forward(&x, position)));
    // Too far, of another width, of another batch than the past, of no batch, and then on as if nothing had been.
    let calls: [(&[usize], usize); 11] = [
        (&[1, 3, 4], 0),
        (&[1, 1, 4], 40),
        (&[1, 1, 4], 3),
        (&[1, 1, 3], 4),
        (&[1, 1, 4], 4),
        (&[2, 1, 4], 5),
        (&[1, 1, 4], 5),
        (&[1, 4], 6),
        (&[1, 1, 4], 6),
        (&[1, 1, 4], 7),
        (&[1, 2, 4], 8),
    ];
    for (shape, position) in calls {
        let x = tensor(shape);
        assert_alike(plain.forward(&x, position), compiled.call((x, position)));
    }
    assert_same(&compiled.into_model().past.unwrap().1, &plain.past.unwrap().1);
}

/// Everything that a `&self` can hide.
#[fx::module]
struct Hidden {
    linear: Linear,
    count: Cell<usize>,
    last: RefCell<Option<Tensor>>,
    seen: Arc<Mutex<Vec<Tensor>>>,
}

#[fx::module]
impl Module for Hidden {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.count.set(self.count.get() + 1);
        let y = self.linear.forward(x)?;
        let y = match &*self.last.borrow() {
            Some(last) if last.dims() == y.dims() => (y + last)?,
            _ => y,
        };
        let mut seen = self.seen.lock().expect("nobody panicked");
        seen.push(y.mean_all()?);
        let y = if seen.len().is_multiple_of(3) { y.broadcast_add(&seen[0])? } else { y };
        *self.last.borrow_mut() = Some(y.clone());
        Ok(y)
    }
}

#[test]
fn cells_and_growing_lists() {
    let new = || Hidden { linear: linear(4, 4), count: Cell::new(0), last: RefCell::default(), seen: Arc::default() };
    let (plain, compiled) = (new(), fx::compile(new()));
    let mut random = Random(3);
    for _ in 0..30 {
        let x = tensor(&[1 + random.below(2), 4]);
        assert_alike(plain.forward(&x), compiled.forward(&x));
    }
    assert_eq!(compiled.with_model(|model| model.count.get()), 30);
    assert_eq!(compiled.into_model().seen.lock().unwrap().len(), 30);
}

#[fx::module]
struct Choosing {
    linear: Linear,
}

#[fx::module]
impl Choosing {
    fn forward(
        &self,
        x: &Tensor,
        mask: Option<&Tensor>,
        scale: f64,
        times: usize,
        train: bool,
    ) -> Result<(Tensor, Vec<Tensor>)> {
        let mut y = self.linear.forward(x)?;
        for _ in 0..times {
            y = y.affine(scale, 0.5)?;
        }
        if let Some(mask) = mask {
            y = y.broadcast_mul(mask)?;
        }
        if train {
            y = y.tanh()?;
        }
        let rows = if x.dim(0)? == 1 { vec![y.clone()] } else { y.chunk(2, 0)? };
        Ok((y.sum(0)?, rows))
    }
}

#[test]
fn arguments_and_results_of_all_kinds() {
    let model = Choosing { linear: linear(4, 3) };
    let compiled = fx::compile!(
        Choosing { linear: linear(4, 3) },
        |model, x: Tensor, mask: Option<Tensor>, scale: f64, times: usize, train: bool| {
            model.forward(&x, mask.as_ref(), scale, times, train)
        }
    );
    let mut random = Random(11);
    for _ in 0..60 {
        let rows = [1, 2, 4, 7][random.below(4)];
        let mask = (random.below(2) == 0).then(|| tensor(&[rows, 1]));
        let (scale, times, train) = ([0.5, 2.0][random.below(2)], random.below(3), random.below(2) == 0);
        let x = tensor(&[rows, 4]);
        let wanted = model.forward(&x, mask.as_ref(), scale, times, train).unwrap();
        let found = compiled.call((x, mask, scale, times, train)).unwrap();
        assert_same(&wanted.0, &found.0);
        assert_eq!(wanted.1.len(), found.1.len());
        wanted.1.iter().zip(&found.1).for_each(|(wanted, found)| assert_same(wanted, found));
    }
    let stats = compiled.stats();
    assert!(stats.graph_runs > 0 && compiled.graphs().len() <= 32, "{stats:?}");
}

/// Where the position is a number in the graph, it must not stay what it was.
#[fx::module]
struct Rotary {
    table: Tensor,
}

#[fx::module]
impl Rotary {
    fn forward(&self, x: &Tensor, position: usize) -> Result<Tensor> {
        x.broadcast_add(&self.table.narrow(0, position, x.dim(1)?)?)
    }
}

#[test]
fn a_position_is_not_baked_in() {
    let new = || Rotary { table: tensor(&[64, 4]) };
    let (plain, compiled) =
        (new(), fx::compile!(new(), |model, x: Tensor, position: usize| model.forward(&x, position)));
    for position in (0..60).chain([64, 63]) {
        let x = tensor(&[1, 1, 4]);
        assert_alike(plain.forward(&x, position), compiled.call((x, position)));
    }
    assert!(compiled.stats().captures <= 3, "{:?}", compiled.stats());
}

#[fx::module]
struct Special;

#[fx::module]
impl Module for Special {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match x.dims2()? {
            (0, _) => x.sum_keepdim(0),
            (1, _) => x.exp(),
            (n, _) if n > 50 => x.narrow(0, 0, 50)?.neg(),
            (n, m) => (x * (n as f64 / m as f64))?.relu(),
        }
    }
}

#[test]
fn sizes_that_shrink_and_grow() {
    // The example is special (1), usual, or empty; what follows must not be taken for it.
    for first in [1, 7, 0, 51] {
        let compiled = fx::compile(Special);
        let mut random = Random(first as u64 + 1);
        for call in 0..40 {
            let rows = if call == 0 { first } else { [0, 1, 2, 3, 49, 50, 51, 7][random.below(8)] };
            let x = tensor(&[rows, 1 + random.below(4)]);
            assert_alike(Special.forward(&x), compiled.forward(&x));
        }
        assert!(compiled.stats().captures <= 20, "{:?}", compiled.stats());
    }
}

#[test]
fn other_dtypes_and_layouts_are_other_calls() {
    let compiled = fx::compile(Special);
    for dtype in [DType::F32, DType::F64, DType::F32, DType::BF16] {
        let x = tensor(&[3, 4]).to_dtype(dtype).unwrap();
        assert_alike(Special.forward(&x), compiled.forward(&x));
        let turned = tensor(&[4, 3]).t().unwrap().to_dtype(dtype).unwrap();
        assert_alike(Special.forward(&turned), compiled.forward(&turned));
    }
}

#[test]
fn threads_share_a_compiled_model() {
    let compiled: Compiled<Special> = fx::compile(Special);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let compiled = &compiled;
            scope.spawn(move || {
                let mut random = Random(thread);
                for _ in 0..20 {
                    let x = tensor(&[random.below(9), 3]);
                    assert_alike(Special.forward(&x), compiled.forward(&x));
                }
            });
        }
    });
    assert_eq!(compiled.stats().graph_runs + compiled.stats().original_runs, 80);
}

/// Draws, and remembers: neither can be made up for.
#[fx::module]
struct Drawing {
    last: Option<Tensor>,
    calls: usize,
}

#[fx::module]
impl Drawing {
    fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        let noise = Tensor::rand(0f32, 1f32, x.shape(), x.device())?;
        let y = match &self.last {
            Some(last) => (noise + last)?,
            None => noise,
        };
        self.calls += 1;
        self.last = Some(y.clone());
        Ok(y)
    }
}

#[test]
fn chance_and_state_run_as_they_are() {
    let new = Drawing { last: None, calls: 0 };
    let compiled = fx::compile!(new, |model, x: Tensor| model.forward(&x));
    let mut before = 0.0;
    for _ in 0..5 {
        let sum = compiled.call((tensor(&[3]),)).unwrap().sum_all().unwrap().to_scalar::<f32>().unwrap();
        assert!(sum >= before, "what was drawn is added up");
        before = sum;
    }
    assert_eq!(compiled.with_model(|model| model.calls), 5);
    assert_eq!(compiled.stats().original_runs, 5);
}

#[test]
fn weights_are_changed_and_graphs_forgotten() {
    let compiled = fx::compile(Plain { linear: linear(3, 3) });
    let x = tensor(&[2, 3]);
    assert_same(&linear(3, 3).forward(&x).unwrap(), &compiled.forward(&x).unwrap());
    let other = Linear::new(tensor(&[3, 3]).neg().unwrap(), None);
    compiled.with_model(|model| model.linear = other.clone());
    compiled.reset();
    assert_same(&other.forward(&x).unwrap(), &compiled.forward(&x).unwrap());
    assert!(compiled.graphs().len() == 1);
}

#[fx::module]
struct Plain {
    linear: Linear,
}

#[fx::module]
impl Module for Plain {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

/// Does something else with lengths that it has seen.
#[fx::module]
struct Once {
    seen: HashSet<usize>,
}

#[fx::module]
impl Once {
    fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        if self.seen.insert(x.dim(0)?) { x.exp() } else { x.neg() }
    }
}

#[test]
fn sets_are_state() {
    let (mut plain, compiled) = (
        Once { seen: HashSet::new() },
        fx::compile!(Once { seen: HashSet::new() }, |model, x: Tensor| model.forward(&x)),
    );
    for rows in [2, 2, 3, 2, 3, 3, 1, 2, 1] {
        let x = tensor(&[rows]);
        assert_alike(plain.forward(&x), compiled.call((x,)));
    }
    assert_eq!(compiled.into_model().seen, plain.seen);
}

/// What a map remembers is no state where it is only remembered, and state where it decides or counts.
#[fx::module]
#[derive(Default)]
struct Remembers {
    counts: std::collections::BTreeMap<String, usize>,
    seen: HashMap<usize, Tensor>,
    masks: HashMap<usize, Tensor>,
    first: std::cell::OnceCell<usize>,
    past: Option<Tensor>,
}

#[fx::module]
impl Remembers {
    #[allow(clippy::map_entry, reason = "masks are remembered so in models")]
    fn forward(&mut self, x: &Tensor, what: &str) -> Result<Tensor> {
        let n = x.dim(0)?;
        match what {
            "counts" => {
                let count = self.counts.entry(format!("of {}", n % 2)).or_insert(0);
                *count += 1;
                x * *count as f64
            }
            "counts and keeps" => {
                let count = self.counts.entry("all".to_owned()).or_insert(0);
                *count += 1;
                let past = self.past.replace(x.clone());
                let y = (x * *count as f64)?;
                past.filter(|past| past.dims() == x.dims()).map_or(Ok(y.clone()), |past| y + past)
            }
            "number of masks" => {
                self.masks.entry(n).or_insert(Tensor::ones(n, DType::F32, x.device())?);
                x * self.masks.len() as f64
            }
            "more than three masks" => {
                self.masks.entry(n).or_insert(Tensor::ones(n, DType::F32, x.device())?);
                if self.masks.len() > 3 { x.exp() } else { x.neg() }
            }
            "number of masks and keeps" => {
                self.masks.entry(n).or_insert(Tensor::ones(n, DType::F32, x.device())?);
                let count = self.masks.len() as f64;
                let past = self.past.replace(x.clone());
                let y = (x * count)?;
                past.filter(|past| past.dims() == x.dims()).map_or(Ok(y.clone()), |past| y + past)
            }
            "mask of another" => {
                let mask = self.masks.entry(n % 2).or_insert((Tensor::ones((), DType::F32, x.device())? * n as f64)?);
                x.broadcast_mul(mask)
            }
            "first size" => {
                let first = self.first.get_or_init(|| n);
                x * *first as f64
            }
            "another's mask" => {
                let is_there = self.masks.contains_key(&(n + 1));
                self.masks.entry(n).or_insert(Tensor::ones(n, DType::F32, x.device())?);
                if is_there { x.exp() } else { x.neg() }
            }
            "third time" => {
                let count = self.counts.entry(format!("of {n}")).or_insert(0);
                *count += 1;
                if *count > 2 { x.exp() } else { x.neg() }
            }
            "first or not" => {
                let is_first = !self.seen.contains_key(&n);
                self.seen.entry(n).or_insert(Tensor::ones(n, DType::F32, x.device())?);
                if is_first { x.exp() } else { x.neg() }
            }
            _ => {
                if !self.masks.contains_key(&n) {
                    let mask: Vec<f32> = (0..n).map(|i| i as f32).collect();
                    self.masks.insert(n, Tensor::from_vec(mask, n, x.device())?.affine(2.0, 1.0)?);
                }
                x * &self.masks[&n]
            }
        }
    }
}

/// A graph for all sizes gives what the model gives, call after call, or refuses; also one of a model that was used before.
#[test]
fn a_graph_for_all_sizes_knows_whether_what_is_remembered_matters() {
    let each = [
        ("counts", false),
        ("number of masks", false),
        ("more than three masks", false),
        ("mask of another", false),
        ("first size", false),
        ("another's mask", false),
        ("first or not", false),
        ("", true),
    ];
    for ((what, only_remembers), used) in each.into_iter().flat_map(|case| [(case, vec![]), (case, vec![3, 6, 4])]) {
        let mut plain = Remembers::default();
        used.iter().for_each(|&rows| assert!(plain.forward(&tensor(&[rows]), what).is_ok()));
        let tracer = fx::Tracer::new().input("x", DType::F32, 3).concrete_arg("what", what).dynamic("x", 0, "n");
        let captured = tracer.trace(&plain);
        let answered = captured.map_or(0, |graph| {
            let calls = [3, 3, 2, 5, 4, 7, 9, 3, 5, 11, 2].into_iter();
            let answers = calls.map_while(|rows| {
                let x = tensor(&[rows]);
                let expected = plain.forward(&x, what).ok()?;
                let answer = graph.forward(&[&x]).ok()?;
                assert_same(&expected, &answer);
                Some(answer)
            });
            answers.count()
        });
        // What the first call has decided for good is a constant later.
        let is_for_good = what == "first size" && !used.is_empty();
        assert_eq!(answered == 11, only_remembers || is_for_good, "{what} {used:?}");
    }
}

#[test]
fn what_a_map_remembers_is_state_if_it_matters() {
    let each = [
        ("counts", 12),
        ("counts and keeps", 12),
        ("number of masks", 12),
        ("more than three masks", 12),
        ("number of masks and keeps", 14),
        ("mask of another", 12),
        ("first size", 12),
        ("another's mask", 12),
        ("third time", 14),
        ("first or not", 12),
        ("", 4),
    ];
    for (what, most) in each {
        let mut plain = Remembers::default();
        let compiled = fx::compile!(Remembers::default(), |model, x: Tensor, what: String| model.forward(&x, &what));
        for rows in [2, 2, 3, 2, 4, 4, 3, 5, 5, 2, 2, 7, 3, 3] {
            let x = tensor(&[rows]);
            assert_alike(plain.forward(&x, what), compiled.call((x, what.to_owned())));
        }
        let stats = compiled.stats();
        assert!(stats.captures <= most && stats.original_runs == 0, "{what}: {stats:?}");
        assert_eq!(compiled.into_model().counts, plain.counts);
    }
}
