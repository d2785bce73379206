//! What was reported of other compilers of models: a graph that went on with a size, a number or a flag of an earlier call. Each
//! test is one such report, by its number, and what fx does in its place.

use candle_core::{DType, Device, Result, Tensor, Var};
use candle_nn::rnn::{LSTM, LSTMConfig, RNN};
use candle_nn::{Linear, Module, VarBuilder};
use fx::compile::Refusal;
use fx::{Tracer, Value};

use crate::support::{assert_same, linear, other, tensor};

#[fx::module]
struct NotThisShape;

#[fx::module]
impl NotThisShape {
    fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        if x.dims() != [5, 1, 2, 3] { x.cos() } else { x.sin() }
    }
}

/// pytorch 113875: a guard of a whole shape did not fail where it should.
#[test]
fn a_guard_of_a_whole_shape() {
    let shapes: [&[usize]; 6] =
        [&[5, 1, 3, 4], &[5, 1, 2, 3], &[4, 1, 2, 3], &[5, 1, 2, 3], &[5, 1, 2, 4], &[5, 1, 2, 3]];
    assert_compiled_follows!(NotThisShape, |model, x: Tensor| model.forward(&x), shapes.map(|shape| (tensor(shape),)));
}

/// Keeps keys and a position, and a window of the last keys.
#[fx::module]
#[derive(Clone)]
struct Sliding {
    query: Linear,
    keys: Option<Tensor>,
    cumulative_length: usize,
    window: usize,
    table: Tensor,
}

#[fx::module]
impl Sliding {
    fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        let (_, seq, _) = x.dims3()?;
        let at = self.table.narrow(0, self.cumulative_length, seq)?;
        let q = self.query.forward(x)?.broadcast_add(&at)?;
        let keys = match &self.keys {
            Some(keys) => Tensor::cat(&[keys, &q], 1)?,
            None => q.clone(),
        };
        self.cumulative_length += seq;
        let is_full = self.cumulative_length > self.window;
        let keys =
            if is_full { keys.narrow(1, keys.dim(1)? - self.window.min(keys.dim(1)?), self.window)? } else { keys };
        self.keys = Some(keys.clone());
        q.matmul(&keys.t()?)?.matmul(&keys)
    }
}

fn sliding() -> Sliding {
    Sliding { query: linear(4, 4), keys: None, cumulative_length: 0, window: 8, table: tensor(&[64, 4]) }
}

/// mlx-swift-lm 406, torchtune 1663, tt-xla 3688: the position of a decoder was a constant, or another graph for each.
#[test]
fn a_position_that_the_cache_counts() {
    let steps = [3usize, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 30, 1, 20, 1, 1];
    let calls = steps.map(|seq| (tensor(&[1, seq, 4]),));
    let compiled = assert_compiled_follows!(sliding(), |model, x: Tensor| model.forward(&x), calls);
    let stats = compiled.stats();
    assert!(stats.captures <= 8 && stats.original_runs <= 3, "{stats:?}");
}

#[fx::module]
struct Cached {
    cache: candle_nn::kv_cache::KvCache,
}

#[fx::module]
impl Cached {
    fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        let (k, v) = self.cache.append(&x.contiguous()?, &x.contiguous()?)?;
        x.matmul(&k.t()?)?.matmul(&v)
    }
}

/// The same with candle's cache: one graph for all lengths of it.
#[test]
fn a_position_that_candle_s_cache_counts() {
    let calls = [3usize, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1].map(|rows| (tensor(&[rows, 4]),));
    let new = || Cached { cache: candle_nn::kv_cache::KvCache::new(0, 32) };
    let compiled = assert_compiled_follows!(new(), |model, x: Tensor| model.forward(&x), calls);
    assert_eq!((compiled.stats().captures, compiled.stats().original_runs), (3, 0));
}

#[fx::module]
struct Toggled {
    linear: Linear,
    scale: Tensor,
    disabled: bool,
    factor: f64,
}

#[fx::module]
impl Toggled {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = self.linear.forward(x)?;
        if self.disabled { Ok(y) } else { y.broadcast_mul(&self.scale)? * self.factor }
    }
}

/// pytorch 124717, 98928, 111785, 176851: what was changed from outside between two calls was not seen.
#[test]
fn what_is_changed_from_outside() {
    let new = || Toggled { linear: linear(4, 4), scale: tensor(&[4]), disabled: false, factor: 1.0 };
    let (mut plain, compiled) = (new(), fx::compile!(new(), |model, x: Tensor| model.forward(&x)));
    let changes: [fn(&mut Toggled); 7] = [
        |_| {},
        |model| model.disabled = true,
        |model| model.disabled = false,
        |model| model.factor = 10.0,
        |model| model.scale = other(&[4]),
        |_| {},
        |model| (model.disabled, model.factor) = (true, 3.0),
    ];
    for change in changes {
        change(&mut plain);
        compiled.with_model(change);
        for rows in [2, 3] {
            let x = tensor(&[rows, 4]);
            assert_same(&plain.forward(&x).unwrap(), &compiled.call((x,)).unwrap());
        }
    }
    // Where nothing was changed the graphs stay: two for each of what was there.
    assert_eq!(compiled.stats().captures, 12);
}

/// What a sum is made of changes after the call.
#[fx::module]
struct Running {
    sum: Option<Tensor>,
    weight: Tensor,
}

#[fx::module]
impl Running {
    fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        let y = x.broadcast_mul(&self.weight)?;
        let sum = match &self.sum {
            Some(sum) => (sum + y)?,
            None => y,
        };
        self.sum = Some(sum.clone());
        Ok(sum)
    }
}

/// pytorch 115774: a buffer was the one of the capture. The caller writes its next input where the last one was.
#[test]
fn an_input_that_is_written_in_place() {
    let new = || Running { sum: None, weight: tensor(&[4]) };
    let (mut plain, compiled) = (new(), fx::compile!(new(), |model, x: Tensor| model.forward(&x)));
    let buffer = Var::zeros(4, DType::F32, &Device::Cpu).unwrap();
    for step in 0..6 {
        buffer.set(&(tensor(&[4]) + f64::from(step)).unwrap()).unwrap();
        let x = buffer.as_tensor().clone();
        assert_same(&plain.forward(&x).unwrap(), &compiled.call((x,)).unwrap());
    }
    assert_eq!(compiled.stats().graph_runs, 6);
    assert_same(&plain.sum.unwrap(), &compiled.into_model().sum.unwrap());
}

/// Weights that an optimizer changes between calls: what the model keeps cannot be made up for with those of later.
#[test]
fn weights_that_change_under_a_state() {
    let weights = || Var::from_tensor(&tensor(&[4])).unwrap();
    let (ours, theirs) = (weights(), weights());
    let new = |var: &Var| Running { sum: None, weight: var.as_tensor().clone() };
    let (mut plain, compiled) = (new(&ours), fx::compile!(new(&theirs), |model, x: Tensor| model.forward(&x)));
    for step in 0..4 {
        for var in [&ours, &theirs] {
            var.set(&(tensor(&[4]) * f64::from(step)).unwrap()).unwrap();
        }
        let x = tensor(&[4]);
        assert_same(&plain.forward(&x).unwrap(), &compiled.call((x,)).unwrap());
    }
    compiled.with_model(|model| assert_same(plain.sum.as_ref().unwrap(), model.sum.as_ref().unwrap()));
    assert!(matches!(compiled.refusals()[..], [Refusal::NotRepeatable(_)]), "{:?}", compiled.refusals());
}

#[fx::module]
struct Layouts;

#[fx::module]
impl Module for Layouts {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        if x.is_contiguous() { x.relu() } else { x.neg() }
    }
}

/// transformers 29114: inputs of one shape that lie in memory in other ways.
#[test]
fn inputs_that_lie_otherwise() {
    let compiled = fx::compile(Layouts);
    for rows in [3, 4, 3, 5] {
        let x = tensor(&[rows, 6]);
        let each = [x.clone(), tensor(&[6, rows]).t().unwrap(), x.narrow(1, 0, 2).unwrap(), x.narrow(0, 1, 2).unwrap()];
        for x in each.iter().chain(&each) {
            assert_same(&Layouts.forward(x).unwrap(), &compiled.forward(x).unwrap());
        }
    }
    assert_eq!(compiled.stats().original_runs, 0);
}

#[fx::module]
struct Scaled;

#[fx::module]
impl Scaled {
    fn forward(&self, x: &Tensor, scale: f64) -> Result<Tensor> {
        x * scale
    }
}

/// pytorch's `cache_size_limit`: a number that is another each time fills no cache without a word.
#[test]
fn another_number_each_time() {
    let compiled = fx::compile!(Scaled, |model, x: Tensor, scale: f64| model.forward(&x, scale));
    let special = [0.0, -0.0, f64::NAN, f64::INFINITY, 0.0, -0.0, f64::NAN];
    for scale in special.into_iter().chain((0..140).map(|i| f64::from(i) * 0.3)) {
        let x = tensor(&[3]);
        assert_same(&Scaled.forward(&x, scale).unwrap(), &compiled.call((x, scale)).unwrap());
    }
    let (stats, refusals) = (compiled.stats(), compiled.refusals());
    assert!(compiled.graphs().len() <= 32 && stats.original_runs > 0, "{stats:?}");
    let error = refusals.last().expect("the last calls were refused").to_string();
    assert!(matches!(refusals.last(), Some(Refusal::TooMany { .. })) && error.contains("`scale` is"), "{error}");
}

#[fx::module]
struct Added;

#[fx::module]
impl Added {
    fn forward(&self, x: &Tensor, y: &Tensor) -> Result<Tensor> {
        let sum = x.broadcast_add(y)?;
        let rows = sum.dim(0)? as f64;
        sum / rows
    }
}

/// pytorch 133653, 170264, 62756: an example of batch 1. What only one batch of 1 allows is no expression of two.
#[test]
fn an_example_of_one_that_is_broadcast() {
    let captured = |one: &str, other: &str| {
        let tracer = Tracer::new().input("x", DType::F32, (1, 4)).input("y", DType::F32, (1, 4));
        tracer.dynamic("x", 0, one).dynamic("y", 0, other).trace(&Added)
    };
    let error = captured("n", "m").unwrap_err().to_string();
    assert!(error.contains("reports.rs:"), "{error}");
    let module = captured("n", "n").unwrap();
    for rows in [1, 0, 2, 7, 4000] {
        let (x, y) = (tensor(&[rows, 4]), other(&[rows, 4]));
        assert_same(&Added.forward(&x, &y).unwrap(), &module.forward(&[x, y]).unwrap());
    }
}

#[fx::module]
struct Ranged;

#[fx::module]
impl Module for Ranged {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.narrow(0, 0, x.dim(0)?.min(5))
    }
}

/// pytorch 176349: an example at the end of its range.
#[test]
fn an_example_at_the_end_of_its_range() {
    for rows in [2, 9, 16] {
        let tracer = Tracer::new().input("x", DType::F32, (rows, 4)).dynamic("x", 0, "n").size_range("n", 2..=16);
        let module = tracer.trace(&Ranged).unwrap_or_else(|error| panic!("{error}"));
        for rows in 2..=16 {
            let x = tensor(&[rows, 4]);
            assert_same(&Ranged.forward(&x).unwrap(), &module.forward(&[x]).unwrap());
        }
        for rows in [0, 1, 17, 100] {
            let error = module.forward(&[tensor(&[rows, 4])]).unwrap_err().to_string();
            assert!(error.contains("`n "), "{error}");
        }
    }
}

#[fx::module]
struct Recurrent {
    lstm: LSTM,
}

#[fx::module]
impl Module for Recurrent {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let states = self.lstm.seq(x)?;
        self.lstm.states_to_tensor(&states)
    }
}

/// pytorch 59530, 15319: the batch of an LSTM was a constant.
#[test]
fn a_recurrent_layer_of_any_batch() {
    let weights = VarBuilder::from_tensors(
        [("weight_ih_l0", [12, 4]), ("weight_hh_l0", [12, 3])]
            .into_iter()
            .map(|(name, shape)| (name.to_owned(), tensor(&shape)))
            .chain(["bias_ih_l0", "bias_hh_l0"].map(|name| (name.to_owned(), tensor(&[12]))))
            .collect(),
        DType::F32,
        &Device::Cpu,
    );
    let model = Recurrent { lstm: candle_nn::lstm(4, 3, LSTMConfig::default(), weights).unwrap() };
    let module = Tracer::new().input("x", DType::F32, (1, 5, 4)).dynamic("x", 0, "batch").trace(&model);
    let module = module.unwrap_or_else(|error| panic!("{error}"));
    for batch in [1, 2, 3, 17] {
        let x = tensor(&[batch, 5, 4]);
        assert_same(&model.forward(&x).unwrap(), &module.forward(&[x]).unwrap());
    }
}

#[fx::module]
struct Unused;

#[fx::module]
impl Unused {
    fn forward(&self, x: &Tensor, _other: &Tensor) -> Result<Tensor> {
        let at = Tensor::arange(0f32, x.dim(0)? as f32, x.device())?;
        x.broadcast_add(&at.unsqueeze(1)?)
    }
}

/// pytorch 131893, 105279: another graph for each length, also of what is not used.
#[test]
fn lengths_that_all_differ() {
    let compiled = fx::compile!(Unused, |model, x: Tensor, y: Tensor| model.forward(&x, &y));
    for (rows, others) in [(3, 4), (3, 6), (3, 9), (146, 2), (149, 1), (7, 0), (1, 1), (0, 5)] {
        let (x, y) = (tensor(&[rows, 2]), tensor(&[others]));
        assert_same(&Unused.forward(&x, &y).unwrap(), &compiled.call((x, y)).unwrap());
    }
    assert!(compiled.stats().captures <= 4, "{:?}", compiled.stats());
}

#[fx::module]
struct Shifted;

#[fx::module]
impl Shifted {
    fn forward(&self, x: &Tensor, offset: i64) -> Result<Tensor> {
        x * offset.abs() as f64
    }
}

/// A graph of all positions is none of negative ones, and an integer that is no size at all is not taken for one.
#[test]
fn integers_that_are_no_sizes() {
    let captured = |offset: i64| {
        Tracer::new().input("x", DType::F32, 3).concrete_arg("offset", offset).dynamic_arg("offset").trace(&Shifted)
    };
    let module = captured(3).unwrap();
    let x = tensor(&[3]);
    let error = module.run(&[x.clone().into(), Value::Int(-3)]).unwrap_err().to_string();
    assert!(error.contains("`offset >= 0`") && error.contains("offset = -3"), "{error}");
    for offset in [-1, i64::MAX, 1 << 60] {
        let error = captured(offset).unwrap_err().to_string();
        assert!(error.contains("`offset`"), "{error}");
    }
    let compiled = fx::compile!(Shifted, |model, x: Tensor, offset: i64| model.forward(&x, offset));
    for offset in [3, 4, -3, -4, 0, 1 << 40, i64::MAX, -i64::MAX, 5] {
        assert_same(&Shifted.forward(&x, offset).unwrap(), &compiled.call((x.clone(), offset)).unwrap());
    }
}
