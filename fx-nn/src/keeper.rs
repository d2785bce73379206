//! Layers that keep tensors from call to call, as running statistics: [`Keeps`], and [`Keeper`], their mirror.
//!
//! Invariant: a capture that enters such a layer reads what its calls before left. What is left in the end is state of the
//! graph; the layer itself stays as it was.

use std::panic::Location;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candle_core::{Result, Tensor};
use fx_core::leaf::{Forward, ForwardT, Inside, Layer, Leaf};
use fx_core::trace::{FromRecorded, Given, Held, Proxy, Scope};
use fx_core::value::Value;

use crate::twice::inside;

/// A layer that keeps tensors from call to call.
///
/// Running statistics are kept in training; as state of a graph they are given and taken at each run.
pub trait Keeps: Layer {
    /// These tensors, by name.
    fn kept(&self) -> Vec<(&'static str, Tensor)>;
}

/// One that is called on one tensor.
///
/// [`Keeper`] calls it.
pub trait KeepsOne: Keeps {
    /// Records what it computes of `xs` and of what it keeps, and what it keeps then, if that is something else.
    ///
    /// # Errors
    /// What candle refuses.
    fn through_kept(
        &self,
        scope: &Scope,
        kept: &[Proxy],
        xs: &Proxy,
        train: bool,
    ) -> Result<(Proxy, Option<Vec<Proxy>>)>;
}

/// What a layer that keeps tensors computes outside of training, where that changes nothing.
pub(crate) fn outside_training<L: KeepsOne>(layer: &L, scope: &Scope, xs: &[Proxy]) -> Result<Proxy> {
    let [xs] = xs else { candle_core::bail!("a layer of type {} is entered on one tensor", L::NAME) };
    let kept: Vec<Proxy> = layer.kept().iter().map(|(name, tensor)| inside(tensor, scope, name)).collect();
    Ok(layer.through_kept(scope, &kept, xs, false)?.0)
}

/// The mirror of a layer that keeps tensors from call to call.
///
/// What it keeps is compared before and after a capture, and becomes state of the graph if it has changed.
#[derive(Debug, Clone)]
pub struct Keeper<L: Layer> {
    layer: Leaf<L>,
    /// By name, as of now; shared by the clones of the mirror, as the original's are.
    kept: Arc<Mutex<Vec<(&'static str, Proxy)>>>,
}

impl<L: Keeps> Keeper<L> {
    /// The mirror of this layer, as it is now: calls of the layer do not change the state of a graph.
    pub fn of(layer: &L, scope: &Scope) -> Self {
        let kept = layer.kept().into_iter().map(|(name, tensor)| {
            // One that cannot be copied is shared with the layer.
            let now = tensor.detach().copy().unwrap_or(tensor);
            (name, inside(&now, scope, name))
        });
        Self { layer: Leaf::of(layer, scope), kept: Arc::new(Mutex::new(kept.collect())) }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(&'static str, Proxy)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What it keeps, for the comparison of before and after.
    pub(crate) fn held(&self) -> Held {
        Held::structure(L::NAME, self.lock().iter().map(|(name, proxy)| (*name, Held::Tensor(proxy.clone()))).collect())
    }

    /// Enters the layer, if the rules of the capture want it, and goes through it.
    pub(crate) fn enter<R>(
        &self,
        through: impl FnOnce(&Inside<'_, L>, &[Proxy]) -> Result<(R, Option<Vec<Proxy>>)>,
    ) -> Option<Result<R>> {
        let inside = self.layer.enter()?;
        let kept: Vec<Proxy> = self.lock().iter().map(|(_, proxy)| proxy.clone()).collect();
        Some(through(&inside, &kept).map(|(result, new)| {
            for ((_, kept), new) in self.lock().iter_mut().zip(new.into_iter().flatten()) {
                *kept = new;
            }
            result
        }))
    }

    #[track_caller]
    pub(crate) fn record<T: FromRecorded>(&self, arguments: &[Given]) -> Result<T> {
        self.layer.call(arguments)
    }
}

impl<L: KeepsOne> Keeper<L> {
    /// Records a call at a line of the user's; `train` if the layer asks for it.
    pub(crate) fn call_at(&self, xs: &Proxy, train: Option<bool>, at: &'static Location<'static>) -> Result<Proxy> {
        let through = |inside: &Inside<'_, L>, kept: &[Proxy]| {
            inside.layer().through_kept(inside.scope(), kept, xs, train.unwrap_or(false))
        };
        let train = train.map(|train| Given::Data(Value::Bool(train)));
        match self.enter(through) {
            Some(result) => result,
            None => self.layer.call_at(&[Given::Proxy(xs.clone())].into_iter().chain(train).collect::<Vec<_>>(), at),
        }
    }
}

impl<L: KeepsOne + Forward> Keeper<L> {
    /// Records a call of the layer.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward(&self, xs: &Proxy) -> Result<Proxy> {
        self.call_at(xs, None, Location::caller())
    }
}

impl<L: KeepsOne + ForwardT> Keeper<L> {
    /// Records a call of the layer.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward_t(&self, xs: &Proxy, train: bool) -> Result<Proxy> {
        self.call_at(xs, Some(train), Location::caller())
    }
}
