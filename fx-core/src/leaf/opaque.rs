//! [`OpaqueLeaf`]: a user's own layer that is called whole, for fields marked `#[fx(leaf)]`.
//!
//! Invariant: nothing is assumed of the layer but that it is a candle `Module`.

use std::marker::PhantomData;
use std::sync::Arc;

use candle_core::Result;

use crate::module::{Called, LayerModule};
use crate::ops::{InferError, IntoValue};
use crate::trace::{Given, Module, Proxy, Scope, call_layer};
use crate::value::{Fact, Value};

use super::layer::argument;

/// The mirror of a user's layer that is called whole.
///
/// The graph holds the layer itself. It says nothing of its shapes until it runs, counts as changing something, and
/// cannot be saved.
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

    /// What it does to shapes is not known.
    fn infer(&self, _: &[&Fact]) -> std::result::Result<Fact, InferError> {
        Ok(Fact::Unknown)
    }

    fn instead_of_saving(&self) -> &'static str {
        "put `#[fx::module]` on its type instead of `#[fx(leaf)]` on the field, so that the capture goes through it"
    }
}

impl<M: candle_core::Module + Clone + Send + Sync + 'static> OpaqueLeaf<M> {
    /// The mirror of this layer.
    pub fn new(module: &M, scope: &Scope) -> Self {
        let name = std::any::type_name::<M>();
        let name = name.split('<').next().and_then(|path| path.rsplit("::").next()).unwrap_or(name).to_owned();
        Self { scope: scope.clone(), layer: Arc::new(Opaque { name, module: module.clone() }), original: PhantomData }
    }
}

impl<M> Module for OpaqueLeaf<M> {
    #[track_caller]
    fn forward(&self, xs: &Proxy) -> Result<Proxy> {
        call_layer(&self.layer, &self.scope, &[Given::Proxy(xs.clone())])
    }
}
