//! The layers that can be made again, as a table, and loading with it.
//!
//! Invariant: which they are is said in `library` alone.

use std::path::Path;
use std::sync::LazyLock;

use super::library::kinds;
use crate::module::{GraphModule, LayerTable, LoadModuleError};
use crate::ops::OpTable;

static BUILTIN: LazyLock<LayerTable> = LazyLock::new(|| LayerTable::new().with(&kinds().collect::<Vec<_>>()));

impl LayerTable {
    /// candle_nn's layers.
    #[must_use]
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }
}

impl GraphModule {
    /// Loads a module that [`GraphModule::save`] wrote, of built-in operations and candle_nn's layers, onto a device.
    ///
    /// # Errors
    ///
    /// As [`GraphModule::load_with`].
    pub fn load(path: impl AsRef<Path>, device: &candle_core::Device) -> Result<Self, LoadModuleError> {
        Self::load_with(path, OpTable::builtin(), LayerTable::builtin(), device)
    }
}
