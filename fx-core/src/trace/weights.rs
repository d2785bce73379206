//! [`VarBuilder`]: candle's `VarBuilder` in the symbolic world, for models that functions build of closures.
//!
//! A function with `#[fx::module]` that takes a `VarBuilder` is chosen by it: given candle's it runs as it is, given this
//! one its twin runs, and what it builds records when it is called.
//!
//! Invariant: a weight's path in the graph is its name in the `VarBuilder`.

use std::sync::Arc;

use candle_core::{DType, Device, Result, Shape, Tensor};
use candle_nn::Init;

use crate::ir::ModulePath;

use super::building::{Building, Builds};
use super::inputs::Inputs;
use super::known::TraceableIn;
use super::proxy::Proxy;
use super::scope::Scope;
use super::session::Session;
use super::traceable::Traceable;
use super::world::World;

/// Where the twin of a function gets its weights: candle's `VarBuilder`, with candle's methods, giving proxies.
///
/// A capture makes one with [`Inputs::var_builder`] or [`Tracer::trace_built`](super::Tracer::trace_built).
#[derive(Clone)]
pub struct VarBuilder<'a> {
    weights: candle_nn::VarBuilder<'a>,
    session: Arc<Session>,
}

impl Inputs<'_> {
    /// These weights in the symbolic world, for functions that build the model inside a capture.
    ///
    /// ```
    /// use candle_core::{DType, Device, Result};
    /// use candle_nn::VarBuilder;
    ///
    /// let weights = VarBuilder::zeros(DType::F32, &Device::Cpu);
    /// let module = fx_core::trace::Tracer::new().input("x", DType::F32, (2, 3)).trace_fn(|inputs| {
    ///     let scale = inputs.var_builder(&weights).pp("norm").get(3, "scale")?;
    ///     inputs.tensor("x")?.broadcast_mul(&scale)
    /// })?;
    /// assert!(module.tensor("norm.scale").is_some());
    /// # Ok::<(), fx_core::trace::TraceError>(())
    /// ```
    #[must_use]
    pub fn var_builder<'w>(&self, weights: &candle_nn::VarBuilder<'w>) -> VarBuilder<'w> {
        VarBuilder { weights: weights.clone(), session: self.session().clone() }
    }
}

impl<'a> VarBuilder<'a> {
    fn with(&self, weights: candle_nn::VarBuilder<'a>) -> Self {
        Self { weights, session: self.session.clone() }
    }

    /// Where this is in the model.
    pub(crate) fn scope(&self) -> Scope {
        Scope::at_path(&self.session, ModulePath::new(self.weights.prefix()))
    }

    /// The proxy of a tensor of this name.
    fn held(&self, name: &str, tensor: Tensor) -> Proxy {
        let scope = self.scope();
        Proxy::held(
            &self.session,
            if name.is_empty() { scope.path().clone() } else { scope.path().child(name) },
            tensor,
        )
    }

    /// The prefix of all names.
    #[must_use]
    pub fn prefix(&self) -> String {
        self.weights.prefix()
    }

    /// The same weights without a prefix.
    #[must_use]
    pub fn root(&self) -> Self {
        self.with(self.weights.root())
    }

    /// The same weights with this prefix.
    #[must_use]
    pub fn set_prefix(&self, prefix: impl ToString) -> Self {
        self.with(self.weights.set_prefix(prefix))
    }

    /// The weights below `s`.
    #[must_use]
    pub fn push_prefix<S: ToString>(&self, s: S) -> Self {
        self.with(self.weights.push_prefix(s))
    }

    /// The weights below `s`.
    #[must_use]
    pub fn pp<S: ToString>(&self, s: S) -> Self {
        self.push_prefix(s)
    }

    /// The device of the weights.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.weights.device()
    }

    /// The dtype of the weights.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.weights.dtype()
    }

    /// The same weights as another dtype.
    #[must_use]
    pub fn to_dtype(&self, dtype: DType) -> Self {
        self.with(self.weights.to_dtype(dtype))
    }

    /// The same weights as another dtype.
    #[must_use]
    pub fn set_dtype(self, dtype: DType) -> Self {
        Self { weights: self.weights.set_dtype(dtype), session: self.session }
    }

    /// The same weights on another device.
    #[must_use]
    pub fn set_device(self, device: Device) -> Self {
        Self { weights: self.weights.set_device(device), session: self.session }
    }

    /// The same weights, asked for by other names; in the graph they keep the model's.
    #[must_use]
    pub fn rename_f<F: Fn(&str) -> String + Sync + Send + 'static>(self, f: F) -> Self {
        Self { weights: self.weights.rename_f(f), session: self.session }
    }

    /// Whether there is a tensor of this name.
    #[must_use]
    pub fn contains_tensor(&self, tensor_name: &str) -> bool {
        self.weights.contains_tensor(tensor_name)
    }

    /// The tensor of this name.
    ///
    /// # Errors
    /// candle's, which the model may handle: that there is none, or one of another shape.
    pub fn get<S: Into<Shape>>(&self, s: S, name: &str) -> Result<Proxy> {
        Ok(self.held(name, self.weights.get(s, name)?))
    }

    /// The tensor of this name.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn get_with_hints<S: Into<Shape>>(&self, s: S, name: &str, hints: Init) -> Result<Proxy> {
        Ok(self.held(name, self.weights.get_with_hints(s, name, hints)?))
    }

    /// The tensor of this name, as this dtype.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn get_with_hints_dtype<S: Into<Shape>>(&self, s: S, name: &str, hints: Init, dtype: DType) -> Result<Proxy> {
        Ok(self.held(name, self.weights.get_with_hints_dtype(s, name, hints, dtype)?))
    }

    /// The tensor of this name, of any shape.
    ///
    /// # Errors
    /// candle's: that there is none.
    pub fn get_unchecked(&self, name: &str) -> Result<Proxy> {
        Ok(self.held(name, self.weights.get_unchecked(name)?))
    }

    /// The tensor of this name, of any shape, as this dtype.
    ///
    /// # Errors
    /// candle's: that there is none.
    pub fn get_unchecked_dtype(&self, name: &str, dtype: DType) -> Result<Proxy> {
        Ok(self.held(name, self.weights.get_unchecked_dtype(name, dtype)?))
    }

    /// This function builds a part of the model from these weights, until the guard is dropped.
    pub fn builds(&self, function: &'static str) -> Builds {
        let building = Building { path: ModulePath::new(self.weights.prefix()), function, variable: None };
        Builds::now(&self.session, Some(building))
    }
}

impl Traceable for VarBuilder<'_> {
    type Symbolic = Self;

    fn symbolic(&self, _: &Scope) -> Self {
        self.clone()
    }
}

impl World for candle_nn::VarBuilder<'_> {
    type Of<T: TraceableIn<K>, K> = T;
}

impl World for VarBuilder<'_> {
    type Of<T: TraceableIn<K>, K> = T::Symbolic;
}

/// The real weights behind those of a twin, lent to a function that knows nothing of fx.
pub trait Lend {
    /// The real ones.
    type Real;

    /// The real ones, and where they are.
    fn lend(self) -> (Self::Real, Scope);
}

impl<'a> Lend for VarBuilder<'a> {
    type Real = candle_nn::VarBuilder<'a>;

    fn lend(self) -> (Self::Real, Scope) {
        let scope = self.scope();
        (self.weights, scope)
    }
}

impl<'v, 'a> Lend for &'v VarBuilder<'a> {
    type Real = &'v candle_nn::VarBuilder<'a>;

    fn lend(self) -> (Self::Real, Scope) {
        (&self.weights, self.scope())
    }
}
