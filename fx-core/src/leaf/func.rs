//! [`Func`] and [`FuncT`]: candle's layers made of closures, in the symbolic world.
//!
//! One that a twin makes runs its closure on proxies. One that a model already holds is called whole, because nobody can
//! look into a closure.
//!
//! Invariant: a closure that a twin makes records nothing of its own, only what it does.

use std::fmt;
use std::sync::Arc;

use candle_core::Result;

use crate::module::Called;
use crate::ops::{InferError, IntoValue};
use crate::trace::{BuiltAt, Entry, Inputs, Module, ModuleT, Output, Proxy, Scope, Traceable, ViaModule, ViaModuleT};
use crate::value::{Fact, Value};

use super::layer::{Forward, ForwardT, Layer, Leaf, argument};

/// What a closure of a twin's computes.
type Closure<'a> = Arc<dyn 'a + Fn(&Proxy) -> Result<Proxy> + Send + Sync>;

/// The same, told whether it is training.
type ClosureT<'a> = Arc<dyn 'a + Fn(&Proxy, bool) -> Result<Proxy> + Send + Sync>;

/// `candle_nn::Func` in a twin.
///
/// One that a twin makes is a closure from proxies: what it does is in the graph. One that a model holds is called
/// whole, as one node.
#[derive(Clone)]
pub struct Func<'a>(What<Closure<'a>, candle_nn::Func<'static>>);

/// `candle_nn::FuncT` in a twin.
///
/// As [`Func`], told whether it trains.
#[derive(Clone)]
pub struct FuncT<'a>(What<ClosureT<'a>, candle_nn::FuncT<'static>>);

#[derive(Clone)]
enum What<F, L: Layer> {
    /// Made by a twin, in what it was building.
    Made(F, Option<BuiltAt>),
    /// Found in a model.
    Held(Leaf<L>),
}

impl<'a> Func<'a> {
    /// The layer of this closure.
    pub fn new<F>(f: F) -> Self
    where
        F: 'a + Fn(&Proxy) -> Result<Proxy> + Send + Sync,
    {
        Self(What::Made(Arc::new(f), BuiltAt::here()))
    }

    /// The layer that calls this module.
    pub fn of(module: impl 'a + Module + Send + Sync) -> Self {
        Self::new(move |xs| module.forward(xs))
    }

    /// Calls the closure.
    ///
    /// # Errors
    /// The closure's own.
    pub fn forward(&self, xs: &Proxy) -> Result<Proxy> {
        match &self.0 {
            What::Held(layer) => layer.forward(xs),
            What::Made(closure, built) => {
                let _running = built.as_ref().map(BuiltAt::enter);
                closure(xs)
            }
        }
    }
}

impl<'a> FuncT<'a> {
    /// The layer of this closure.
    pub fn new<F>(f: F) -> Self
    where
        F: 'a + Fn(&Proxy, bool) -> Result<Proxy> + Send + Sync,
    {
        Self(What::Made(Arc::new(f), BuiltAt::here()))
    }

    /// The layer that calls this module.
    pub fn of(module: impl 'a + ModuleT + Send + Sync) -> Self {
        Self::new(move |xs, train| module.forward_t(xs, train))
    }

    /// Calls the closure.
    ///
    /// # Errors
    /// The closure's own.
    pub fn forward_t(&self, xs: &Proxy, train: bool) -> Result<Proxy> {
        match &self.0 {
            What::Held(layer) => layer.forward_t(xs, train),
            What::Made(closure, built) => {
                let _running = built.as_ref().map(BuiltAt::enter);
                closure(xs, train)
            }
        }
    }
}

/// The layer of a closure.
pub fn func<'a, F>(f: F) -> Func<'a>
where
    F: 'a + Fn(&Proxy) -> Result<Proxy> + Send + Sync,
{
    Func::new(f)
}

/// The layer of a closure that behaves differently in training.
pub fn func_t<'a, F>(f: F) -> FuncT<'a>
where
    F: 'a + Fn(&Proxy, bool) -> Result<Proxy> + Send + Sync,
{
    FuncT::new(f)
}

impl Module for Func<'_> {
    fn forward(&self, xs: &Proxy) -> Result<Proxy> {
        self.forward(xs)
    }
}

impl ModuleT for FuncT<'_> {
    fn forward_t(&self, xs: &Proxy, train: bool) -> Result<Proxy> {
        self.forward_t(xs, train)
    }
}

impl Entry<ViaModule> for Func<'_> {
    const METHOD: &'static str = "forward";

    fn call(&mut self, inputs: &mut Inputs<'_>) -> Result<Output> {
        let xs = inputs.tensor("xs")?;
        inputs.finish(self.forward(&xs))
    }
}

impl Entry<ViaModuleT> for FuncT<'_> {
    const METHOD: &'static str = "forward_t";

    fn call(&mut self, inputs: &mut Inputs<'_>) -> Result<Output> {
        let xs = inputs.tensor("xs")?;
        let train = inputs.take("train", "bool")?;
        inputs.finish(self.forward_t(&xs, train))
    }
}

impl fmt::Debug for Func<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("func")
    }
}

impl fmt::Debug for FuncT<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("func")
    }
}

/// candle's closure that calls this module: what a function returns that says `impl Module`.
pub fn func_of<'a>(module: impl 'a + candle_core::Module + Send + Sync) -> candle_nn::Func<'a> {
    candle_nn::func(move |xs| module.forward(xs))
}

/// The same of `impl ModuleT`.
pub fn func_t_of<'a>(module: impl 'a + candle_core::ModuleT + Send + Sync) -> candle_nn::FuncT<'a> {
    candle_nn::func_t(move |xs, train| module.forward_t(xs, train))
}

/// A closure that a model holds is a layer of which nothing is known.
macro_rules! held {
    ($($type:ident, $how:ident, $called:ident, |$layer:ident, $args:ident| $call:expr;)*) => {$(
        impl Layer for candle_nn::$type<'static> {
            const NAME: &'static str = stringify!($type);
            const CALLED: Called = Called::$called;
            type Parts = ();

            fn parts(&self, _: &Scope) {}

            fn call(&self, $args: &[&Value]) -> Result<Value> {
                let $layer = self;
                IntoValue::into_value($call)
            }

            fn infer(&self, _: &[&Fact]) -> std::result::Result<Fact, InferError> {
                Ok(Fact::Unknown)
            }
        }

        impl $how for candle_nn::$type<'static> {}

        impl Traceable for candle_nn::$type<'static> {
            type Symbolic = $type<'static>;

            fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
                $type(What::Held(Leaf::of(self, scope)))
            }
        }

        /// A twin's own.
        impl Traceable for $type<'_> {
            type Symbolic = Self;

            fn symbolic(&self, _: &Scope) -> Self {
                self.clone()
            }
        }
    )*};
}
held! {
    Func, Forward, FORWARD, |layer, args| candle_core::Module::forward(layer, argument(args, 0)?);
    FuncT, ForwardT, FORWARD_T, |layer, args|
        candle_core::ModuleT::forward_t(layer, argument(args, 0)?, argument(args, 1)?);
}
