//! [`HeldLayer`]: which layer a mirror holds, so that a capture finds out that layers have changed places.
//!
//! Within a capture a layer is known by where the model had it. From one call to the next it is known by its tensors, which
//! stay the same when a model moves it; that is what a state keeps of it.
//!
//! Invariant: what is told of a layer is the same whenever it is asked; one that makes its tensors anew each time tells nothing.

use std::fmt;
use std::sync::Arc;

use crate::ir::ModulePath;
use crate::module::LayerModule;

/// A layer, as a part of what a mirror holds.
#[derive(Clone)]
pub struct HeldLayer {
    path: ModulePath,
    layer: Arc<dyn LayerModule>,
}

impl HeldLayer {
    pub(super) fn new(path: ModulePath, layer: Arc<dyn LayerModule>) -> Self {
        Self { path, layer }
    }

    /// What it is, by its tensors and options; none if it does not tell.
    pub(super) fn told(&self) -> Option<Arc<str>> {
        let told = || {
            let state = self.layer.state()?;
            let tensors: Vec<_> = state.tensors.iter().map(|(name, tensor)| (*name, tensor.id())).collect();
            Some(format!("{} {tensors:?} {:?}", self.layer.type_name(), state.options).into())
        };
        let first: Arc<str> = told()?;
        (told()? == first).then_some(first)
    }
}

impl PartialEq for HeldLayer {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path || self.told().is_some_and(|told| other.told() == Some(told))
    }
}

impl fmt::Debug for HeldLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.told() {
            Some(told) => f.write_str(&told),
            None => f.write_str(self.layer.type_name()),
        }
    }
}
