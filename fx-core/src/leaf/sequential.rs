//! [`SequentialLeaf`]: candle's `Sequential` in the symbolic world.
//!
//! Invariant: the layers of one that a twin makes are called one by one; one that a model holds is called whole.

use std::any::Any;
use std::panic::Location;
use std::sync::Arc;

use candle_core::Result;
use candle_nn::Sequential;

use crate::trace::{Entry, Inputs, Module, Original, Output, Proxy, Scope, Session, Traceable, ViaModule};

use super::func::func;
use super::original::SharedLayer;

/// The mirror of a `Sequential`.
///
/// One that a model holds is called whole, as one node; one that a twin builds is a list of layers, each called.
#[derive(Clone)]
pub struct SequentialLeaf(Layers);

#[derive(Clone)]
enum Layers {
    /// In a model: the layers, and how many there are.
    Held(SharedLayer, i64),
    /// Made by a twin: the layers, and where each was added.
    Made(Vec<(Arc<dyn Module>, &'static Location<'static>)>),
}

/// An empty sequential layer.
#[must_use]
pub fn seq() -> SequentialLeaf {
    SequentialLeaf(Layers::Made(Vec::new()))
}

impl Traceable for Sequential {
    type Symbolic = SequentialLeaf;

    fn symbolic(&self, scope: &Scope) -> SequentialLeaf {
        let original = scope.place().cloned().map(Original::Place);
        SequentialLeaf(Layers::Held(SharedLayer::new::<Self>("Sequential", scope, original), self.len()))
    }

    fn whole(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl SequentialLeaf {
    /// Number of layers.
    #[must_use]
    pub fn len(&self) -> i64 {
        match &self.0 {
            Layers::Held(_, len) => *len,
            Layers::Made(layers) => i64::try_from(layers.len()).unwrap_or(i64::MAX),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a layer. Ends the capture if the layers are those of the model, which nobody can look into.
    #[allow(clippy::should_implement_trait, reason = "candle's")]
    #[must_use]
    #[track_caller]
    pub fn add<M: Module + 'static>(mut self, layer: M) -> Self {
        match &mut self.0 {
            Layers::Made(layers) => layers.push((Arc::new(layer), Location::caller())),
            Layers::Held(..) => {
                let reason = "a `Sequential` that the model holds cannot be extended in a capture";
                Session::abort_current(&candle_core::Error::Msg(reason.to_owned()))
            }
        }
        self
    }

    /// Appends a closure.
    #[must_use]
    #[track_caller]
    pub fn add_fn<F>(self, f: F) -> Self
    where
        F: 'static + Fn(&Proxy) -> Result<Proxy> + Send + Sync,
    {
        self.add(func(f))
    }

    /// The result of each layer.
    ///
    /// # Errors
    /// What candle refuses, and that the layers are those of the model.
    pub fn forward_all(&self, xs: &Proxy) -> Result<Vec<Proxy>> {
        let Layers::Made(layers) = &self.0 else {
            candle_core::bail!("the layers of a `Sequential` that the model holds cannot be told apart")
        };
        let mut all: Vec<Proxy> = Vec::with_capacity(layers.len());
        for (layer, at) in layers {
            all.push(layer.forward_at(all.last().unwrap_or(xs), at)?);
        }
        Ok(all)
    }
}

impl Module for SequentialLeaf {
    #[track_caller]
    fn forward(&self, xs: &Proxy) -> Result<Proxy> {
        match &self.0 {
            Layers::Held(_, 0) => Ok(xs.clone()),
            Layers::Held(layers, _) => layers.forward(xs),
            Layers::Made(layers) => layers.iter().try_fold(xs.clone(), |xs, (layer, at)| layer.forward_at(&xs, at)),
        }
    }
}

impl Entry<ViaModule> for SequentialLeaf {
    const METHOD: &'static str = "forward";

    fn call(&mut self, inputs: &mut Inputs<'_>) -> Result<Output> {
        let xs = inputs.tensor("xs")?;
        inputs.finish(self.forward(&xs))
    }
}
