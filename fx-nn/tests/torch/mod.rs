//! Layers from torch's names and arguments.

pub(crate) mod arguments;
pub(crate) mod build;
mod build_loss;
mod called;
pub(crate) mod case;
