//! [`Compiled`]: a model that runs as graphs, captured when they are needed: torch.compile's way.
//!
//! | file | holds |
//! |---|---|
//! | `arguments` | what a model can be called with |
//! | `example` | what a call looks like, and what differs between two of them |
//! | `refusal` | why the model itself answered a call |
//! | `cache` | the graphs and the state they work on |
//! | `model` | the model behind them |
//!
//! The first call captures the model as it is called. A call that no graph is for captures it again, for all values of
//! the sizes and integers that differ; where that cannot be, or such a graph refuses the call because the model takes another
//! way there, it is captured for this call alone. What cannot be captured at all runs as it is.
//!
//! What a model keeps from call to call is one state that all graphs work on. The model itself stays behind: when it has to
//! run, or to be captured in its present state, the calls that it missed are made up for first.
//!
//! Invariant: the result is the model's own, whatever is captured; a graph that fails is not the last word.

mod arguments;
mod cache;
mod example;
mod model;
mod refusal;

pub use arguments::Arguments;
pub use cache::Stats;
pub use refusal::Refusal;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candle_core::{Module, Result, Tensor};

use crate::module::GraphModule;
use crate::ops::from_value::FromValue;
use crate::trace::{Entry, Inputs, Output, Traceable, Tracer, ViaModule};
use crate::value::Value;

use cache::{Behind, Cache};
use model::{Calls, Model};

/// A model that runs as graphs, captured when they are needed. Made by [`compile`](fn@compile) and
/// [`compile!`](macro@crate::compile).
///
/// `A` is the tuple of its arguments, `R` its result. What a model changes where no capture looks, inside of a `Box<dyn …>` of
/// a trait that is not the user's, is not followed. It can be used by several threads at once; calls of a model that keeps
/// something are made one after the other.
///
/// It is also a [`Module`], if it takes one tensor.
///
/// ```
/// use candle_core::{DType, Device, Module, Tensor};
///
/// let ones = |shape: (usize, usize)| Tensor::ones(shape, DType::F32, &Device::Cpu);
/// let linear = candle_nn::Linear::new(ones((2, 3))?, None);
/// let model = fx_core::compile!(linear, |linear, x: Tensor| linear.forward(&x)?.relu());
/// for rows in [4, 4, 5, 6] {
///     assert_eq!(model.call((ones((rows, 3))?,))?.dims(), [rows, 2]);
/// }
/// // One graph for four rows, and one for any number of rows.
/// let stats = model.stats();
/// assert_eq!((stats.captures, stats.graph_runs, stats.original_runs), (2, 4, 0));
/// # Ok::<(), candle_core::Error>(())
/// ```
pub struct Compiled<M, A = (Tensor,), R = Tensor> {
    calls: Calls<M, A, R>,
    now: Mutex<Now<M, A>>,
}

/// The model and its graphs.
struct Now<M, A> {
    model: M,
    cache: Cache<A>,
}

/// A model of one tensor, as graphs: a drop-in for it that gives the same results.
///
/// Models with other arguments or results, and those whose `forward` takes `&mut self`, are compiled by the macro
/// [`compile!`](macro@crate::compile).
///
/// ```rs
/// let model = fx::compile(Mlp::new(vb)?);
/// let y = model.forward(&x)?;
/// ```
pub fn compile<M>(model: M) -> Compiled<M>
where
    M: Traceable + Module + 'static,
    M::Symbolic: Entry<ViaModule>,
{
    let calls = Calls {
        names: Vec::new(),
        original: Box::new(|model: &mut M, (x,): (Tensor,)| model.forward(&x)),
        capture: Box::new(|model, tracer, arguments: &(Tensor,)| tracer.trace_examples(model, arguments.examples())),
        configure: Box::new(|tracer| tracer),
    };
    Compiled::new(model, calls)
}

/// A model as graphs, by a call of it: `fx::compile!(model, |model, x: Tensor, pos: usize| model.forward(&x, pos))`.
///
/// The call is compiled twice, for the model and for its mirror, as the bodies of annotated methods are. Its parameters
/// are tensors, numbers, flags, text, and options, lists and tuples of them; its result tensors, numbers, and options, lists
/// and tuples of them, in a `candle_core::Result`. A cache that the model is lent is compiled together with it:
///
/// ```rs
/// let llama = fx::compile!((llama, cache), |both, x: Tensor, index_pos: usize| both.0.forward(&x, index_pos, &mut both.1));
/// let logits = llama.call((tokens, 0))?;
/// ```
#[macro_export]
macro_rules! compile {
    ($model:expr, |$called:ident $(, $name:ident: $ty:ty)* $(,)?| $call:expr) => {
        $crate::compile::Compiled::of(
            $model,
            &[$(::core::stringify!($name)),*],
            |$called, arguments| {
                let ($($name,)*): ($($ty,)*) = arguments;
                $call
            },
            |$called, inputs| {
                $(
                    let $name = inputs.take::<<$ty as $crate::trace::Traceable>::Symbolic>(
                        ::core::stringify!($name),
                        ::core::stringify!($ty),
                    )?;
                )*
                #[allow(unused_imports)]
                use $crate::symbolic::{Module as _, ModuleT as _};
                let returned = $call;
                inputs.finish(returned)
            },
        )
    };
}

impl<M, A, R> Compiled<M, A, R> {
    /// What the macro makes: a model, the names of its parameters, and how it and its mirror are called.
    #[doc(hidden)]
    pub fn of(
        model: M,
        names: &'static [&'static str],
        original: impl Fn(&mut M, A) -> Result<R> + Send + Sync + 'static,
        symbolic: impl Fn(&mut M::Symbolic, &mut Inputs<'_>) -> Result<Output> + Send + Sync + 'static,
    ) -> Self
    where
        M: Traceable + 'static,
        A: Arguments,
    {
        let capture = move |model: &M, tracer: Tracer<'_>, arguments: &A| {
            arguments.named(tracer, names).trace_outputs_of(model, |mirror, inputs| symbolic(mirror, inputs))
        };
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let (original, capture) = (Box::new(original), Box::new(capture));
        let calls = Calls { names, original, capture, configure: Box::new(|tracer| tracer) };
        Self::new(model, calls)
    }

    /// With captures that are told more: which modules are one node each, say, because they read data
    /// ([`TracerRules`](crate::trace::TracerRules)). Called on a tracer without arguments, for each capture.
    ///
    /// ```rs
    /// let model = fx::compile(model).configure(|tracer| tracer.with(RoutersWhole));
    /// ```
    #[must_use]
    pub fn configure(mut self, configure: impl for<'t> Fn(Tracer<'t>) -> Tracer<'t> + Send + Sync + 'static) -> Self {
        self.calls.configure = Box::new(configure);
        self
    }

    fn new(model: M, calls: Calls<M, A, R>) -> Self {
        Self { calls, now: Mutex::new(Now { model, cache: Cache::new() }) }
    }

    /// A panic of the model leaves what it leaves without fx.
    fn now(&self) -> MutexGuard<'_, Now<M, A>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The graphs that there are, the one that ran last first.
    ///
    /// Some dozens at most; what did not run for the longest time is dropped first.
    #[must_use]
    pub fn graphs(&self) -> Vec<Arc<GraphModule>> {
        self.now().cache.graphs()
    }

    /// What has happened so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.now().cache.stats()
    }

    /// Why calls were answered by the model itself, the first ones: what ended a capture, or a run of a graph.
    #[must_use]
    pub fn refusals(&self) -> Vec<Refusal> {
        self.now().cache.refusals().to_vec()
    }
}

impl<M, A, R> Compiled<M, A, R>
where
    M: Traceable,
    A: Arguments,
    R: for<'v> FromValue<'v>,
{
    /// Calls the model with these arguments, a tuple.
    ///
    /// The result is the model's own, whichever answers: a graph that fails leaves the call to the model.
    ///
    /// # Errors
    /// The model's own.
    pub fn call(&self, arguments: A) -> Result<R> {
        let values = arguments.values()?;
        let mut guard = self.now();
        let Now { model, cache } = &mut *guard;
        let mut behind = Model { model, calls: &self.calls };
        if let Some(graph) = cache.ready(&mut behind, &values, &arguments) {
            if !graph.graph().state().is_empty() {
                if let Some(result) = cache.run(&mut behind, &graph, &values, &arguments, taken) {
                    return Ok(result);
                }
            } else {
                // Nothing is shared: several can run at once.
                drop(guard);
                let result = graph.run(&values).map(taken);
                guard = self.now();
                match result {
                    Ok(Some(result)) => {
                        guard.cache.count_run();
                        return Ok(result);
                    }
                    Ok(None) => {}
                    Err(error) => guard.cache.refuse(error),
                }
            }
        }
        // Whatever goes wrong in a graph, the original says better.
        let Now { model, cache } = &mut *guard;
        cache.leave_call(&mut Model { model, calls: &self.calls });
        (self.calls.original)(model, arguments)
    }

    /// The model itself, to be looked at or changed: a cache emptied, a flag set, a tensor replaced. Graphs that hold what was
    /// changed as a constant are forgotten, where it can be seen: what changes inside of a layer that does not tell its tensors
    /// needs [`Compiled::reset`].
    ///
    /// `with` has the model alone: it must not call the compiled model itself, which would wait for it.
    pub fn with_model<T>(&self, with: impl FnOnce(&mut M) -> T) -> T {
        self.change(Cache::leave, with)
    }

    /// Begins anew: `with` puts back all that the model keeps, as `clear_kv_cache` does. Unlike [`Compiled::with_model`] it does
    /// not see the present state: calls that the model missed are not made up for.
    pub fn restart<T>(&self, with: impl FnOnce(&mut M) -> T) -> T {
        self.change(|cache, _| cache.restart(), with)
    }

    fn change<T>(&self, prepare: impl FnOnce(&mut Cache<A>, &mut dyn Behind<A>), with: impl FnOnce(&mut M) -> T) -> T {
        let Now { model, cache } = &mut *self.now();
        prepare(cache, &mut Model { model, calls: &self.calls });
        let before = cache.constants(&Model { model, calls: &self.calls });
        let result = with(model);
        cache.compare(&Model { model, calls: &self.calls }, before);
        cache.see_others(&Model { model, calls: &self.calls });
        result
    }

    /// Forgets all graphs: to be called when weights have changed. What the model keeps stays.
    pub fn reset(&self) {
        let Now { model, cache } = &mut *self.now();
        cache.forget(&mut Model { model, calls: &self.calls });
    }

    /// The model, in its present state.
    ///
    /// Calls that it missed are made up for first.
    pub fn into_model(self) -> M {
        let Now { mut model, mut cache } = self.now.into_inner().unwrap_or_else(PoisonError::into_inner);
        cache.catch_up(&mut Model { model: &mut model, calls: &self.calls });
        model
    }
}

/// The result as a Rust value.
fn taken<R: for<'v> FromValue<'v>>(value: Value) -> Option<R> {
    R::from_value(&value)
}

impl<M> Module for Compiled<M>
where
    M: Traceable,
{
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.call((x.clone(),))
    }
}
