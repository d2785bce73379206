//! Forms that crates have which know nothing of fx: traits away from their types, results by other names, what functions
//! lend, and modules that a forward makes.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candle_core::conv::CudnnFwdAlgo;
use candle_core::{DType, Device, Module, Result as CandleResult, Tensor};
use candle_nn::rnn::{self, LSTMState};
use candle_nn::{Activation, Func, Linear, Optimizer, SGD, Sequential, VarBuilder, VarMap, func, sequential};

use crate::support::{assert_returns, assert_same, linear, other, tensor};

mod attention {
    use candle_core::{Module, Result, Tensor};
    use candle_nn::Linear;

    #[fx::module]
    #[derive(Clone)]
    pub(super) struct Plain {
        pub(super) linear: Linear,
    }

    #[fx::module]
    impl Plain {
        pub(super) fn forward(&self, x: &Tensor) -> Result<Tensor> {
            self.linear.forward(x)?.relu()
        }
    }

    #[fx::module]
    #[derive(Clone)]
    pub(super) struct Scaled {
        pub(super) by: f64,
    }

    #[fx::module]
    impl Scaled {
        pub(super) fn forward(&self, x: &Tensor) -> Result<Tensor> {
            x * self.by
        }
    }
}

/// The trait stands away from the types that have it.
mod layer {
    use candle_core::{Result, Tensor};

    use super::attention::{Plain, Scaled};

    #[fx::module]
    pub(super) trait Attention {
        fn attend(&self, x: &Tensor) -> Result<Tensor>;
    }

    #[fx::module(mirrored)]
    impl Attention for Plain {
        fn attend(&self, x: &Tensor) -> Result<Tensor> {
            self.forward(x)
        }
    }

    #[fx::module(mirrored)]
    impl Attention for Scaled {
        fn attend(&self, x: &Tensor) -> Result<Tensor> {
            self.forward(x)
        }
    }
}

use layer::Attention;

#[fx::module]
#[derive(Clone)]
struct Block<A: Attention> {
    attention: A,
    out: Linear,
}

#[fx::module(bounds(Attention))]
impl<A: Attention> Block<A> {
    fn forward(&self, x: &Tensor) -> CandleResult<Tensor> {
        let y = self.attention.attend(x)?;
        self.out.forward(&(x + y)?)
    }
}

#[fx::module]
struct Wrapped<A>(A);

#[fx::module(bounds(layer::Attention))]
impl<A> Wrapped<A>
where
    A: layer::Attention,
{
    fn forward(&self, x: &Tensor) -> CandleResult<Tensor> {
        self.0.attend(x)?.exp()
    }
}

#[fx::module]
struct Model {
    plain: Block<attention::Plain>,
    scaled: Block<attention::Scaled>,
    wrapped: Wrapped<attention::Scaled>,
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> CandleResult<Tensor> {
        let x = self.plain.forward(x)?;
        let halved: CandleResult<Tensor> = halves(&x);
        self.wrapped.forward(&self.scaled.forward(&halved?)?)
    }
}

/// The name of the result is the user's.
#[fx::module]
fn halves(x: &Tensor) -> CandleResult<Tensor> {
    x * 0.5
}

#[test]
fn layers_are_generic_over_a_trait_of_another_module() {
    let model = Model {
        plain: Block { attention: attention::Plain { linear: linear(4, 4) }, out: linear(4, 4) },
        scaled: Block { attention: attention::Scaled { by: 2.0 }, out: linear(4, 4) },
        wrapped: Wrapped(attention::Scaled { by: 0.25 }),
    };
    let (x, y) = (tensor(&[3, 4]), other(&[3, 4]));
    assert_returns(&[&model.forward(&x).unwrap()], fx::trace(&model, (&y,)), &[&x]);
    let graph = fx::trace(&model, (&y,)).unwrap();
    assert!(graph.graph().to_string().contains("call_module plain.attention.linear("), "{}", graph.graph());
}

/// A part of a cache, behind a lock.
#[fx::module]
struct Kept {
    key: Tensor,
    rows: usize,
}

#[fx::module]
impl Kept {
    #[fx(include)]
    fn new(key: Tensor) -> CandleResult<Self> {
        Self::of_rows(key.clone(), key.dim(0)?)
    }

    #[fx(include)]
    fn of_rows(key: Tensor, rows: usize) -> CandleResult<Self> {
        Ok(Self { key, rows })
    }

    fn rows(&self) -> usize {
        self.rows
    }
}

#[fx::module]
#[derive(Default)]
struct Cache {
    entry: Option<Arc<Mutex<Kept>>>,
    last: Option<Kept>,
}

fn poisoned<T>(_: PoisonError<T>) -> candle_core::Error {
    candle_core::Error::Msg("a thread panicked".to_owned())
}

/// Chosen by the type of its first argument, which callers have as a guard.
#[fx::module]
fn key(entry: &Kept) -> CandleResult<Tensor> {
    entry.key.clone() * entry.rows as f64
}

/// The same of one that it changes.
#[fx::module]
fn put(entry: &mut Kept, by: f64) -> CandleResult<Tensor> {
    entry.key = (&entry.key * by)?;
    Ok(entry.key.clone())
}

#[fx::module]
impl Cache {
    fn forward(&mut self, x: &Tensor) -> CandleResult<Tensor> {
        if let Some(entry) = &self.entry {
            let mut entry: MutexGuard<'_, Kept> = entry.lock().map_err(poisoned)?;
            let sum = (put(&mut entry, 2.0)? + key(&entry)?)?;
            return sum + key(&&*entry)?;
        }
        self.entry = Some(Arc::new(Mutex::new(Kept::new(x.clone())?)));
        self.last = Some(Kept::of_rows(x.clone(), 3)?);
        x * self.last.as_ref().map_or(0, Kept::rows) as f64
    }
}

#[test]
fn what_is_made_of_tensors_is_kept_and_lent_by_guards() {
    let x = tensor(&[2, 3]);
    let (mut original, mut model) = (Cache::default(), Cache::default());
    assert_returns(&[&original.forward(&x).unwrap()], fx::trace(&model, (&x,)), &[&x]);
    // From now on there is an entry.
    model.forward(&x).unwrap();
    let captured = fx::trace(&model, (&x,)).unwrap();
    for _ in 0..3 {
        assert_same(&original.forward(&x).unwrap(), &captured.forward(&[&x]).unwrap());
    }
}

/// By which name a pair of tensors goes.
type Pair = (Tensor, Tensor);
type Shared = Mutex<Vec<Tensor>>;
type Lent = MutexGuard<'static, Vec<Tensor>>;

static SEEN: Shared = Mutex::new(Vec::new());

/// A guard of what is no part of the model.
#[fx::module]
fn lend(shared: &'static Shared) -> CandleResult<Lent> {
    shared.lock().map_err(poisoned)
}

/// A path is only lent, which a graph cannot pass.
#[fx::module]
fn named(x: &Tensor, by: &Path) -> CandleResult<Tensor> {
    x * by.components().count() as f64
}

#[fx::module]
struct Adapter {
    up: Pair,
    gates: Linear,
    /// A number that others may change, as its bits.
    rate: Arc<AtomicU32>,
}

#[fx::module]
impl Adapter {
    fn pair(&self, x: &Tensor) -> CandleResult<Pair> {
        let rate = f32::from_bits(self.rate.load(Ordering::Relaxed));
        let kernel = self.up.0.reshape((4, 4, 1))?;
        let y = x.t()?.unsqueeze(0)?.conv1d_with_algo(&kernel, 0, 1, 1, 1, Some(CudnnFwdAlgo::Gemm))?;
        Ok((y.squeeze(0)?.t()?, (x.matmul(&self.up.1)? * f64::from(rate))?))
    }

    /// The state is made of tensors, by names that are imported or not.
    fn start(&self, x: &Tensor) -> CandleResult<LSTMState> {
        let first = rnn::LSTMState::new(x.clone(), x.sin()?);
        Ok(LSTMState::new(first.c().clone(), first.h().clone()))
    }

    fn forward(&self, x: &Tensor) -> CandleResult<Adapted> {
        let (a, b) = self.pair(x)?;
        let state = self.start(&self.gates.forward(x)?)?;
        let both: Pair = ((a + state.h())?, (b + state.c())?);
        let rows = lend(&SEEN)?.len();
        Ok(Adapted { rows: named(&both.0, Path::new("a/b"))?.narrow(0, rows, 1)?, both })
    }
}

#[fx::module]
struct Adapted {
    both: Pair,
    rows: Tensor,
}

#[test]
fn names_of_pairs_and_of_states_lead_to_what_they_stand_for() {
    let model = Adapter { up: (tensor(&[4, 4]), other(&[4, 4])), gates: linear(4, 4), rate: Arc::default() };
    model.rate.store(0.5f32.to_bits(), Ordering::Relaxed);
    let (x, y) = (tensor(&[3, 4]), other(&[3, 4]));
    let Adapted { both, rows } = model.forward(&x).unwrap();
    assert_returns(&[&both.0, &both.1, &rows], fx::trace(&model, (&y,)), &[&x]);
}

/// What acts holds what trains it.
#[fx::module]
struct Actor<O>
where
    O: Optimizer,
{
    policy: Sequential,
    optimizer: O,
}

#[fx::module]
impl<O: Optimizer> Actor<O> {
    fn forward(&self, x: &Tensor) -> CandleResult<Tensor> {
        self.policy.forward(x)
    }

    #[fx(skip)]
    fn learn(&mut self, loss: &Tensor) -> CandleResult<()> {
        self.optimizer.backward_step(loss)
    }
}

/// What acts alone.
#[fx::module]
struct Policy {
    layers: Sequential,
}

#[fx::module]
impl Policy {
    /// The module of candle's is imported, and not the function.
    #[fx(include)]
    fn new(vb: VarBuilder<'_>) -> CandleResult<Self> {
        let layer = candle_nn::linear(3, 2, vb.pp("policy"))?;
        Ok(Self { layers: sequential::seq().add(layer).add(Activation::Relu) })
    }

    fn forward(&self, x: &Tensor) -> CandleResult<Tensor> {
        self.layers.forward(x)
    }
}

/// The same as a closure.
#[fx::module]
fn policy(vb: VarBuilder<'_>) -> CandleResult<Func<'_>> {
    let layer = candle_nn::linear(3, 2, vb.pp("policy"))?;
    Ok(func::func(move |x| layer.forward(x)?.relu()))
}

#[test]
fn what_trains_is_held_and_left_out() {
    let vars = VarMap::new();
    let vb = VarBuilder::from_varmap(&vars, DType::F32, &Device::Cpu);
    let Policy { layers } = Policy::new(vb.clone()).unwrap();
    let mut actor = Actor { policy: layers, optimizer: SGD::new(vars.all_vars(), 0.1).unwrap() };
    let x = tensor(&[4, 3]);
    actor.learn(&actor.forward(&x).unwrap().sqr().unwrap().sum_all().unwrap()).unwrap();

    let tracer = || fx::Tracer::new().example("x", &x);
    let built = tracer().trace_built(&vb, fx::Symbolic::<Policy>::new).unwrap();
    assert!(built.graph().to_string().contains("call_module policy("), "{}", built.graph());
    let closure = fx::Tracer::new().example("xs", &x).trace_built(&vb, policy).unwrap();
    let actor = std::rc::Rc::new(actor);
    let held = tracer().trace_with(&actor, |actor, inputs| actor.forward(&inputs.tensor("x")?)).unwrap();
    for captured in [built, closure, held] {
        assert_same(&actor.forward(&x).unwrap(), &captured.forward(&[&x]).unwrap());
    }
}
