//! candle's `Module` and `ModuleT` in the symbolic world.
//!
//! Invariant: what implements candle's trait has a mirror that implements the trait of the same name here.

use std::panic::Location;

use candle_core::Result;

use super::proxy::Proxy;

/// Something that is called on one tensor.
///
/// A closure from `&Proxy` is one, and so are the mirrors of layers and of models whose `impl Module` has the
/// attribute.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be called while a model is captured",
    note = "put `#[fx::module]` on the type and on its `impl Module`"
)]
pub trait Module {
    /// Records the call.
    ///
    /// # Errors
    /// What candle refuses.
    // Not `#[track_caller]`, which would hold for twins too: the lines in a user's `forward` would become that of its call.
    fn forward(&self, xs: &Proxy) -> Result<Proxy>;

    /// The same, called at a line of the user's that the call itself does not tell, because its type is not known.
    ///
    /// # Errors
    /// What candle refuses.
    #[doc(hidden)]
    fn forward_at(&self, xs: &Proxy, _at: &'static Location<'static>) -> Result<Proxy> {
        self.forward(xs)
    }
}

/// Something that is called on one tensor and behaves differently in training.
///
/// As [`Module`]; of it are the mirrors of models whose `impl ModuleT` has the attribute.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be called while a model is captured",
    note = "put `#[fx::module]` on the type and on its `impl ModuleT`"
)]
pub trait ModuleT {
    /// Records the call.
    ///
    /// # Errors
    /// What candle refuses.
    fn forward_t(&self, xs: &Proxy, train: bool) -> Result<Proxy>;

    /// The same, called at a line of the user's that the call itself does not tell, because its type is not known.
    ///
    /// # Errors
    /// What candle refuses.
    #[doc(hidden)]
    fn forward_t_at(&self, xs: &Proxy, train: bool, _at: &'static Location<'static>) -> Result<Proxy> {
        self.forward_t(xs, train)
    }
}

impl<F: Fn(&Proxy) -> Result<Proxy>> Module for F {
    #[track_caller]
    fn forward(&self, xs: &Proxy) -> Result<Proxy> {
        self(xs)
    }
}

impl<M: Module> Module for Option<&M> {
    #[track_caller]
    fn forward(&self, xs: &Proxy) -> Result<Proxy> {
        match self {
            None => Ok(xs.clone()),
            Some(module) => module.forward(xs),
        }
    }
}

impl<M: Module> ModuleT for M {
    #[track_caller]
    fn forward_t(&self, xs: &Proxy, _train: bool) -> Result<Proxy> {
        self.forward(xs)
    }

    fn forward_t_at(&self, xs: &Proxy, _train: bool, at: &'static Location<'static>) -> Result<Proxy> {
        self.forward_at(xs, at)
    }
}
