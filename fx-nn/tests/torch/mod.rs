//! Layers from torch's names and arguments.

pub mod arguments;
pub mod build;
mod build_loss;
mod called;
pub mod case;
