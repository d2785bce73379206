//! Forms that crates have which know nothing of fx: traits away from their types, results by other names, what functions
//! lend, and modules that a forward makes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candle_core::{Module, Result as CandleResult, Tensor};
use candle_nn::Linear;

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
struct Entry {
    key: Tensor,
    rows: usize,
}

#[fx::module]
impl Entry {
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
    entry: Option<Arc<Mutex<Entry>>>,
    last: Option<Entry>,
}

fn poisoned<T>(_: PoisonError<T>) -> candle_core::Error {
    candle_core::Error::Msg("a thread panicked".to_owned())
}

/// Chosen by the type of its first argument, which callers have as a guard.
#[fx::module]
fn key(entry: &Entry) -> CandleResult<Tensor> {
    entry.key.clone() * entry.rows as f64
}

/// The same of one that it changes.
#[fx::module]
fn put(entry: &mut Entry, by: f64) -> CandleResult<Tensor> {
    entry.rows += 1;
    entry.key = (&entry.key * by)?;
    Ok(entry.key.clone())
}

#[fx::module]
impl Cache {
    fn forward(&mut self, x: &Tensor) -> CandleResult<Tensor> {
        if let Some(entry) = &self.entry {
            let mut entry: MutexGuard<'_, Entry> = entry.lock().map_err(poisoned)?;
            let sum = (put(&mut entry, 2.0)? + key(&entry)?)?;
            return sum + key(&&*entry)?;
        }
        self.entry = Some(Arc::new(Mutex::new(Entry::new(x.clone())?)));
        self.last = Some(Entry::of_rows(x.clone(), 3)?);
        x * self.last.as_ref().map_or(0, Entry::rows) as f64
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
