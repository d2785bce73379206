//! What a forward asks of values of its crate, and of functions of others: names in capitals, maps with keys of its own, functions
//! of plain data that look into a module, attention and repeated heads.

use std::collections::HashMap;
use std::num::NonZeroUsize;

use candle_core::{CpuStorage, InplaceOp1, Layout, Module, Result, Tensor};
use candle_nn::Linear;
use fx::Tracer;

use crate::support::{assert_returns, assert_same, linear, other, tensor};

/// Where a value is kept.
#[fx::constant]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Place {
    Input,
    Layer(usize),
}

/// Which values are kept.
#[fx::module]
#[derive(Default)]
struct Places {
    kept: Vec<Place>,
    scales: HashMap<Place, Tensor>,
}

#[fx::module]
impl Places {
    const fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    #[fx(include)]
    const fn kept(&self) -> &Vec<Place> {
        &self.kept
    }

    #[fx(include)]
    fn has(&self, place: &Place) -> bool {
        self.kept().contains(place)
    }

    fn scaled(&self, x: &Tensor) -> Result<Tensor> {
        match self.scales.get(&Place::Layer(1)) {
            Some(scale) => x.broadcast_mul(scale),
            None => Ok(x.clone()),
        }
    }
}

/// Without tensors, chosen by the module.
#[fx::module(by(places))]
fn count(places: &Places, up_to: usize) -> (usize, Option<f64>) {
    let count = (0..up_to).filter(|&layer| places.has(&Place::Layer(layer))).count();
    (count, (!places.is_empty()).then_some(0.5))
}

/// What it takes is a function of tensors, and no tensor.
#[fx::module]
fn measured(of: fn(&Tensor) -> Result<Tensor>) -> usize {
    of(&Tensor::zeros((2, 3), candle_core::DType::F32, &candle_core::Device::Cpu).expect("it is small"))
        .map_or(0, |y| y.dims()[0])
}

#[fx::module]
fn halved(x: &Tensor) -> Result<Tensor> {
    x * 0.5
}

#[fx::module]
struct V6(Linear);

#[fx::module]
impl V6 {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        self.0.forward(x)
    }
}

/// Two versions, by their numbers.
#[fx::module]
enum Mix {
    V6(V6),
    V7 { first: Linear, shift: f64 },
}

/// Two values, without names.
#[fx::module]
struct Both(Tensor, Tensor);

/// It has methods of a type by the same name as that of candle's cache.
#[fx::module]
struct KvCache {
    cache: candle_nn::kv_cache::KvCache,
}

#[fx::module]
impl KvCache {
    fn cache(&self) -> &candle_nn::kv_cache::KvCache {
        &self.cache
    }

    fn itself(&mut self) -> &mut Self {
        self
    }

    fn append(&mut self, k: &Tensor, v: &Tensor) -> Result<(Tensor, Tensor)> {
        self.cache.append(k, v)
    }
}

#[fx::module]
struct Asks {
    mix: Mix,
    places: Places,
    groups: NonZeroUsize,
}

#[fx::module]
impl Asks {
    fn made(&self, x: Tensor) -> Both {
        Both(x.clone(), x)
    }

    fn forward(&self, x: &Tensor, cache: &mut KvCache) -> Result<Tensor> {
        let x = match &self.mix {
            Mix::V6(mix) => mix.run(x)?,
            Mix::V7 { first, shift } => (first.forward(x)? + *shift)?,
        };
        let (count, half) = count(&self.places, 3);
        let x = ((self.places.scaled(&x)? * half.unwrap_or(1.0))? + (count * measured(halved)) as f64)?;
        let Both(left, right) = self.made(x);
        let x = (left + right)?.unsqueeze(0)?.unsqueeze(0)?;
        let before = cache.itself().cache().current_seq_len();
        let (k, _) = cache.append(&x, &x)?;
        (k + (before + self.groups.get()) as f64)?.squeeze(0)
    }
}

fn asks(mix: Mix) -> (Asks, impl Fn() -> KvCache) {
    let scales = HashMap::from([(Place::Layer(1), tensor(&[4])), (Place::Input, other(&[4]))]);
    let places = Places { kept: vec![Place::Input, Place::Layer(1), Place::Layer(7)], scales };
    let cache = || KvCache { cache: candle_nn::kv_cache::KvCache::new(2, 8) };
    (Asks { mix, places, groups: NonZeroUsize::MIN }, cache)
}

#[test]
fn what_a_forward_asks_is_answered_by_mirrors() {
    let (x, y) = (tensor(&[3, 4]), other(&[3, 4]));
    for mix in [Mix::V6(V6(linear(4, 4))), Mix::V7 { first: linear(4, 4), shift: 0.25 }] {
        let (model, cache) = asks(mix);
        let captured = fx::trace(&model, (&y, &cache())).unwrap();
        assert_same(&model.forward(&x, &mut cache()).unwrap(), &captured.forward(&[&x]).unwrap());
    }
}

/// As the crate of that name has it.
mod candle_transformers {
    pub(super) mod utils {
        use candle_core::{Result, Tensor};

        pub(crate) fn repeat_kv(xs: Tensor, n_rep: usize) -> Result<Tensor> {
            let (batch, heads, positions, size) = xs.dims4()?;
            Tensor::cat(&vec![&xs; n_rep], 2)?.reshape((batch, heads * n_rep, positions, size))
        }
    }
}

/// Heads that several share, by functions of candle's crates.
#[fx::module]
struct Shared {
    repeats: usize,
}

#[fx::module]
impl Shared {
    #[allow(deprecated, reason = "the older name is called")]
    fn forward(&self, q: &Tensor, k: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
        use candle_nn::cpu_flash_attention::run_flash_attn_cpu;
        let v = k.neg()?;
        let all = candle_transformers::utils::repeat_kv(k.transpose(1, 2)?, self.repeats)?.transpose(1, 2)?;
        let first = run_flash_attn_cpu::<f32>(q, k, &v, mask, 0.5, None, None)?;
        let second =
            candle_nn::cpu_flash_attention::run_flash_attn_cpu::<f32>(q, &all, &all.neg()?, mask, 0.5, None, None)?;
        first + second
    }
}

#[test]
fn attention_on_the_cpu_and_repeated_heads_are_recorded() {
    let (q, k) = (tensor(&[1, 3, 4, 8]), other(&[1, 3, 2, 8]));
    let model = Shared { repeats: 2 };
    let mask =
        Tensor::new(&[[0f32, f32::NEG_INFINITY, f32::NEG_INFINITY], [0., 0., f32::NEG_INFINITY], [0.; 3]], q.device())
            .unwrap();
    let expected = model.forward(&q, &k, None).unwrap();
    assert_returns(&[&expected], fx::trace(&model, (&q, &k, None::<&Tensor>)), &[&q, &k]);
    let expected = model.forward(&q, &k, Some(&mask)).unwrap();
    assert_returns(&[&expected], fx::trace(&model, (&q, &k, Some(&mask))), &[&q, &k, &mask]);
    let facts = Tracer::new().input("q", q.dtype(), q.shape()).input("k", k.dtype(), k.shape());
    assert_returns(&[&model.forward(&q, &k, None).unwrap()], facts.trace(&model), &[&q, &k]);
}

/// Calls what is only named like candle-transformers' function.
mod named {
    use candle_core::{Result, Tensor};

    use super::candle_transformers::utils::repeat_kv;

    #[fx::module]
    pub(super) struct Bare;

    #[fx::module]
    impl Bare {
        pub(super) fn forward(&self, x: &Tensor) -> Result<Tensor> {
            repeat_kv(x.clone(), 2)
        }
    }
}

#[test]
fn a_function_that_is_only_named_like_it_is_refused() {
    let x = tensor(&[1, 2, 3, 4]);
    assert!(named::Bare.forward(&x).is_ok());
    let error = fx::trace(&named::Bare, (&x,)).expect_err("it is another").to_string();
    assert!(error.contains("repeat_kv"), "{error}");
}

/// Writes to memory by itself.
struct Clear;

impl InplaceOp1 for Clear {
    fn name(&self) -> &'static str {
        "clear"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, _: &Layout) -> Result<()> {
        if let CpuStorage::F32(values) = storage {
            values.fill(0.0);
        }
        Ok(())
    }
}

#[fx::module]
struct Writes;

#[fx::module]
impl Module for Writes {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = x.relu()?;
        y.inplace_op1(&Clear)?;
        Ok(y)
    }
}

#[test]
fn an_operation_in_place_is_refused_with_what_to_write() {
    let x = tensor(&[3, 4]);
    assert!(Writes.forward(&x).is_ok());
    let error = fx::trace(&Writes, (&x,)).expect_err("it writes").to_string();
    assert!(error.contains("inplace_op1") && error.contains("CustomOp1"), "{error}");
}
