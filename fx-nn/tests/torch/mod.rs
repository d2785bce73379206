//! Layers from torch's names and arguments.

pub(crate) mod arguments;
pub(crate) mod build;
mod build_loss;
pub(crate) mod called;
pub(crate) mod case;
pub(crate) mod wrong;
