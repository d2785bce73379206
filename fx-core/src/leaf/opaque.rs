//! [`OpaqueLeaf`]: a layer that is called whole and cannot be looked into: a user's own, for fields marked `#[fx(leaf)]`,
//! and those of candle-transformers (`transformers.rs`).
//!
//! Invariant: nothing is assumed of a user's layer but that it is a candle `Module`.

use std::marker::PhantomData;
use std::sync::Arc;

use candle_core::{Device, Result, Tensor};

use crate::ir::{Argument, Keyword};
use crate::module::{Called, LayerModule};
use crate::ops::{Effect, InferError, IntoValue};
use crate::trace::{Given, Held, Module, Proxy, Scope, call_layer};
use crate::value::{Fact, Value};

use super::layer::argument;

/// The mirror of a user's layer that is called whole.
///
/// The graph holds the layer itself, which cannot be saved. A user's says nothing of its shapes until it runs, and counts as
/// changing something.
pub struct OpaqueLeaf<M> {
    scope: Scope,
    layer: Arc<dyn LayerModule>,
    original: PhantomData<fn() -> M>,
}

impl<M> Clone for OpaqueLeaf<M> {
    fn clone(&self) -> Self {
        Self { scope: self.scope.clone(), layer: self.layer.clone(), original: PhantomData }
    }
}

/// A user's layer, as a graph calls it.
struct Opaque<M> {
    name: String,
    module: M,
    /// Whether a call does nothing but compute its result.
    pure: bool,
}

impl<M: candle_core::Module + Send + Sync> LayerModule for Opaque<M> {
    fn type_name(&self) -> &str {
        &self.name
    }

    fn called(&self) -> Called {
        Called::FORWARD
    }

    fn call(&self, args: &[&Value]) -> Result<Value> {
        self.module.forward(argument(args, 0)?).into_value()
    }

    /// What it does to shapes is known only by a call.
    fn infer(&self, facts: &[&Fact]) -> std::result::Result<Fact, InferError> {
        match facts.first().and_then(|fact| fact.as_tensor()) {
            Some(x) if self.pure => {
                let zeros = Tensor::zeros(&x.shape, x.dtype, &Device::Cpu)?;
                Ok(Fact::of(&self.module.forward(&zeros)?.into_value()?))
            }
            _ => Ok(Fact::Unknown),
        }
    }

    fn effect(&self, _: &[Argument], _: &[(Keyword, Argument)]) -> Effect {
        if self.pure { Effect::Pure } else { Effect::Changes }
    }

    fn instead_of_saving(&self) -> &'static str {
        match self.pure {
            true => "hold the layer of candle_nn's that it wraps, which is known",
            false => {
                "put `#[fx::module]` on its type instead of `#[fx(leaf)]` on the field, so that the capture goes through it"
            }
        }
    }
}

// Also of what is no layer, which is told where the mirror is made.
impl<M> OpaqueLeaf<M> {
    /// The layer, as a part of what a mirror holds.
    pub fn held(&self) -> Held {
        Held::layer(&self.scope, &self.layer)
    }
}

impl<M: candle_core::Module + Clone + Send + Sync + 'static> OpaqueLeaf<M> {
    /// The mirror of this layer.
    pub fn new(module: &M, scope: &Scope) -> Self {
        Self::made(module, scope, false)
    }

    /// The same of a layer whose calls do nothing but compute their result.
    #[cfg(feature = "transformers")]
    pub(super) fn pure(module: &M, scope: &Scope) -> Self {
        Self::made(module, scope, true)
    }

    fn made(module: &M, scope: &Scope, pure: bool) -> Self {
        let name = std::any::type_name::<M>();
        let name = name.split('<').next().and_then(|path| path.rsplit("::").next()).unwrap_or(name).to_owned();
        Self {
            scope: scope.clone(),
            layer: Arc::new(Opaque { name, module: module.clone(), pure }),
            original: PhantomData,
        }
    }
}

impl<M> Module for OpaqueLeaf<M> {
    #[track_caller]
    fn forward(&self, xs: &Proxy) -> Result<Proxy> {
        call_layer(&self.layer, &self.scope, &[Given::Proxy(xs.clone())])
    }
}
